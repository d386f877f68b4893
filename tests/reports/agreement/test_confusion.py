from dataclasses import replace

import pytest

from concord.language.languages import shown
from concord.reports.agreement.confusion import (
    Confusion,
    _title,
    answer_grades,
    cell,
    confusion,
)
from concord.reports.panel.criterion_comparison import CONSENSUS
from concord.reports.panel.panel import COMPOSITE
from concord.store import items
from tests.support.panels import ATLAS, COBALT, give, judge, panel


def test_rows_are_annotators_and_columns_the_judge(store, doc_qa, first_three_graded):
    table = confusion(panel(store, doc_qa), first_three_graded, "correctness")
    assert table.scale == (0, 1, 2, 3)
    assert table.weights == [[0, 0, 0, 1], [0] * 4, [0, 0, 0, 0.5], [0, 0, 0, 1.5]]
    assert table.pairs == [[0, 0, 0, 1], [0] * 4, [0, 0, 0, 1], [0, 0, 0, 2]]
    assert table.items == [[0, 0, 0, 1], [0] * 4, [0, 0, 0, 1], [0, 0, 0, 2]]
    assert table.n == 3


def test_an_answer_counts_once_per_cell_however_many_annotators_put_it_there(
    store, doc_qa, first_three_graded
):
    give(store, doc_qa, "Cem", {COBALT: 3})
    table = confusion(panel(store, doc_qa), first_three_graded, "correctness")
    assert table.pairs[3][3] == 3
    assert table.items[3][3] == 2


def test_under_consensus_a_split_answer_is_in_no_cell(store, doc_qa, first_three_graded):
    table = confusion(panel(store, doc_qa), first_three_graded, "correctness", CONSENSUS)
    assert table.items == [[0, 0, 0, 1], [0] * 4, [0] * 4, [0, 0, 0, 1]]


def test_a_cell_holds_its_answers(store, sheet, doc_qa, first_three_graded):
    ids = items.item_ids(store, sheet.id)
    made = panel(store, doc_qa)
    assert cell(made, first_three_graded, "correctness", 3, 3) == [ids[ATLAS], ids[COBALT]]
    assert cell(made, first_three_graded, "correctness", 2, 3) == [ids[ATLAS]]
    assert cell(made, first_three_graded, "correctness", 1, 3) == []


def test_a_composite_has_no_table(store, doc_qa, first_three_graded):
    with pytest.raises(ValueError, match="no score on the scale"):
        confusion(panel(store, doc_qa), first_three_graded, COMPOSITE)


def test_both_reasons_stand_side_by_side(store, sheet, doc_qa, first_three_graded):
    give(store, doc_qa, "Ana", {ATLAS: 1}, "readability")
    judge(store, doc_qa, "llama", {ATLAS: 0})
    (one,) = answer_grades(
        store, panel(store, doc_qa), first_three_graded, [items.item_ids(store, sheet.id)[0]]
    )
    assert one.stored.item.question == "What is 0?"
    assert [(s.grader, s.criterion, s.score, s.reason) for s in one.judge] == [
        ("gpt", "correctness", 3, "as I see it")
    ]
    assert [(s.grader, s.criterion, s.score) for s in one.annotators] == [
        ("Ana", "correctness", 3),
        ("Ben", "correctness", 2),
        ("Ana", "readability", 1),
    ]
    assert [shown(s.criterion, "ja") for s in one.annotators] == ["正確さ", "正確さ", "読みやすさ"]


def test_repeats_stand_beside_the_first_grade_and_are_none_of_their_own(
    store, sheet, doc_qa, first_three_graded
):
    give(store, doc_qa, "Ben", {ATLAS: 0}, repeat=2)
    give(store, doc_qa, "Ben", {ATLAS: None}, repeat=3)
    (one,) = answer_grades(
        store, panel(store, doc_qa), first_three_graded, [items.item_ids(store, sheet.id)[0]]
    )
    assert [(said.score, said.again) for said in one.annotators] == [(3, ()), (2, (0, None))]


def test_who_does_not_count_is_not_shown(store, sheet, doc_qa, first_three_graded):
    made = panel(store, doc_qa, "Ben")
    (one,) = answer_grades(store, made, first_three_graded, [items.item_ids(store, sheet.id)[0]])
    assert [said.grader for said in one.annotators] == ["Ben"]


def test_where_nothing_was_compared_nobody_is_said_never_to_differ():
    empty = Confusion((0, 1), None, [], [], [[0, 0], [0, 0]], 0)
    assert _title(empty, "gpt") == "gpt and annotators scored no answer in common"
    assert (
        _title(replace(empty, items=[[2, 0], [0, 1]], n=3), "gpt")
        == "gpt and annotators never differ"
    )
