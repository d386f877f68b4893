"""Findings of an import: bad rows, warnings, conflicts, and the confirmation to skip them."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from concord.importing.readers.table import LINE, BadRow
from concord.messages import Said, said
from concord.store.sheets import Difference
from concord.ui.language import plain, say
from concord.ui.widgets import table_of

_SHOWN = 1000
_ROW, _COLUMN, _PROBLEM = said("row"), said("column"), said("problem")
NO_GOOD_ROW = said("There is no good row to import. Correct the file and choose it again.")
COMPARING = said("Comparing with what is stored…")


def read_once(key: str, wanted: tuple, read: Callable, doing: str):
    """Return `read()`, computed once per `wanted` and session; `doing` is the spinner text."""
    kept = st.session_state.get(f"{key}.read")
    if kept is None or kept[0] != wanted:
        st.session_state.pop(f"{key}.read", None)
        with st.spinner(say(doing), show_time=True):
            kept = (wanted, read())
        st.session_state[f"{key}.read"] = kept
    return kept[1]


def last(key: str) -> tuple:
    """The `wanted` of what `read_once` gave last."""
    return st.session_state[f"{key}.read"][0]


def forget(key: str) -> None:
    """Let go of what an import kept in this session."""
    for name in [name for name in st.session_state if str(name).startswith(f"{key}.")]:
        del st.session_state[name]


def refused(bad: int, rows: int) -> str:
    """Return a sentence on the number of bad rows in a file."""
    return said("{n:,} of {total:,} rows cannot be taken", n=bad, total=rows)


def bad_rows(rows: list[BadRow], name: str) -> None:
    """Show every bad row with its number, column and error; all of them in the download."""
    _listed(say("What is wrong with them"), told(rows), f"{name}-bad-rows")


def told(rows: list[BadRow]) -> list[dict[str, str | int]]:
    """Bad rows as rows of a table, with their lines where a line of the file is not its row."""
    apart = any(bad.line is not None for bad in rows)
    return [
        {_ROW: bad.row}
        | ({LINE: bad.line or bad.row} if apart else {})
        | {_COLUMN: bad.column or "", _PROBLEM: bad.problem}
        for bad in rows
    ]


def conflicts(found: list[Difference], name: str) -> None:
    """Show every row that contradicts stored data."""
    rows = [{_ROW: c.row, _COLUMN: c.column, _PROBLEM: c.problem} for c in found]
    _listed(say("What they contradict"), rows, f"{name}-conflicts")


def without(good: int, what: str, left: Said, warnings: tuple[str, ...], key: str) -> bool:
    """The user's explicit word to import the good rows without the others."""
    for warning in warnings:
        st.warning(plain(warning), icon=":material/balance:")
    words = said(
        "Import the {n:,} good {what} without the {left} above",
        n=good,
        what=what,
        left=left,
    )
    return st.checkbox(say(words), key=key)


def _listed(title: str, rows: list[dict[str, str | int]], name: str) -> None:
    st.markdown(f"**{title}**")
    if len(rows) > _SHOWN:
        st.caption(
            say(
                "The first {n:,} of {total:,}; the download has all of them.",
                n=_SHOWN,
                total=len(rows),
            )
        )
    table_of(
        rows[:_SHOWN],
        name,
        whole=pd.DataFrame(rows),
        column_config={_PROBLEM: st.column_config.TextColumn(width="large")},
    )
