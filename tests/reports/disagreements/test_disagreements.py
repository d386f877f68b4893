"""The work list: what is in it, in which order, and what its causes come to."""

import json

import pytest

from concord.grading import disagreement_causes
from concord.judges.definition import registry
from concord.messages import Conflict
from concord.reports import disagreements
from concord.reports.agreement.document import confusion
from concord.reports.disagreements import (
    DisagreementFilter,
    Key,
    counts,
    every,
    read_key,
    tags_of,
    with_cause,
)
from concord.sampling import split_assignment, splits
from concord.store import graders, grades, runs
from concord.store import items as store_items
from concord.store.grades import Press
from tests.support.panels import ATLAS


def keys(rows):
    return [*map(read_key, rows["key"])]


def listed(found, **wanted):
    """Item, annotator's and judge's score of each row; items count from 1."""
    rows = every(found, DisagreementFilter(**wanted))
    return [(key.item_id, key.person, key.said) for key in keys(rows)]


def test_the_worst_come_first_and_a_failing_answer_that_passed_before_all(graded):
    assert listed(graded) == [
        (1, 0, 3),  # annotators failed it, the judge passed it
        (2, 3, 0),  # the other way round
        (3, 1, 3),
        (4, 1, 3),  # Ben alone
        (4, 2, 3),  # Ana alone: both passed it
        (5, 2, 3),
    ]


def test_annotators_of_one_score_stand_together_and_of_two_scores_apart(graded):
    rows = every(graded)
    assert dict(zip(rows["item"], rows["annotators"], strict=True))[0] == 2
    assert rows["item"].tolist().count(3) == 2


@pytest.mark.parametrize(
    ("wanted", "items"),
    [
        ({"cell": (1, 3)}, [3, 4]),
        ({"criterion": "readability"}, []),
        ({"criterion": "correctness", "cell": (2, 3)}, [4, 5]),
    ],
)
def test_filters_keep_what_is_asked_for(graded, wanted, items):
    assert [item for item, _, _ in listed(graded, **wanted)] == items


def test_the_list_is_as_long_as_the_confusion_table_says(graded):
    gpt = next(iter(graded.judges))
    table = confusion(graded, gpt, "correctness").counts
    for person, row in enumerate(table):
        for said, n in enumerate(row):
            assert person == said or len(listed(graded, cell=(person, said))) == n


def test_sealed_and_leaked_questions_and_grades_that_are_not_blind_stay_closed(
    store, sheet, give, judge, panel
):
    give("Ana", {0: 0, 3: 0, 6: 0})
    give("Ben", {9: 0}, blind=False)
    judge("gpt", {0: 3, 3: 3, 6: 3, 9: 3})
    questions = [row["id"] for row in splits.of_sheet(store, 1)]
    split_assignment.assign(store, questions[:1], "held-out", "kept")
    split_assignment.assign(store, questions[1:2], "few-shot", "shown")
    found = panel()
    assert listed(found) == [(7, 0, 3)]
    assert disagreements.read(store, found, [Key(10, "correctness", 3, 0, 3)]) == []


def tag(store, found, key, cause, ana, note=""):
    disagreements.tag(store, found, key, cause, ana, note)


def test_tags_filter_the_list_and_are_counted(store, graded, ana):
    rows = every(graded)
    first, second, third, *_ = keys(rows)
    tag(store, graded, first, "rubric_unclear", ana)
    tag(store, graded, second, "judge_wrong", ana)
    tag(store, graded, third, "judge_wrong", ana)
    tag(store, graded, third, "", ana)
    tags, until = tags_of(store, graded.sheet.id, graded.rubric), disagreement_causes.newest(store)

    def left(cause, moment=until):
        return keys(with_cause(rows, tags, cause, moment))

    assert left("rubric_unclear") == [first]
    assert left("tagged") == [first, second]
    assert left("untagged") == keys(rows)[2:]
    assert left(None) == keys(rows)
    assert left("untagged", 0) == keys(rows)
    assert left("judge_wrong", until - 1) == [second, third]
    assert counts(rows, tags) == {"rubric_unclear": 1, "judge_wrong": 1}
    assert counts(rows[2:], tags) == {}


def test_a_tag_needs_the_grades_as_they_were_shown(store, graded, ana, judge):
    key = keys(every(graded))[0]
    judge("gpt", {ATLAS: 1})
    with pytest.raises(Conflict, match="has changed since"):
        tag(store, graded, key, "judge_wrong", ana)


def replied(store, grader_id, item_id, body):
    """Keep one reply of a judge to an item, with the request it answers."""
    run = runs.start(store, {}, [], {}, None, grader_id=grader_id, sheet_id=1)
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
    one = disagreements.read(store, graded, keys(every(graded))[:1])[0]
    messages = [{"role": "user", "content": "Grade this."}]
    replied(store, one.key.judge, one.stored.id, {"model": "m", "messages": messages})
    sent = disagreements.sent(store, graded, one)
    assert sent["messages"] == messages
    assert json.loads(sent["rest"]) == {"model": "m"}
    assert sent["source"] == "As it was sent."


def test_a_judge_of_known_settings_shows_what_it_would_be_sent(store, sheet, doc_qa, give, panel):
    zero = registry.named(store, "gpt-4-zero-shot")
    definition = {"judge": json.loads(zero.body()), "rubric": doc_qa.name}
    judge_id = graders.ensure(store, "judge", zero.name, "f1", definition)
    give("Ana", {ATLAS: 0})
    press = Press(1, doc_qa.versions()["correctness"], judge_id, score=3)
    grades.record(store, [press])
    found = panel()
    sent = disagreements.sent(store, found, disagreements.read(store, found, keys(every(found)))[0])
    assert "What is 0?" in sent["messages"][-1]["content"]
    assert sent["source"].startswith("No reply is stored")
