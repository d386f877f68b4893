"""The grade table against the plain way: every row read one by one."""

import pandas as pd
import pytest

from concord.store import additions, grade_table
from concord.store.grades import CURRENT

PLAIN = (
    "select g.id, item_id, version, grader_id, status, score, repeat, blind from grades g"
    " join items i on i.id = g.item_id where i.sheet_id = ? and unit_id is null"
    f" and status <> 'withdrawn' and {CURRENT} order by g.id"
)


def plain(store, sheet, versions):
    rows = pd.DataFrame(map(tuple, store.rows(PLAIN, (sheet.id,))))
    rows.columns = ["id", "item_id", "criterion", "grader_id", "status", "score", "repeat", "blind"]
    rows["criterion"] = rows["criterion"].map(versions)
    rows["blind"] = rows["blind"] != 0
    return rows.dropna(subset="criterion").reset_index(drop=True)


def compared(store, sheet, versions):
    found = grade_table.table(store, sheet.id, versions)
    expected = plain(store, sheet, versions)
    found = found.astype({"criterion": object, "status": object})[list(expected.columns)]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    return found


@pytest.mark.parametrize("items_at_once", [3, 100_000])
def test_it_holds_what_reading_row_by_row_finds(
    store, graded_sheet_of_two, criterion_names, monkeypatch, items_at_once
):
    monkeypatch.setattr(grade_table, "_ITEMS_AT_ONCE", items_at_once)
    found = compared(store, graded_sheet_of_two, criterion_names)
    assert set(found["criterion"]) == {"correctness", "readability"}
    assert (~found["blind"]).sum() == 6
    assert (found["score"] == 1 / 3).sum() == 2


def test_a_sheet_without_grades_or_without_answers_gives_an_empty_table(
    store, sheet, criterion_names
):
    empty = additions.add(store, "empty", [], "empty.csv", "1" * 64, {})
    for one in (sheet, empty):
        found = grade_table.table(store, one.id, criterion_names)
        assert len(found) == 0
        assert list(found["criterion"].cat.categories) == ["correctness", "readability"]
