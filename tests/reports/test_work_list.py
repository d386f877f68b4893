"""The engine of the work lists: order, place, the next open item, the cut, and the filters."""

import pytest

from concord.messages import Problem
from concord.reports.disagreements.adjudicate import LIST as ADJUDICATION
from concord.reports.disagreements.disagreement_list import LIST as DISAGREEMENTS
from concord.reports.disagreements.disagreement_list import Scope, wanted
from concord.reports.document import Column
from concord.reports.units.contradicted_claims_list import LIST as CONTRADICTED
from concord.reports.units.evidence_list import LIST as CLAIMS
from concord.reports.work_list import WorkList
from concord.reports.workflow.judge_table import LIST as JUDGES
from tests.support.panels import give, judge, panel

OPEN = {"b", "d"}
LETTERS = WorkList(
    "letters",
    "at",
    key=str.upper,
    is_open=OPEN.__contains__,
    columns=((Column("letter"), str),),
    order=lambda letter: letter not in OPEN,
)


def test_open_items_come_first_unless_the_given_order_is_kept():
    assert LETTERS.of("abcd").items == ("b", "d", "a", "c")
    kept = LETTERS.of("abcd", ordered=False)
    assert (kept.items, kept.keys, kept.left) == (("a", "b", "c", "d"), ("A", "B", "C", "D"), 2)


def test_a_screen_begins_with_the_item_of_the_url_else_the_first_open_one_else_the_first():
    kept = LETTERS.of("abcd", ordered=False)
    assert [kept.place(key) for key in ("C", None, "gone")] == [2, 1, 1]
    assert LETTERS.of("ca", ordered=False).place(None) == 0


def test_after_the_last_open_item_the_next_one_is_the_first_and_never_the_same():
    kept = LETTERS.of("abcd", ordered=False)
    assert [kept.next_open(place) for place in range(4)] == [1, 3, 3, 1]
    assert LETTERS.of("ab", ordered=False).next_open(1) is None


@pytest.mark.parametrize(("total", "more"), [(None, ""), (2, ""), (1002, "1,000 more, not shown")])
def test_a_table_says_how_many_items_the_limit_hides(total, more):
    shown = LETTERS.document(["a", "b"], "Letters", total, ("a note",))
    assert shown.tables[0].rows == (("a",), ("b",))
    assert shown.notes[0].startswith(more) and shown.notes[1] == "a note"
    assert bool(shown.notes[0]) == bool(more)


def test_an_option_and_a_choice_on_the_screen_mean_the_same(store, sheet, rubric):
    doc_qa = rubric[1]
    give(store, doc_qa, "Ana", {0: 0, 1: 3})
    judge(store, doc_qa, "gpt", {0: 3, 1: 2})
    here = panel(store, doc_qa)
    scope = Scope(here, lambda judge, criterion: [(0, 3, 1)])
    for one in DISAGREEMENTS.filters:
        for choice in one.choices(scope, {"judge": None, "criterion": None}):
            option = choice.value if one.name == "size" else choice.text
            assert getattr(wanted(store, here, {one.name: option}), one.name) == choice.value
    with pytest.raises(Problem, match="names no error cell"):
        wanted(store, here, {"cell": "0:0"})


@pytest.mark.parametrize("declared", [ADJUDICATION, CLAIMS, CONTRADICTED, DISAGREEMENTS, JUDGES])
def test_a_list_names_its_columns_and_filters_once(declared):
    for names in (
        [column.title for column, _ in declared.columns],
        [one.name for one in declared.filters],
    ):
        assert len(names) == len({*names})
