"""Findings of an import: bad rows, warnings, conflicts, and the confirmation to skip them."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

import pandas as pd
import streamlit as st

from concord.importing.column_paths import CONSTANT
from concord.importing.faults import Checked, Flag, kinds, left_out_sentence
from concord.importing.readers.table import LINE, BadRow
from concord.messages import Said, counted, joined, said
from concord.reports import lists
from concord.store.additions import Difference
from concord.ui import render
from concord.ui.caching import once
from concord.ui.language import plain, say

_ROW, _COLUMN, _PROBLEM = said("row"), said("column"), said("problem")
NO_GOOD_ROW = said(
    "There is no valid row to import. Change the mapping, or correct the file and choose it again."
)
COMPARING = said("Comparing with the stored data…")


def read_once(key: str, wanted: tuple, read: Callable, doing: str):
    """Return `read()`, computed once per `wanted` and session; `doing` is the spinner text."""
    return once(f"{key}.read", wanted, read, doing)


def last(key: str) -> tuple:
    """The `wanted` of what `read_once` gave last."""
    return st.session_state[f"{key}.read"][0]


def forget(key: str) -> None:
    """Delete what an import kept in this session."""
    for name in [name for name in st.session_state if str(name).startswith(f"{key}.")]:
        del st.session_state[name]


def refused(bad: int, rows: int) -> str:
    """Return a sentence on the number of bad rows in a file."""
    return said("{n:,} of {rows} cannot be imported", n=bad, rows=counted(rows, "row"))


def flagged(flag: Flag) -> str:
    """Return what is legal and worth knowing, with the first rows that it is about."""
    sentence, numbers = plain(flag.sentence), list(dict.fromkeys(flag.rows))
    if not numbers:
        return f":material/flag: {sentence}"
    if len(numbers) == flag.count == 1:
        return say(":material/flag: {sentence} (row {row})", sentence=sentence, row=numbers[0])
    rows = joined(", ", map(str, numbers))
    if flag.count > len(flag.rows):
        rows = joined("", [rows, "…"])
    return say(":material/flag: {sentence} (rows {rows})", sentence=sentence, rows=rows)


def bad_rows(rows: list[BadRow], name: str) -> None:
    """Show each kind of fault once with its count and examples; every bad row in the download."""
    _faults(say("Problems"), rows, table_rows(rows), f"{name}-bad-rows")


def shown_column(column: str, words: Mapping[str, str] = MappingProxyType({})) -> str:
    """A column, or the value of every row in its place, in words; `words` name known values."""
    if not column.startswith(CONSTANT):
        return column
    value = column.removeprefix(CONSTANT)
    return said("every row: {value}", value=words.get(value, value))


def table_rows(rows: list[BadRow]) -> list[dict[str, str | int]]:
    """Bad rows as rows of a table, with their lines where a line of the file is not its row."""
    apart = any(bad.line is not None for bad in rows)
    return [
        {_ROW: bad.row}
        | ({LINE: bad.line or bad.row} if apart else {})
        | {_COLUMN: shown_column(bad.column or ""), _PROBLEM: bad.problem, said("value"): bad.value}
        for bad in rows
    ]


def conflicts(found: list[Difference], name: str) -> None:
    """Show each kind of contradiction with stored data once; every row in the download."""
    rows = [{_ROW: c.row, _COLUMN: c.column, _PROBLEM: c.problem} for c in found]
    alike = [BadRow(c.row, None, c.column, c.problem) for c in found]
    _faults(say("Contradictions with the stored data"), alike, rows, f"{name}-conflicts")


def without(
    good: Said, left: Said, key: str, read: Checked, conflicting: Collection[int] = ()
) -> bool:
    """The user's explicit word to import what is valid without the rest.

    Before it what that leaves out, by answering model, by score and by grader.
    """
    left_out = read.left_out(conflicting)
    if left_out_sentence(left_out):
        render.show(lists.left_out(left_out), "left-out", folded=True)
    words = said("Import {good} and skip the {left} above", good=good, left=left)
    return st.checkbox(say(words), key=key)


def _faults(title: str, rows: list[BadRow], every: list[dict], name: str) -> None:
    st.markdown(f"**{title}**")
    shown = [
        {
            said("rows"): kind["count"],
            _COLUMN: shown_column(kind["column"] or ""),
            _PROBLEM: kind["problem"],
            said("examples"): "; ".join(
                f"row {one['row']}" + f": {one['value']}" * bool(one["value"])
                for one in kind["examples"]
            ),
        }
        for kind in kinds(rows)
    ]
    render.table_of(shown, name, pd.DataFrame(every), title=title, in_full=True)
