"""The work list: what is in it, in which order, and what its causes come to."""

from collections import Counter

import pytest

from concord.grading import disagreement_causes
from concord.messages import Conflict
from concord.reports.agreement.confusion import confusion
from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreement_list import meaning, sentence, why_left_out
from concord.reports.disagreements.disagreements import (
    DisagreementFilter,
    Key,
    cells,
    counts,
    every,
    held,
    keys,
    place,
    read_key,
    with_cause,
)
from concord.sampling import split_assignment, splits
from concord.store import items as store_items
from tests.support.panels import ATLAS, COBALT, give, judge, panel


def listed(found, **wanted):
    """Item, annotator's and judge's score of each row; items count from 1."""
    return [
        (key.item_id, key.person, key.said)
        for key in keys(found, every(found, DisagreementFilter(**wanted)))
    ]


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
        ({"size": 3}, [1, 2]),
        ({"answer_model": "atlas"}, [1, 4, 4]),
        ({"criterion": "readability"}, []),
        ({"criterion": "correctness", "size": 2}, [1, 2, 3, 4]),
    ],
)
def test_filters_keep_what_is_asked_for(graded, wanted, items):
    assert [item for item, _, _ in listed(graded, **wanted)] == items


def test_the_list_is_as_long_as_the_confusion_table_says(graded):
    gpt = next(iter(graded.judges))
    table = confusion(graded, gpt, "correctness").items
    assert cells(graded, gpt, "correctness") == [(0, 3, 1), (3, 0, 1), (1, 3, 2), (2, 3, 2)]
    for person, said, n in cells(graded, gpt, "correctness"):
        assert table[person][said] == n
        assert len(listed(graded, cell=(person, said))) == n


def test_sealed_and_leaked_questions_and_grades_that_are_not_blind_stay_closed(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {0: 0, 3: 0, 6: 0})
    give(store, doc_qa, "Ben", {9: 0}, blind=False)
    judge(store, doc_qa, "gpt", {0: 3, 3: 3, 6: 3, 9: 3})
    questions = [row["id"] for row in splits.of_sheet(store, 1)]
    split_assignment.assign(store, questions[:1], "held-out", "kept")
    split_assignment.assign(store, questions[1:2], "few-shot", "shown")
    found = panel(store, doc_qa)
    assert listed(found) == [(7, 0, 3)]
    assert disagreements.read(store, found, [Key(10, "correctness", 3, 0, 3)]) == []


def test_an_entry_holds_both_sides_with_their_reasons(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 0}, reason="made up")
    give(store, doc_qa, "Ben", {ATLAS: 1}, reason="half of it")
    judge(store, doc_qa, "gpt", {ATLAS: 3}, reason="all there")
    found = panel(store, doc_qa)
    one, other = disagreements.read(store, found, keys(found, every(found)))
    assert (one.judge.name, one.judge.reason) == ("gpt", "all there")
    assert [(side.name, side.reason) for side in one.annotators] == [("Ana", "made up")]
    assert [(side.name, side.score) for side in one.others] == [("Ben", 1)]
    assert [side.name for side in other.annotators] == ["Ben"]


def tag(store, found, key, cause, ana, note=""):
    disagreements.tag(store, found, key, cause, ana, note)


def tags_of(store, found):
    version = found.rubric.versions()["correctness"]
    return held(disagreement_causes.of_sheet(store, found.sheet.id, {version: "correctness"}))


def test_tags_filter_the_list_and_are_counted(store, graded, ana):
    rows = every(graded)
    first, second, third, *_ = keys(graded, rows)
    tag(store, graded, first, "rubric_unclear", ana)
    tag(store, graded, second, "judge_wrong", ana)
    tag(store, graded, third, "judge_wrong", ana)
    tag(store, graded, third, "", ana)
    tags, until = tags_of(store, graded), disagreement_causes.newest(store)

    def left(cause, moment=until):
        return keys(graded, with_cause(graded, rows, tags, cause, moment))

    assert left("rubric_unclear") == [first]
    assert left("tagged") == [first, second]
    assert left("untagged") == keys(graded, rows)[2:]
    assert left(None) == keys(graded, rows)
    assert left("untagged", 0) == keys(graded, rows)
    assert left("judge_wrong", until - 1) == [second, third]
    assert counts(graded, rows, tags) == {"rubric_unclear": 1, "judge_wrong": 1}
    assert counts(graded, rows[2:], tags) == {}


def test_a_tag_needs_the_grades_as_they_were_shown(store, doc_qa, graded, ana):
    key = keys(graded, every(graded))[0]
    judge(store, doc_qa, "gpt", {ATLAS: 1})
    with pytest.raises(Conflict, match="this disagreement is out of date"):
        tag(store, graded, key, "judge_wrong", ana)


def test_a_key_stands_in_a_url_and_names_its_place(graded):
    rows = every(graded)
    for number, key in enumerate(keys(graded, rows)):
        assert read_key(key.text()) == key
        assert place(graded, rows, key) == number
    assert place(graded, rows, Key(999, "correctness", 2, 0, 3)) is None
    assert place(graded, rows, Key(1, "beauty", 2, 0, 3)) is None


@pytest.mark.parametrize("text", ["", "gone", "1.2.3", "1.2.3.x.correctness", "1..2.3.correctness"])
def test_a_broken_key_is_none(text):
    assert read_key(text) is None


@pytest.mark.parametrize(
    ("found", "total", "said"),
    [
        ({}, 0, "This list contains no disagreements."),
        ({}, 1, "1 disagreement, none tagged yet."),
        (
            {"rubric_unclear": 9, "judge_wrong": 5},
            40,
            "14 of 40 tagged: 9 rubric unclear, 5 judge wrong.",
        ),
    ],
)
def test_the_counts_are_a_sentence(found, total, said):
    assert sentence(Counter(found), total) == said


def test_what_cannot_be_in_the_list_is_said(store, sheet, doc_qa):
    assert why_left_out(panel(store, doc_qa), DisagreementFilter()) == ""
    judge(store, doc_qa, "gpt", {0: None, 3: 3, 6: None})
    give(store, doc_qa, "Ana", {3: 1, 6: 2}, blind=False)
    split_assignment.assign(store, [splits.of_sheet(store, 1)[0]["id"]], "held-out", "kept")
    assert why_left_out(panel(store, doc_qa), DisagreementFilter()) == (
        "Left out: 3 answers (in the held-out test). Left out: 31 answers (no annotator's grade). "
        "Left out: 1 grade (no score). "
        "Left out: 2 grades (given after seeing the judges)."
    )


def test_what_the_causes_say_needs_five_and_a_majority():
    assert meaning(Counter(rubric_unclear=4)) == ""
    assert "the rubric is unclear" in meaning(Counter(rubric_unclear=9, judge_wrong=5))
    assert meaning(Counter(rubric_unclear=3, judge_wrong=3)).startswith("No single cause")


def test_nobody_and_nothing_make_an_empty_list(store, sheet, doc_qa):
    assert every(panel(store, doc_qa)).empty
    judge(store, doc_qa, "gpt", {COBALT: 3})
    assert store_items.item_ids(store, 1)
    assert every(panel(store, doc_qa)).empty
