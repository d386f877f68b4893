"""What may become an example: only what is kept for examples, the likest first."""

import tomllib

import pytest

from concord.reports.disagreements.similar_examples import as_toml, likeness, offered, why_none
from concord.sampling import split_assignment, splits
from concord.store import items
from tests.support.panels import give, panel


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
