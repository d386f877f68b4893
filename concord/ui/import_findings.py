"""Findings of an import: bad rows, remarks, contradictions, and the confirmation to skip them."""

from collections.abc import Callable, Collection, Iterable, Sequence

import pandas as pd
import streamlit as st

from concord.importing.column_paths import CONSTANT
from concord.importing.faults import Checked, Flag, kinds, left_out_sentence
from concord.importing.readers.table import LINE, BadRow
from concord.messages import counted, said
from concord.reports import lists
from concord.store.additions import Difference
from concord.ui import render
from concord.ui.caching import once
from concord.ui.frame import remember
from concord.ui.language import plain, say

_ROW, _COLUMN, _PROBLEM = "row", "column", "problem"
NO_GOOD_ROW = (
    "There is no valid row to import. Change the mapping, or correct the file and choose it again."
)


def read_once(key: str, wanted: tuple, read: Callable):
    """Return `read()`, computed once per `wanted` and session."""
    return once(f"{key}.read", wanted, read, said("Reading the file…"))


def last(key: str) -> tuple:
    """The `wanted` of what `read_once` gave last."""
    return st.session_state[f"{key}.read"][0]


def forget(key: str) -> None:
    """Delete what an import kept in this session."""
    for name in [name for name in st.session_state if str(name).startswith(f"{key}.")]:
        del st.session_state[name]


def report(read: Checked, good: str, remarks: Iterable[str]) -> None:
    """Show what a file holds where all of it is valid, else what is wrong with it; then remarks."""
    bad = read.refused()
    rows = counted(read.rows, "row")
    title = said("{n:,} of {rows} cannot be imported", n=bad, rows=rows) if bad else good
    st.subheader(plain(title), anchor=False)
    if bad:
        bad_rows(read.bad_rows, f"{read.table.source.stem}-bad-rows")
    for remark in remarks:
        st.caption(f":material/flag: {plain(remark)}")


def flagged(flag: Flag) -> str:
    """Return what is legal and worth knowing, with the first rows that it is about."""
    rows = ", ".join(map(str, dict.fromkeys(flag.rows)))
    more = "…" if flag.count > len(flag.rows) else ""
    return f"{flag.sentence} (row {rows}{more})" if rows else flag.sentence


def bad_rows(rows: Sequence[BadRow], name: str, title: str = "Problems") -> None:
    """Show each kind of fault once with its count and examples; every bad row in the download."""
    st.markdown(f"**{say(title)}**")
    shown = [
        {
            said("rows"): kind["count"],
            _COLUMN: _shown(kind["column"]),
            _PROBLEM: kind["problem"],
            said("examples"): "; ".join(
                f"row {one['row']}" + f": {one['value']}" * bool(one["value"])
                for one in kind["examples"]
            ),
        }
        for kind in kinds(rows)
    ]
    every = pd.DataFrame(table_rows(rows))
    render.table_of(shown, name, every, title=say(title), in_full=True)


def _shown(column: str | None) -> str:
    """A column, or the value of every row in its place."""
    name = column or ""
    value = name.removeprefix(CONSTANT)
    return said("every row: {value}", value=value) if name.startswith(CONSTANT) else name


def table_rows(rows: Sequence[BadRow]) -> list[dict[str, str | int]]:
    """Bad rows as rows of a table, with their lines where a line of the file is not its row."""
    apart = any(bad.line is not None for bad in rows)
    return [
        {_ROW: bad.row}
        | ({LINE: bad.line or bad.row} if apart else {})
        | {_COLUMN: _shown(bad.column), _PROBLEM: bad.problem, said("value"): bad.value}
        for bad in rows
    ]


def conflicts(found: Sequence[Difference], name: str) -> None:
    """Show each kind of contradiction with stored data once; every row in the download."""
    rows = [BadRow(c.row, None, c.column, c.problem) for c in found]
    bad_rows(rows, f"{name}-conflicts", said("Contradictions with the stored data"))


def without(
    good: str, left: str, key: str, read: Checked, conflicting: Collection[int] = ()
) -> bool:
    """The user's explicit word to import what is valid without the rest.

    Before it what that leaves out, by answering model, by score and by grader.
    """
    left_out = read.left_out(conflicting)
    if left_out_sentence(left_out):
        render.show(lists.left_out(left_out), "left-out", folded=True)
    words = said("Import {good} and skip the {left} above", good=good, left=left)
    return st.checkbox(say(words), key=key)


def finished(key: str, sheet: str, sentence: str, people: bool, judges: bool) -> None:
    """Show the sheet, what was stored, and a link to the page that comes next."""
    forget(key)
    page, label = "annotate", said("Next: let annotators grade a sample of these answers")
    if people:
        page, label = "judges", said("Next: let judges grade these answers")
    if people and judges:
        page, label = "agreement", said("Next: see how the judges agree with the annotators")
    st.session_state["sheets.said"] = sentence
    st.session_state["sheets.next"] = f"pages/{page}.py", label
    remember(sheet=sheet, do=None)
    st.rerun()
