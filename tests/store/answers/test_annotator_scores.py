"""Annotators' current scores of a few answers."""

from concord.store import answer_record, items
from tests.support.panels import give, judge


def test_current_first_grades_of_annotators_alone_are_read(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 1: None})
    give(store, rubric[1], "Ana", {0: 2}, seconds=4.5)
    give(store, rubric[1], "Ana", {0: 1}, seconds=2.0)
    give(store, rubric[1], "Ana", {0: 2}, repeat=2)
    judge(store, rubric[1], "gpt", {0: 0})
    first, second, *_ = items.item_ids(store, sheet.id)
    found = answer_record.annotator_scores(store, [first, second])
    assert [(one.item_id, one.annotator, one.score) for one in found] == [
        (second, "Ana", None),
        (first, "Ana", 1),
    ]
    assert [one.seconds for one in found] == [None, 6.5]  # of all keys on it
