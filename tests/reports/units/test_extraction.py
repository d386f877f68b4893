"""Extraction of entities against the lists annotators left: precision, recall and F1 by hand."""

import pytest

from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.reports.agreement import unit_agreement
from concord.reports.panel import panel_reading
from concord.reports.units import extraction
from concord.reports.units.extraction import Match, match
from concord.sampling import split_assignment
from concord.store import graders
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.reports.entity_lists import ENTITIES, KIND


@pytest.mark.parametrize(
    ("made", "right", "expected"),
    [
        (["Agra", "Yamuna"], ["agra", "Shah Jahan", "1631"], (2, 3, 1)),
        (["World Health Organization"], ["WHO | World Health Organization"], (1, 1, 1)),
        (["World Health Organization", "WHO"], ["World Health Organization | WHO"], (2, 1, 1)),
        (["World Health Organization | WHO", "WHO"], ["WHO"], (1, 1, 1)),
        (["A | B"], ["A", "B"], (1, 2, 1)),
        (["A | B", "A | C"], ["B", "C"], (1, 2, 1)),
        (["A | B", "C"], ["A", "B | C"], (2, 2, 2)),
        (["ＳＯＮＹ", "ソニー"], ["Sony | ソニー"], (2, 1, 1)),
        ([], ["A"], (0, 1, 0)),
        ([], [], (0, 0, 0)),
    ],
)
def test_an_entity_has_at_most_one_counterpart_under_any_of_its_names(made, right, expected):
    assert match(made, right) == Match(*expected)


def rows(store, sheet):
    panel = panel_reading.read(store, sheet, ENTITIES)
    return unit_agreement.report(store, panel).extraction


def test_precision_recall_and_f1_count_the_entities_of_all_lists_together(store, listed):
    (row,) = rows(store, listed)
    assert (row.kind, row.maker) == (KIND, "rag-metrics")
    assert (row.lists, row.annotators) == (19, 1)
    assert row.left_out == {extraction.UNCHECKED: 17}
    # 18 edited lists of 4 against 5 with 3 in both, and one of 4 that was approved.
    assert (row.made, row.right, row.both) == (76, 94, 58)
    figures = {name: getattr(row, name).value for name in ("precision", "recall", "f1")}
    precision, recall = 58 / 76, 58 / 94
    assert figures == pytest.approx(
        {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall),
        }
    )
    assert row.f1.low < row.f1.value < row.f1.high
    (line,) = extraction.table([row]).rows
    assert line[1:6] == ("rag-metrics", 19, 76, 94, 58)


def test_lists_of_questions_that_judges_saw_are_left_out_with_the_reason(store, listed):
    question = store.value("select min(question_id) from items")
    of_it = store.rows("select id from items where question_id = ? order by id", (question,))
    split_assignment.assign(store, [question], "few-shot", "to be shown")
    (row,) = rows(store, listed)
    edited = sum(bool(units.corrected_of_item(store, one["id"], KIND).annotators) for one in of_it)
    assert row.lists == 19 - edited
    assert sum(row.left_out.values()) == 36 - row.lists


def test_a_list_that_nobody_edited_or_approved_has_no_f1(store, sheet, ana):
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    item_id = store.value("select min(id) from items")
    made = units.keep(store, item_id, KIND, [Cell("A", 0)], judge)
    assert extraction.of_list(store, made) == (
        "F1 of what rag-metrics found is undefined: no annotator has edited or approved the list."
    )
    rubric_versions.register(store, ENTITIES, "preset")
    (row,) = rows(store, sheet)
    assert (row.lists, row.f1.value) == (0, None)
    assert row.f1.why_none == extraction.UNCHECKED


def test_one_list_says_its_own_figures_in_words(store, listed):
    item_id = store.rows("select id from items order by id")[1]["id"]
    cut = units.current(store, [item_id], KIND)[item_id]
    assert extraction.of_list(store, cut) == (
        "Of 4 entities that rag-metrics found 3 are in this list of 5: precision 0.75, "
        "recall 0.60, F1 0.67."
    )


def test_where_annotators_leave_nothing_precision_is_0_and_recall_undefined(store, sheet, ana):
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    item_id = store.value("select min(id) from items")
    made = units.keep(store, item_id, KIND, [Cell("A", 0)], judge)
    emptied = units.edit(store, made, [], ana)
    assert "precision 0.00, recall undefined, F1 0.00" in extraction.of_list(store, emptied)
    (row,) = rows(store, sheet)
    assert (row.lists, row.precision.value, row.f1.value) == (1, 0, 0)
    assert row.recall.why_none == extraction.NONE_RIGHT


def test_lists_of_claims_have_no_set_f1(store, sheet):
    claims = verdicts.rubric("claims-in-contexts")
    rubric_versions.register(store, claims, "preset")
    panel = panel_reading.read(store, sheet, claims)
    assert unit_agreement.report(store, panel).extraction == ()
