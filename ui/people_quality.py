"""How each person graded throughout, on screen; for whoever leads the grading."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from data.guard import LEAD, Who
from data.store import Store
from reports.simulated import named
from reports.text import UNDEFINED, number, share
from ui.agreement_more import terms
from ui.markdown import plain
from ui.report import Report
from ui.widgets import table


def quality(store: Store, report: Report, criterion: str, zone: str, name: str) -> None:
    """A fold with everything, for those who may see it."""
    if not may_see(store.who):
        return
    title = "How each person graded throughout, and what came too fast"
    with st.expander(title, key="fold.quality", on_change="rerun") as fold:
        if fold.open:
            found = report.quality(zone)
            terms("throughout", "repeats", "too fast")
            _throughout([row for row in found["rows"] if row["criterion"] == criterion], name)
            _by_hour(found, criterion, name)
            _pace(found, name)


def may_see(who: Who | None) -> bool:
    """Whether a person may see how each graded: a lead, and anybody where nobody signs in."""
    return who is None or who.role == LEAD


def _throughout(rows: list[dict], name: str) -> None:
    st.caption(
        "First and last third of each person's grades: points above (+) or below (−) the others on "
        "the same answers, how often the same score, and on answers that came back. By name."
    )
    shown = [
        {
            "person": named(row["person"], row["simulated"]),
            "timed grades": row["graded"],
            "n, first": _said(row["first"], "n", str),
            "n, last": _said(row["last"], "n", str),
            "first third": _said(row["first"], "bias", _signed),
            "last third": _said(row["last"], "bias", _signed),
            "change": _signed(row["bias_change"]),
            "exact, first": _said(row["first"], "exact", share),
            "exact, last": _said(row["last"], "exact", share),
            "came back": row["repeats"]["n"],
            "same again": share(row["repeats"]["exact"]),
            "within one": share(row["repeats"]["within_one"]),
        }
        for row in rows
    ]
    table(pd.DataFrame(shown), f"{name}-throughout", pd.json_normalize(rows))
    for why in dict.fromkeys(row["why_none"] for row in rows if row["why_none"]):
        st.caption(plain(f"— {why}."))


def _by_hour(found: dict, criterion: str, name: str) -> None:
    shown = [
        {
            "person": row["person"],
            "hours": part["hours"],
            "n": part["n"],
            "points": _signed(part["bias"]),
            "exact": share(part["exact"]),
        }
        for row in found["rows"]
        for part in row["by_hour"]
        if row["criterion"] == criterion
    ]
    if shown:
        st.caption(plain(f"By hour of the day, {found['zone']}."))
        table(pd.DataFrame(shown), f"{name}-hours")


def _pace(found: dict, name: str) -> None:
    st.caption("Seconds of attention on an answer, and letters of it a second; medians.")
    shown = [
        {
            "person": named(row["person"], row["simulated"]),
            "answers": row["n"],
            "seconds": _rounded(row["seconds"]),
            "letters a second": _rounded(row["letters_per_second"]),
            "too fast": row["flagged"],
            "without a time": row["untimed"],
        }
        for row in found["pace"]
    ]
    table(pd.DataFrame(shown), f"{name}-pace")
    if found["flagged"]:
        st.caption("Graded too fast to have been read. None of them is left out of any figure.")
        flagged = pd.DataFrame(found["flagged"]).drop(columns=["item_id"])
        table(flagged, f"{name}-too-fast")
    elif any(row["n"] for row in found["pace"]):
        st.caption("No grade came faster than its answer can be read.")


def _said(part: dict | None, name: str, words: Callable[[Any], str]) -> str:
    return words(part[name]) if part else UNDEFINED


def _signed(one: dict) -> str:
    return number(one, "+")


def _rounded(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.1f}"
