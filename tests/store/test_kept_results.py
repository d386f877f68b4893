"""Results kept for other processes come back as they were, or not at all."""

import json
import os
import shutil
import sqlite3
from dataclasses import dataclass, field
from fractions import Fraction
from io import BytesIO
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from concord.grading import grading_sets, regrades
from concord.messages import Coded, joined, said
from concord.reports.panel.panel import read
from concord.stats.core.estimate import reason
from concord.store import additions, graders, kept_results, permissions, sheets
from concord.store.database import Store, open_store
from concord.store.kept_results import extent, keep, packed, recall, state_key, unpacked
from concord.store.permissions import GRADER, LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.alike import differ
from tests.support.made_items import made_item
from tests.support.panels import give
from tests.support.rubrics import reworded


class Point(NamedTuple):
    x: float
    y: object = None


@dataclass(frozen=True)
class Line:
    points: tuple[Point, ...]
    seen: list = field(default_factory=list, compare=False)


SHAPES = (Point, Line)
KEY = ("state", 1)
WORDS = np.array(["a", Coded("b", "c"), "a", Coded("b", "c"), said("{n} c", n=2)], dtype=object)
VALUES = {
    "plain": [None, True, False, 0, -7, 2**70, 0.1, float("inf"), "", "é\ud800"],
    "containers": {"a": (1, [2, ()]), 3: {}, (4, "b"): {None: [{}]}},
    "messages": [
        said("{n} answers", n=3),
        joined("; ", [said("one"), said("{what}", what=said("two"))]),
        Coded("too few", "too_few"),
        reason("too_few_questions", floor=10, then=reason("no_interval")),
    ],
    "shapes": Line((Point(1.5), Point(2.0, said("x")), Point(0.0, Point(1.0)))),
    "fraction": Fraction(2, 3),
    "numbers": [
        np.array([0.0, 3.0, np.nan, 0.5]),
        np.array([1 / 3, 1e300, -np.inf]),
        np.array([65519.0, 65520.0, 70000.0]),
        np.array([], dtype=float),
        np.array([], dtype=np.int64),
        np.array([-128, 127]),
        np.array([-(2**31) - 1, 2**31]),
        np.array([2**62, -(2**63)]),
        np.array([True, False]),
        np.arange(6).reshape(2, 3),
        np.array([3, 250], np.uint8),
    ],
    "objects": WORDS,
    "frame": pd.DataFrame(
        {
            "id": [5, 6, 7],
            "score": [1.0, np.nan, 2.5],
            "model": pd.Series(["a", "b", "a"], dtype=object),
            "word": pd.array(["x", "y", None], dtype="str"),
            "status": pd.Categorical.from_codes([1, 0, -1], ["scored", "failed"]),
        }
    ).iloc[[2, 0]],
    "no rows": pd.DataFrame({"id": np.zeros(0, np.int64), "word": pd.array([], dtype="str")}),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_comes_back_as_it_was(name):
    assert differ(VALUES[name], unpacked(packed(VALUES[name], SHAPES), SHAPES)) == []


numbers = st.lists(st.floats() | st.integers(-3, 3).map(float)).map(np.array)
whole = st.lists(st.integers(-(2**63), 2**63 - 1)).map(lambda some: np.array(some, np.int64))


@pytest.mark.parametrize("value", [{1}, object(), [Point], np.array([{1}], dtype=object)])
def test_what_is_no_data_is_not_kept(store, value):
    with pytest.raises(kept_results.NotKept):
        packed(value, SHAPES)
    keep(store, KEY, value, SHAPES)
    assert recall(store, KEY, SHAPES) is None


def test_a_result_is_found_under_its_key_alone_and_by_another_connection(store):
    assert recall(store, KEY, SHAPES) is None
    keep(store, KEY, Point(1.0), SHAPES)
    with open_store(store.path) as other:
        assert recall(other, KEY, SHAPES) == Point(1.0)
        assert recall(other, ("state", 2), SHAPES) is None
    keep(store, KEY, Point(2.0), SHAPES)
    assert recall(store, KEY, SHAPES) == Point(2.0)
    kept_results.discard(store, KEY)
    assert recall(store, KEY, SHAPES) is None


def test_other_code_finds_nothing(store, monkeypatch):
    keep(store, KEY, 1, ())
    monkeypatch.setattr(kept_results, "_code", lambda: "other")
    assert recall(store, KEY, ()) is None


@pytest.mark.parametrize("place", [0, 40, 200, -1])
def test_a_damaged_file_is_none(store, place):
    keep(store, KEY, VALUES["numbers"], ())
    (file,) = store.results.iterdir()
    held = bytearray(file.read_bytes())
    held[place] ^= 1
    file.write_bytes(held)
    assert recall(store, KEY, ()) is None


def _npz(**arrays):
    whole = BytesIO()
    np.savez_compressed(whole, **arrays)
    return whole.getvalue()


def _text(plain):
    return _npz(text=np.frombuffer(json.dumps(plain).encode(), np.uint8))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        b"\x93NUMPY\x01\x00" + b"\xff" * 40,
        _npz(other=np.zeros(3)),
        _npz(text=np.array([{"a": 1}], dtype=object)),
        _npz(text=np.full(3_000_000, ord(" "), np.uint8)),
        *map(
            _text,
            (
                [],
                ["none such"],
                ["made"],
                ["made", "None such"],
                ["array", "9", "<f8"],
                ["array", "text", "nonsense"],
                ["dict", 5],
                ["dict", [["list"], 1]],
                ["Fraction", 1, 0],
                ["frame", 1],
                ["categories", 1, 2, 3],
                [["list"], 1],
                [7],
                json.loads("[" * 900 + "]" * 900),
            ),
        ),
    ],
    ids=lambda content: str(content[:12]),
)
def test_a_forged_file_is_none_also_with_the_right_seal(store, content, monkeypatch):
    monkeypatch.setattr(kept_results, "MOST_BYTES", 2_000_000)
    keep(store, KEY, 1, ())
    (file,) = store.results.iterdir()
    file.write_bytes(kept_results._seal(file.name, content) + content)
    assert recall(store, KEY, ()) is None
    keep(store, KEY, 2, ())
    assert recall(store, KEY, ()) == 2


