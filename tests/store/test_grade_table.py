"""The grade table against the plain way: every row read one by one."""

import pandas as pd
import pytest

from concord.store import additions, grade_table, graders, items
from concord.store.grades import CURRENT, Press, record
from tests.support.made_items import made_item

PLAIN = (
    "select g.id, item_id, version, grader_id, status, score, repeat, blind from grades g"
    " join items i on i.id = g.item_id where i.sheet_id = ? and unit_id is null"
    f" and status <> 'withdrawn' and {CURRENT} order by g.id"
)


def plain(store, sheet, versions):
    rows = pd.DataFrame(map(tuple, store.rows(PLAIN, (sheet.id,))))
    rows.columns = ["id", "item_id", "criterion", "grader_id", "status", "score", "repeat", "blind"]
    rows["criterion"] = rows["criterion"].map(versions)
    return rows.dropna(subset="criterion").reset_index(drop=True)


def compared(store, sheet, versions):
    found = grade_table.table(store, sheet.id, versions)
    expected = plain(store, sheet, versions)
    found = found.astype({"criterion": object, "status": object})[list(expected.columns)]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    return found


@pytest.fixture
def versions(rubric):
    own = rubric[1].versions()
    return {own["correctness"]: "correctness", own["readability"]: "readability"}


@pytest.fixture
def graded(store, sheet, rubric, versions):
    """Scores of every kind, changed and taken back, by two graders."""
    ids = items.item_ids(store, sheet.id)
    own = list(rubric[1].versions().values())
    for name in ("Ana", "Ben"):
        who = graders.ensure(store, "person", name)
        scores = [0, 3, 10, 11, 75, -2, 0.5, 1 / 3, 1e-9, 1234567.25]
        record(store, [Press(ids[n], own[0], who, score=s) for n, s in enumerate(scores)])
        record(store, [Press(ids[n], own[1], who, score=n) for n in range(3)])
        record(store, [Press(ids[0], own[2], who, score=2, blind=b) for b in (None, True, False)])
        record(store, [Press(ids[1], own[2], who, "cannot_grade")])
        record(store, [Press(ids[2], own[2], who, "withdrawn")])
        record(store, [Press(ids[0], own[2], who, score=1, repeat=r) for r in (2, 12)])
    return sheet


@pytest.mark.parametrize("items_at_once", [3, 100_000])
def test_it_holds_what_reading_row_by_row_finds(
    store, graded, versions, monkeypatch, items_at_once
):
    monkeypatch.setattr(grade_table, "_ITEMS_AT_ONCE", items_at_once)
    found = compared(store, graded, versions)
    assert set(found["criterion"]) == {"correctness", "readability"}
    assert found["blind"].isna().sum() == len(found) - 2
    assert (found["score"] == 1 / 3).sum() == 2


def test_it_is_the_same_where_the_sheet_is_a_small_part_of_the_database(store, graded, versions):
    more = [made_item(n) for n in range(200)]
    additions.add(store, "more", more, "more.csv", "1" * 64, {})
    assert len(compared(store, graded, versions)) > 20


def test_a_sheet_without_grades_or_without_answers_gives_an_empty_table(store, sheet, versions):
    empty = additions.add(store, "empty", [], "empty.csv", "1" * 64, {})
    for one in (sheet, empty):
        found = grade_table.table(store, one.id, versions)
        assert len(found) == 0
        assert list(found["criterion"].cat.categories) == ["correctness", "readability"]
