"""Grade table: the current grades of a sheet as columns, for the reports.

Millions of rows are read without an object per row: SQLite joins each column into one text, of
which numpy makes an array at once. Score, status and blind together are one letter.
"""

import json
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from concord.model import STATUSES
from concord.store.database import Store, marks

_ITEMS_AT_ONCE = 100_000
_SCORES = 11  # whole scores from 0 that have a letter of their own
# Letters count from "A": the scores, then the statuses without a score. Not blind is lower case.
_FIRST, _NOT_BLIND = ord("A"), ord("a") - ord("A")
_OTHER = ord("^") - _FIRST  # a score without a letter, which is read by itself
# By place of the letter.
_SCORE, _STATUS = np.full(_NOT_BLIND, np.nan), np.zeros(_NOT_BLIND, np.uint8)
_SCORE[:_SCORES] = range(_SCORES)
_STATUS[_SCORES : _SCORES + len(STATUSES)] = range(len(STATUSES))


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
        (float, nan unless scored), repeat, blind (False where it is known to be given after seeing
        judges' grades); unit_id where units are read.
    """
    names = list(dict.fromkeys(versions.values()))
    first, last = store.row(
        "select coalesce(min(id), 1), coalesce(max(id), 0) from items where sheet_id = ?",
        (sheet_id,),
    )
    # By slices of the items, which bound the memory the texts take.
    lows = range(first, max(first, last) + 1, _ITEMS_AT_ONCE)
    slices = [(low, min(last, low + _ITEMS_AT_ONCE - 1)) for low in lows]
    parts = [
        _part(store, version, names.index(name), *items, units)
        for version, name in versions.items()
        for items in slices
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


def first_grades(store: Store, sheets: Sequence[int], versions: Sequence[str]) -> dict[int, str]:
    """Return the moment of each annotator's first grade of some sheets, by grader id."""
    rows = store.rows(
        f"""select p.who, g.created_at from (select coalesce(r.merged_into, r.id) as who,
        min(f.id) as first from graders r join grades f on f.grader_id = r.id
        where r.kind = 'person' and f.version in ({marks(versions)}) and f.item_id in
        (select id from items where sheet_id in ({marks(sheets)})) group by who) p
        join grades g on g.id = p.first""",
        (*versions, *sheets),
    )
    return {row[0]: row[1] for row in rows}


def adjudicated(store: Store, sheet_id: int, versions: dict[str, str]) -> pd.DataFrame:
    """Return the newest blind adjudications that annotators or a random sample triggered.

    One that a judge's disagreement triggered is never among them: it would flatter that judge. Nor
    is one that was taken back.

    Returns:
        Columns item_id, criterion, score.
    """
    rows = store.rows(
        f"""select a.item_id, a.version, a.score from adjudications a
        join items i on i.id = a.item_id where i.sheet_id = ? and a.blind = 1
        and a.unit_id is null and a.triggered_by in ('people', 'draw')
        and a.version in ({marks(versions)}) order by a.id""",
        (sheet_id, *versions),
    )
    frame = pd.DataFrame(
        [(row["item_id"], versions[row["version"]], row["score"]) for row in rows],
        columns=["item_id", "criterion", "score"],
    )
    newest = frame.drop_duplicates(["item_id", "criterion"], keep="last")
    return newest[newest["score"].notna()].reset_index(drop=True)


def _part(
    store: Store, version: str, code: int, first: int, last: int, units: bool
) -> dict[str, np.ndarray]:
    """The columns of some items' grades under one version, by name; criterion, status as codes."""
    whole = f"""from grades where version = ? and item_id between ? and ?
        and unit_id is {"not" if units else ""} null and status <> 'withdrawn'"""
    values = (version, first, last)
    numbers = ("id", "item_id", "grader_id", *(("unit_id",) if units else ()))
    # All columns come from one statement: every group_concat visits the rows in the same order,
    # which keeps the columns aligned.
    texts = store.row(
        f"""select {", ".join(f"group_concat({name})" for name in (*numbers, "repeat"))},
        group_concat(case when blind is 0 then {_letter(_NOT_BLIND)} else {_letter()} end, '')
        {whole}""",
        values,
    )
    # Parses in C; splitting would create a Python object for each of millions of numbers.
    columns = [np.fromstring(text or "", np.int64, sep=",") for text in texts[:-1]]
    found = dict(zip((*numbers, "repeat"), columns, strict=True))
    found["repeat"] = found["repeat"].astype(np.int32)
    found["criterion"] = np.full(len(found["id"]), code, np.int16)
    letters = np.frombuffer((texts[-1] or "").encode("ascii"), np.uint8) - np.uint8(_FIRST)
    found["blind"], letters = letters < _NOT_BLIND, letters % _NOT_BLIND
    found["status"], found["score"] = _STATUS[letters], _SCORE[letters]
    if np.any(letters == _OTHER):
        rows = store.rows(f"select id, score {whole} and score not in {(*range(_SCORES),)}", values)
        order = np.argsort(found["id"])
        place = np.searchsorted(found["id"], [row[0] for row in rows], sorter=order)
        found["score"][order[place]] = [row[1] for row in rows]
    return found


def _letter(shift: int = 0) -> str:
    """Return SQL that gives the letter of a score and status, so many letters further on."""
    first = _FIRST + shift
    scores = " ".join(f"when {n} then '{chr(first + n)}'" for n in range(_SCORES))
    statuses = " ".join(
        f"when '{status}' then '{chr(first + n)}'" for n, status in enumerate(STATUSES, _SCORES)
    )
    other = f"case when score is null then case status {statuses} end"
    return f"case score {scores} else {other} else '{chr(first + _OTHER)}' end end"


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


def graded_times(store: Store, sheet_id: int, versions: Collection[str]) -> pd.DataFrame:
    """Return a row per annotator's grade of whole answers under some criterion versions.

    A changed grade has the time of its newest key.

    Returns:
        Columns item_id, version, grader_id (a merged annotator's is its target's), repeat and
        given_at (UTC, as text; None where the grade came in a file, which does not say when it was
        given). No rows where all came in files.
    """
    graded = """ from grades g join items i on i.id = g.item_id join graders r on r.id = g.grader_id
        where i.sheet_id = ? and r.kind = 'person'
        and g.unit_id is null and g.version in (select value from json_each(?))"""
    values = (sheet_id, json.dumps(list(versions)))
    # Where all came in files no time is known, and grouping would take most of a large sheet's.
    timed = store.value(f"select exists (select 1 {graded} and g.press_id is not null)", values)
    # Beside one max() SQLite takes the other columns from the row that has it.
    rows = timed and store.rows(
        f"""select g.item_id, g.version, coalesce(r.merged_into, r.id) as grader_id, g.repeat,
        case when g.press_id is not null then g.created_at end as given_at, max(g.id){graded}
        group by g.item_id, g.version, coalesce(r.merged_into, r.id), g.repeat
        order by max(g.id)""",
        values,
    )
    names = ["item_id", "version", "grader_id", "repeat", "given_at"]
    frame = pd.DataFrame([tuple(row)[:5] for row in rows or ()], columns=names)
    return frame.astype({"item_id": "int64", "grader_id": "int64", "repeat": "int64"})
