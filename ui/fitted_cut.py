"""Where people's passing answers begin by each measure, beside the usual cut, on screen."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from reports import fitted_cut, measures_document, predicts
from reports.measured import Readings, short
from reports.panel import Panel
from reports.text import UNDEFINED, number
from ui.agreement_more import terms
from ui.markdown import plain
from ui.widgets import table


def section(
    key: str, panel: Panel, found: Readings, criterion: str, usual: Mapping, name: str
) -> None:
    """The cut of every measure; `key` stands for what is in the store."""
    st.subheader("From which number on an answer passes", anchor=False)
    st.caption(
        "Half of the questions choose the cut that tells best what people pass from what they "
        "fail; how good it is, is read on the other half. The usual cut stays in force elsewhere."
    )
    terms("fitted cut", "balanced accuracy", "failing")
    rows = _rows((key, criterion, tuple(sorted(usual.items()))), panel, found, dict(usual))
    sure = [row for row in rows if row["cut"] is not None and (row["gain"]["low"] or 0) > 0]
    for row in sure:
        st.markdown(f"- {plain(fitted_cut.sentence(row))}")
    if sure and len(rows) > 1:
        st.caption(f"Of {len(rows):,} measures, one in forty seems ahead by chance alone.")
    judges = short(row["judge"] for row in rows)
    shown = pd.DataFrame([_line(row, judges[row["judge"]]) for row in rows])
    table(shown, f"{name}-cuts", pd.json_normalize(rows))


def _line(row: dict, judge: str) -> dict:
    mark = "≥" if row["better"] == "higher" else "≤"
    return {
        "measure": row["name"],
        "passes": UNDEFINED if row["cut"] is None else f"{mark} {row['cut']:.3g}",
        "balanced accuracy": number(row["balanced"]),
        "usually": UNDEFINED if row["usual"] is None else f"{mark} {row['usual']:.3g}",
        "accuracy then": number(row["usual_balanced"]),
        "difference": number(row["gain"], "+"),
        "n": row["n"],
        "questions": row["questions"],
        "people pass": round(row["passing"], 1),
        "chosen by": row["fitted_on"]["n"],
        "found by": judge,
        "why empty": row["why_none"] or "; ".join(_reasons(row)),
    }


def _reasons(row: dict) -> list[str]:
    """Why figures of a row lack a value or an interval, each once."""
    found = (row[key]["why_none"] for key in ("balanced", "usual_balanced", "gain"))
    return list(dict.fromkeys(filter(None, found)))


@st.cache_data(max_entries=12, show_spinner="Fitting cuts to people…")
def _rows(key: tuple, _panel: Panel, _found: Readings, _usual: dict) -> list[dict]:
    return measures_document.fitted(predicts.series(_found), _panel, key[1], _usual)
