"""What reading a file found: bad rows, flags, conflicts, and the user's word to go on without."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from data.counted import counted
from data.files.table import BadRow
from data.sheets import Difference
from ui.widgets import table

_SHOWN = 1000


def read_once(key: str, wanted: tuple, read: Callable, said: str):
    """What `read()` gives, computed once for the same `wanted` in this session."""
    kept = st.session_state.get(f"{key}.read")
    if kept is None or kept[0] != wanted:
        st.session_state.pop(f"{key}.read", None)
        with st.spinner(said, show_time=True):
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


def bad_rows(rows: list[BadRow], name: str) -> None:
    """Every bad row with its number, column and what is wrong; all of them in the download."""
    found = [
        {"row": bad.row, bad.where: bad.line, "column": bad.column or "", "problem": bad.problem}
        for bad in rows
    ]
    _listed("What is wrong with them", found, f"{name}-bad-rows")


def conflicts(found: list[Difference], name: str) -> None:
    """Every row that contradicts what is stored."""
    rows = [{"row": c.row, "column": c.column, "problem": c.problem} for c in found]
    _listed("What they contradict", rows, f"{name}-conflicts")


def without(good: int, what: str, left: int, warnings: tuple[str, ...], key: str) -> bool:
    """The user's explicit word to import the good rows without the others."""
    for warning in warnings:
        st.warning(warning, icon=":material/balance:")
    return st.checkbox(
        f"Import the {good:,} good {what} without the {counted(left, 'row')} above", key=key
    )


def _listed(title: str, rows: list[dict], name: str) -> None:
    st.markdown(f"**{title}**")
    if len(rows) > _SHOWN:
        st.caption(f"The first {_SHOWN:,} of {len(rows):,}; the download has all of them.")
    frame = pd.DataFrame(rows)
    table(
        frame.head(_SHOWN),
        name,
        whole=frame,
        column_config={"problem": st.column_config.TextColumn(width="large")},
    )
