"""Findings of an import: bad rows, remarks, contradictions, and the confirmation to skip them."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from concord.importing.faults import Checked, kinds
from concord.messages import counted, said
from concord.model import BadRow
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


def report(read: Checked, good: str) -> None:
    """Show what a file holds where all of it is valid, else what is wrong with it; then remarks."""
    bad = read.refused()
    rows = counted(read.rows, "row")
    title = said("{n:,} of {rows} cannot be imported", n=bad, rows=rows) if bad else good
    st.subheader(plain(title), anchor=False)
    if bad:
        bad_rows(read.bad_rows, f"{read.table.source.stem}-bad-rows")
    for remark in read.remarks():
        st.caption(f":material/flag: {plain(remark)}")


def bad_rows(rows: Sequence[BadRow], name: str, title: str = "Problems") -> None:
    """Show each kind of fault once with its rows; every bad row in the download."""
    st.markdown(f"**{say(title)}**")
    shown = [
        {_ROW: kind["rows"], _COLUMN: kind["column"] or "", _PROBLEM: kind["problem"]}
        for kind in kinds(rows)
    ]
    every = [{_ROW: one.row, _COLUMN: one.column, _PROBLEM: one.problem} for one in rows]
    render.table_of(shown, name, pd.DataFrame(every), title=say(title))


def conflicts(found: Sequence[BadRow], name: str) -> None:
    """Show each kind of contradiction with stored data once; every row in the download."""
    bad_rows(found, f"{name}-conflicts", "Contradictions with the stored data")


def without(good: str, left: str, key: str) -> bool:
    """The user's explicit word to import what is valid without the rest."""
    words = said("Import {good} and skip the {left} above", good=good, left=left)
    return st.checkbox(say(words), key=key)


def finished(key: str, sheet: str, sentence: str) -> None:
    """Show the sheet and what was stored."""
    forget(key)
    st.session_state["sheets.said"] = sentence
    remember(sheet=sheet, do=None)
    st.rerun()