def test_a_file_of_another_key_is_none(store):
    keep(store, KEY, 1, ())
    (file,) = store.results.iterdir()
    keep(store, ("state", 2), 2, ())
    (other,) = {*store.results.iterdir()} - {file}
    other.replace(file)
    assert recall(store, KEY, ()) is None


def test_the_folder_is_the_owners_alone(store):
    keep(store, KEY, 1, ())
    assert store.results.stat().st_mode & 0o777 == 0o700


def test_the_least_recently_used_go_first(store, monkeypatch):
    monkeypatch.setattr(kept_results, "MOST_FILES", 3)
    for number in range(3):
        keep(store, (number,), number, ())
        _aged(store, number)
    assert recall(store, (0,), ()) == 0
    keep(store, (3,), 3, ())
    assert [recall(store, (number,), ()) for number in range(4)] == [0, None, 2, 3]


def _aged(store, number: int) -> None:
    """Date all files so far to the past, the newest by its number; clocks may be coarse."""
    for file in store.results.iterdir():
        if file.stat().st_mtime > 1000:
            os.utime(file, (number, number))


def test_an_annotator_and_an_adjudicator_neither_read_nor_keep_results(store, whole_set, ana):
    keep(store, KEY, 1, ())
    with open_store(store.path, Who("Ana", GRADER, ana)) as hers:
        assert recall(hers, KEY, ()) is None
        keep(hers, ("hers",), 2, ())
    with open_store(store.path) as blind:
        permissions.blind(blind)
        assert recall(blind, KEY, ()) is None
        keep(blind, ("hers",), 2, ())
        kept_results.discard(blind, KEY)
    assert recall(store, KEY, ()) == 1 and recall(store, ("hers",), ()) is None


@pytest.mark.parametrize("role", [LEAD, VIEWER])
def test_a_lead_and_a_viewer_read_results(store, role):
    keep(store, KEY, 1, ())
    with open_store(store.path, Who("Lea", role)) as theirs:
        assert recall(theirs, KEY, ()) == 1


def _delete_sheet(store, sheet, ana):
    sheets.delete(store, sheet)


