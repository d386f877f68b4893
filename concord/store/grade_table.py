"""Grade table: the current grades of a sheet as columns, for the reports.

Millions of rows are read without an object per row: SQLite joins each column into one text, of
which numpy makes an array at once. Small whole numbers are one letter each.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from concord.model import STATUSES
from concord.store.database import Store, marks

_ITEMS_AT_ONCE = 100_000
_LETTERS = "ABCDEFGHIJK"  # stand for the numbers from 0, and for the statuses in their order
_NONE, _OTHER = "@", "~"  # no number, and one that is read by itself
_SMALL = ("score", "repeat", "blind")


def table(
    store: Store,
    sheet_id: int,
    versions: dict[str, str],
    ordered: bool = True,
    units: bool = False,
) -> pd.DataFrame:
    """The current grades of whole answers of a sheet, or of units of them, one row each.

    `versions` are all criterion versions that count, with the criterion's name. Without `ordered`
    the order is any, and reading takes a quarter less.

    Returns:
        Columns id, item_id, criterion (categorical), grader_id, status (categorical), score
        (float, nan unless scored), repeat, blind (1, 0 or nan); unit_id where units are read.
    """
    names = list(dict.fromkeys(versions.values()))
    parts = [
        _part(store, version, names.index(name), *items, units)
        for version, name in versions.items()
        for items in _slices(store, sheet_id)
    ]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    counting = _counting(store, sheet_id, columns)
    if not counting.all():
        columns = {name: column[counting] for name, column in columns.items()}
    if ordered:
        order = np.argsort(columns["id"])
        columns = {name: column[order] for name, column in columns.items()}
    columns["grader_id"] = counting_as(store)[columns["grader_id"]]
    columns["criterion"] = pd.Categorical.from_codes(columns["criterion"], names)
    columns["status"] = pd.Categorical.from_codes(columns["status"], list(STATUSES))
    return pd.DataFrame(columns, copy=False)


def adjudicated(store: Store, sheet_id: int, versions: dict[str, str]) -> pd.DataFrame:
    """Return the newest blind adjudications that annotators or a random sample triggered.

    One that a judge's disagreement triggered is never among them: it would flatter that judge. Nor
    is one that was taken back.

    Returns:
        Columns item_id, criterion, score.
    """
    rows = store.rows(
        "select a.item_id, a.version, a.score from adjudications a"
        " join items i on i.id = a.item_id where i.sheet_id = ? and a.blind = 1"
        " and a.unit_id is null and a.triggered_by in ('people', 'draw')"
        f" and a.version in ({marks(versions)}) order by a.id",
        (sheet_id, *versions),
    )
    frame = pd.DataFrame(
        [(row["item_id"], versions[row["version"]], row["score"]) for row in rows],
        columns=["item_id", "criterion", "score"],
    )
    newest = frame.drop_duplicates(["item_id", "criterion"], keep="last")
    return newest[newest["score"].notna()].reset_index(drop=True)


def _slices(store: Store, sheet_id: int) -> list[tuple[int, int]]:
    """First and last item id of slices of a sheet, which bound the memory the texts take."""
    first, last = store.row(
        "select coalesce(min(id), 1), coalesce(max(id), 0) from items where sheet_id = ?",
        (sheet_id,),
    )
    every = range(first, max(first, last) + 1, _ITEMS_AT_ONCE)
    return [(low, min(last, low + _ITEMS_AT_ONCE - 1)) for low in every]


def _part(
    store: Store, version: str, code: int, first: int, last: int, units: bool
) -> dict[str, np.ndarray]:
    """The columns of some items' grades under one version, by name; criterion, status as codes."""
    status = " ".join(f"when '{s}' then '{c}'" for s, c in zip(STATUSES, _LETTERS, strict=False))
    whole = (
        "from grades where version = ? and item_id between ? and ?"
        f" and unit_id is {'not' if units else ''} null and status <> 'withdrawn'"
    )
    values = (version, first, last)
    numbers = ("id", "item_id", "grader_id", *(("unit_id",) if units else ()))
    # All columns come from one statement: every group_concat visits the rows in the same order,
    # which keeps the columns aligned.
    row = store.row(
        f"select {', '.join(f'group_concat({name})' for name in numbers)},"
        f" group_concat(case status {status} end, ''), {', '.join(map(_joined, _SMALL))} {whole}",
        values,
    )
    found = {name: _numbers(text) for name, text in zip(numbers, row, strict=False)}
    found["criterion"] = np.full(len(found["id"]), code, np.int16)
    found["status"] = _letters(row[len(numbers)]) - np.uint8(ord(_LETTERS[0]))
    for name, text in zip(_SMALL, row[len(numbers) + 1 :], strict=True):
        found[name] = _small(store, name, text, found["id"], whole, values)
    found["repeat"] = found["repeat"].astype(np.int32)
    found["score"] = found["score"].astype(float)
    return found


