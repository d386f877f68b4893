"""What may become an example: only what is kept for examples, the likest first."""

import json
import tomllib

import pytest

from concord.judges.definition import registry
from concord.reports.disagreements import disagreements, sent_prompt
from concord.reports.disagreements.disagreements import every, keys
from concord.reports.disagreements.similar_examples import as_toml, likeness, offered, why_none
from concord.sampling import split_assignment, splits
from concord.store import graders, grades, items, runs
from concord.store import items as store_items
from concord.store.grades import Press
from tests.support.panels import ATLAS, give, panel


def keep(store, *places):
    questions = [row["id"] for row in splits.of_sheet(store, 1)]
    split_assignment.assign(
        store, [questions[place] for place in places], "few-shot", "for prompts"
    )


def test_only_questions_kept_for_examples_are_offered(store, talks, missed):
    (one,) = missed()
    assert offered(store, panel(store, talks), one) == []
    assert "few-shot pool of this sheet is empty" in why_none(store, panel(store, talks))
    keep(store, 1, 2, 3)
    found = offered(store, panel(store, talks), one)
    assert [given.stored.item.question for given in found] == [
        "Who is the chair?",  # the score that the judge missed
        "When does the second meeting start?",  # a point away
        "When does the meeting start today?",
    ]
    assert [given.score for given in found] == [1, 2, 3]
    assert offered(store, panel(store, talks), one, 1) == found[:1]


def test_of_one_score_the_likest_text_comes_first(store, talks, missed):
    give(store, talks, "Ana", {1: 1, 3: 1})
    (one,) = missed()
    keep(store, 1, 2, 3)
    found = offered(store, panel(store, talks), one)
    assert [items.item(store, given.stored.id).item.row for given in found] == [0, 0, 0]
    assert [given.stored.item.question_id for given in found] == ["003", "001", "002"]
    assert found[0].likeness > found[1].likeness > found[2].likeness


def test_kept_questions_without_grades_say_so(store, talks):
    keep(store, 1)
    assert "Grade them first" in why_none(store, panel(store, talks))


def test_likeness_reads_scripts_without_spaces():
    near, far = likeness("会议几点开始", ["会议什么时候开始", "谁是主席"])
    assert near > far
    assert likeness("会议", ["会议"])[0] == pytest.approx(1)
    assert likeness("", ["", "?!"]).tolist() == [0, 0]
    assert likeness("meeting", [""]).tolist() == [0]


def test_an_offered_answer_is_toml_for_the_rubric(store, talks, missed):
    (one,) = missed()
    keep(store, 2)
    (given,) = offered(store, panel(store, talks), one)
    example = tomllib.loads(f"[[criteria]]\n[[criteria.levels]]\n{as_toml(given)}")
    (shown,) = example["criteria"][0]["levels"][0]["examples"]
    assert shown == {"question": "Who is the chair?", "answer": "Nobody knows.", "why": "half"}


def test_a_judge_without_a_run_has_no_prompt(store, graded):
    one = disagreements.read(store, graded, keys(graded, every(graded))[:1])[0]
    assert sent_prompt.sent(store, graded, one).source.startswith("No prompt is stored")


def replied(store, grader_id, item_id, body):
    """Keep one reply of a judge to an item, with the request it answers."""
    run = runs.start(store, grader_id, 1, None, {}, [], {}, None)
    reply = runs.Reply(
        grader_id=grader_id,
        item_id=item_id,
        content_hash=store_items.item(store, item_id).content_hash,
        part="",
        repeat=1,
        attempt=1,
        request=json.dumps(body),
        raw="{}",
        status="scored",
    )
    runs.add_replies(store, run, [reply])


def test_the_prompt_is_the_one_that_was_sent(store, graded):
    one = disagreements.read(store, graded, keys(graded, every(graded))[:1])[0]
    messages = [{"role": "user", "content": "Grade this."}]
    replied(store, one.key.judge, one.stored.id, {"model": "m", "messages": messages})
    sent = sent_prompt.sent(store, graded, one)
    assert sent.messages == messages
    assert json.loads(sent.rest) == {"model": "m"}
    assert sent.source == "As it was sent."


def test_a_judge_of_known_settings_shows_what_it_would_be_sent(store, sheet, doc_qa):
    zero = registry.named(store, "gpt-4-zero-shot")
    definition = {"judge": json.loads(zero.body()), "rubric": doc_qa.name}
    judge_id = graders.ensure(store, "judge", zero.name, "f1", definition)
    give(store, doc_qa, "Ana", {ATLAS: 0})
    press = Press(1, doc_qa.versions()["correctness"], judge_id, score=3)
    grades.record(store, [press])
    found = panel(store, doc_qa)
    sent = sent_prompt.sent(
        store, found, disagreements.read(store, found, keys(found, every(found)))[0]
    )
    assert "What is 0?" in sent.messages[-1]["content"]
    assert sent.source.startswith("No reply is stored")