def _delete_annotator(store, sheet, ana):
    graders.delete(store, ana)


def _rename(store, sheet, ana):
    graders.rename(store, ana, "A17")


@pytest.mark.parametrize("gone", [_delete_sheet, _delete_annotator, _rename])
def test_results_are_deleted_with_what_they_may_hold(store, sheet, ana, gone):
    keep(store, KEY, "Ana", ())
    gone(store, sheet, ana)
    assert not store.results.exists()


@pytest.mark.parametrize("name", ["sample", "unequal", "units"])
def test_every_row_of_every_table_a_panel_is_read_from_is_in_the_state(golden, tmp_path, name):
    with open_store(shutil.copy(golden(name), tmp_path / "concord.db")) as store:
        sheet = sheets.all_sheets(store)[0]
        tables = _read_from(store, sheet)
        assert {"grades", "items", "question_roles", "graders", "grading_sets"} <= tables
        before = state_key(store, sheet), extent(store, sheet)
        store.connection.execute("pragma foreign_keys = off")
        tried = [(t, row) for t in sorted(tables) for row in _rows(store, t, sheet.id)]
        unseen = [(t, row) for t, row in tried if _without(store, sheet, t, row) == before]
        assert unseen == []
        assert (state_key(store, sheet), extent(store, sheet)) == before


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
    found = state_key(store, sheet), extent(store, sheet)
    store.connection.execute("rollback")
    return found


def _withdraw_older_set(store, sheet, rubric):
    """Withdraw a set that is not the newest, which the test made before."""
    grading_sets.remove(store, grading_sets.of_sheet(store, sheet.id)[0].id)


def _ask_again(store, sheet, rubric):
    made = grading_sets.of_sheet(store, sheet.id)[0]
    regrades.ask_again(store, made, "Lea", reworded(rubric, rubric.name))


def _delete_other_sheet(store, sheet, rubric):
    sheets.delete(store, sheets.find(store, "other"))


def _exclude(store, sheet, rubric):
    ana = graders.named(store, "person", "Ana").id
    graders.decide_annotator(store, sheet.id, ana, "excluded", "Lea", "at random")


def _merge(store, sheet, rubric):
    ids = [graders.named(store, "person", name).id for name in ("Typed", "Ana")]
    graders.merge(store, *ids)


CHANGES = [_withdraw_older_set, _ask_again, _delete_other_sheet, _exclude, _merge]


@pytest.mark.parametrize("change", CHANGES)
def test_the_state_changes_where_rows_are_changed_or_deleted(store, later_sheet, rubric, change):
    before = state_key(store, later_sheet)
    change(store, later_sheet, rubric[1])
    assert state_key(store, later_sheet) != before


def test_deleting_a_sheet_opens_the_questions_it_held_out_elsewhere(store, later_sheet, doc_qa):
    closed = [(read(store, later_sheet, doc_qa).items["closed"] != "").sum()]
    _delete_other_sheet(store, later_sheet, doc_qa)
    closed += [(read(store, later_sheet, doc_qa).items["closed"] != "").sum()]
    assert closed == [4, 2]


def test_answers_under_the_ids_of_deleted_ones_are_seen(store, sheet):
    """As when a file was taken for another sheet at first."""
    more = [made_item(n, question=f"A new question {n}?") for n in range(900, 905)]
    before = state_key(store, sheet)
    other = additions.add(store, "other", more, "more.csv", "0" * 64, {})
    sheets.delete(store, other)
    assert state_key(store, sheet) == before
    additions.add(store, sheet.name, more, "more.csv", "0" * 64, {})
    assert state_key(store, sheet) != before


def test_histories_that_parted_are_told_apart(store, sheet, doc_qa):
    """A backup put back goes another way; the newest rows may look alike."""
    give(store, doc_qa, "Ana", {0: 2, 1: 2})
    store.execute("update grades set created_at = '2026-01-01'")
    before = state_key(store, sheet), extent(store, sheet)
    store.execute("delete from grades where id = (select min(id) from grades)")
    assert state_key(store, sheet) == before[0]
    assert (state_key(store, sheet), extent(store, sheet)) != before
