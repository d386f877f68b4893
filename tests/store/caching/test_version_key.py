"""The state of a sheet's reports changes with whatever they are read from."""

import shutil
import sqlite3

import pytest

from concord.grading import grading_sets
from concord.reports.panel.panel_reading import read
from concord.store import additions, annotator_states, graders, sheets
from concord.store.caching.version_key import extent, state
from concord.store.database import Store, open_store
from concord.store.rubrics import rubric_freezes, rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give


@pytest.mark.parametrize("name", ["sample", "unequal", "units"])
def test_every_row_of_every_table_a_panel_is_read_from_is_in_the_state(golden, tmp_path, name):
    with open_store(shutil.copy(golden(name), tmp_path / "concord.db")) as store:
        sheet = sheets.all_sheets(store)[0]
        tables = _read_from(store, sheet)
        assert {"grades", "items", "question_roles", "graders", "grading_sets"} <= tables
        before = state(store, sheet), extent(store, sheet)
        store.connection.execute("pragma foreign_keys = off")
        tried = [(t, row) for t in sorted(tables) for row in _rows(store, t, sheet.id)]
        unseen = [(t, row) for t, row in tried if _without(store, sheet, t, row) == before]
        assert unseen == []
        assert (state(store, sheet), extent(store, sheet)) == before


def _read_from(store: Store, sheet) -> set[str]:
    """The tables that the panels of a sheet are read from, under every rubric it is graded by."""
    tables = set()

    def noted(action, table, column, database, within):
        if action == sqlite3.SQLITE_READ and column:
            tables.add(table)
        return sqlite3.SQLITE_OK

    graded = rubric_versions.graded(store, sheet.id)
    named = [*graded, *rubric_versions.units_graded(store, sheet.id)]
    rubrics = [rubric_versions.named(store, name)[1] for name in named]
    store.connection.set_authorizer(noted)
    for rubric in rubrics:
        read(store, sheet, rubric)
    store.connection.set_authorizer(None)
    return {t for t in tables if not t.startswith(("sqlite_", "json_"))}


def _rows(store: Store, table: str, sheet_id: int) -> list[dict]:
    """The primary keys of the first, the middle and the last row of a table."""
    columns = store.rows(f"select name from pragma_table_info('{table}') where pk > 0 order by pk")
    names = ", ".join(row[0] for row in columns)
    mine = f" where sheet_id = {sheet_id}" if table in ("items", "grading_sets") else ""
    rows = [dict(row) for row in store.rows(f"select {names} from {table}{mine} order by {names}")]
    return [rows[place] for place in {0, len(rows) // 2, len(rows) - 1}] if rows else []


def _without(store: Store, sheet, table: str, row: dict) -> tuple[str, str]:
    """The state without one row; deleting and adding it are the same two states."""
    store.connection.execute("begin")
    chosen = " and ".join(f"{name} = :{name}" for name in row)
    assert store.execute(f"delete from {table} where {chosen}", row) == 1
    found = state(store, sheet), extent(store, sheet)
    store.connection.execute("rollback")
    return found


def _withdraw_older_set(store, sheet, rubric):
    """Withdraw a set that is not the newest, which the test made before."""
    grading_sets.remove(store, grading_sets.of_sheet(store, sheet.id)[0].id)


def _freeze(store, sheet, rubric):
    rubric_freezes.freeze(store, grading_sets.of_sheet(store, sheet.id)[0], "Lea")


def _delete_other_sheet(store, sheet, rubric):
    sheets.delete(store, sheets.find(store, "other"))


def _exclude(store, sheet, rubric):
    ana = graders.named(store, "person", "Ana").id
    annotator_states.decide(store, sheet.id, ana, "excluded", "Lea", "at random")


def _merge(store, sheet, rubric):
    ids = [graders.named(store, "person", name).id for name in ("Typed", "Ana")]
    graders.merge(store, *ids)


CHANGES = [_withdraw_older_set, _freeze, _delete_other_sheet, _exclude, _merge]


@pytest.mark.parametrize("change", CHANGES)
def test_the_state_changes_where_rows_are_changed_or_deleted(store, later_sheet, rubric, change):
    before = state(store, later_sheet)
    change(store, later_sheet, rubric[1])
    assert state(store, later_sheet) != before


def test_deleting_a_sheet_opens_the_questions_it_held_out_elsewhere(store, later_sheet, doc_qa):
    closed = [(read(store, later_sheet, doc_qa).items["closed"] != "").sum()]
    _delete_other_sheet(store, later_sheet, doc_qa)
    closed += [(read(store, later_sheet, doc_qa).items["closed"] != "").sum()]
    assert closed == [4, 2]


def test_answers_under_the_ids_of_deleted_ones_are_seen(store, sheet):
    """As when a file was taken for another sheet at first."""
    more = [made_item(n, question=f"A new question {n}?") for n in range(900, 905)]
    before = state(store, sheet)
    other = additions.add(store, "other", more, "more.csv", "0" * 64, {})
    sheets.delete(store, other)
    assert state(store, sheet) == before
    additions.add(store, sheet.name, more, "more.csv", "0" * 64, {})
    assert state(store, sheet) != before


def test_histories_that_parted_are_told_apart(store, sheet, doc_qa):
    """A backup put back goes another way; the newest rows may look alike."""
    give(store, doc_qa, "Ana", {0: 2, 1: 2})
    store.execute("update grades set created_at = '2026-01-01'")
    before = state(store, sheet), extent(store, sheet)
    store.execute("delete from grades where id = (select min(id) from grades)")
    assert state(store, sheet) == before[0]
    assert (state(store, sheet), extent(store, sheet)) != before