def _joined(column: str) -> str:
    """Return SQL that packs a column of small whole numbers into one text, a letter each."""
    letters = " ".join(f"when {number} then '{c}'" for number, c in enumerate(_LETTERS))
    other = f"case when {column} is null then '{_NONE}' else '{_OTHER}' end"
    return f"group_concat(case {column} {letters} else {other} end, '')"


def _small(
    store: Store, column: str, text: str | None, ids: np.ndarray, whole: str, values: tuple
) -> np.ndarray:
    """A column of numbers from its letters; those that have none are read one by one."""
    letters = _letters(text)
    numbers = letters.astype(np.int8) - np.int8(ord(_LETTERS[0]))
    others = np.any(letters == ord(_OTHER))
    if others or np.any(letters == ord(_NONE)):
        numbers = np.where(letters == ord(_NONE), np.nan, numbers)
    if others:
        small = ", ".join(map(str, range(len(_LETTERS))))
        rows = store.rows(f"select id, {column} {whole} and {column} not in ({small})", values)
        order = np.argsort(ids)
        place = order[np.searchsorted(ids, [row[0] for row in rows], sorter=order)]
        numbers[place] = [row[1] for row in rows]
    return numbers


def _numbers(text: str | None) -> np.ndarray:
    # Parses in C; splitting would create a Python object for each of millions of numbers.
    return np.fromstring(text or "", np.int64, sep=",")


def _letters(text: str | None) -> np.ndarray:
    return np.frombuffer((text or "").encode("ascii"), np.uint8)


# False for sheets that grew in turns, whose ids are not a range of their own.
_IN_A_ROW = "select coalesce(max(id) - min(id) + 1, 0) = count(*) from items where sheet_id = ?"


def _counting(store: Store, sheet_id: int, columns: dict[str, np.ndarray]) -> np.ndarray:
    """Return which rows (a boolean each) are at the end of their chain and of this sheet."""
    ids, items = columns["id"], columns["item_id"]
    counting = np.ones(len(ids), bool)
    superseded = _column(store, "select supersedes from grades where supersedes is not null")
    if len(superseded):
        counting &= ~np.isin(ids, superseded)
    if not store.has(_IN_A_ROW, (sheet_id,)):
        own = _column(store, "select id from items where sheet_id = ?", (sheet_id,))
        counting &= np.isin(items, own)
    return counting


def counting_as(store: Store) -> np.ndarray:
    """The id that each grader's grades count under, by the grader's own id."""
    rows = store.rows("select id, coalesce(merged_into, id) from graders")
    merged = np.zeros(max((row[0] for row in rows), default=0) + 1, np.int64)
    for grader_id, counts_as in rows:
        merged[grader_id] = counts_as
    return merged


def _column(store: Store, sql: str, values: Sequence = ()) -> np.ndarray:
    return np.array(store.column(sql, values), np.int64)
