"""Where people's passing answers begin by each measure, beside the usual cut, on screen."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from reports import fitted_cut, measures_document, predicts
from reports.measured import Readings, short
from reports.panel import Panel
from reports.text import UNDEFINED, number
from ui.agreement_more import terms
from ui.language import say
from ui.markdown import plain
from ui.rows import table_of
from ui.spinner import spinning
from words.said import joined, said


def section(
    key: str, panel: Panel, found: Readings, criterion: str, usual: Mapping, name: str
) -> None:
    """The cut of every measure; `key` stands for what is in the store."""
    st.subheader(say("From which number on an answer passes"), anchor=False)
    st.caption(
        say(
            "Half of the questions choose the cut that tells best what people pass from what they "
            "fail; how good it is, is read on the other half. The usual cut stays in force "
            "elsewhere."
        )
    )
    terms(said("fitted cut"), said("balanced accuracy"), said("failing"))
    rows = _rows((key, criterion, tuple(sorted(usual.items()))), panel, found, dict(usual))
    sure = [row for row in rows if row["cut"] is not None and (row["gain"]["low"] or 0) > 0]
    for row in sure:
        st.markdown(f"- {plain(fitted_cut.sentence(row))}")
    if sure and len(rows) > 1:
        chance = "Of {n:,} measures, one in forty seems ahead by chance alone."
        st.caption(say(chance, n=len(rows)))
    judges = short(row["judge"] for row in rows)
    shown = [_line(row, judges[row["judge"]]) for row in rows]
    table_of(shown, f"{name}-cuts", pd.json_normalize(rows))


def _line(row: dict, judge: str) -> dict:
    mark = "≥" if row["better"] == "higher" else "≤"
    return {
        said("measure"): row["name"],
        said("passes"): UNDEFINED if row["cut"] is None else f"{mark} {row['cut']:.3g}",
        said("balanced accuracy"): number(row["balanced"]),
        said("usually"): UNDEFINED if row["usual"] is None else f"{mark} {row['usual']:.3g}",
        said("accuracy then"): number(row["usual_balanced"]),
        said("difference"): number(row["gain"], "+"),
        "n": row["n"],
        said("questions"): row["questions"],
        said("people pass"): round(row["passing"], 1),
        said("chosen by"): row["fitted_on"]["n"],
        said("found by"): judge,
        said("why empty"): row["why_none"] or joined("; ", _reasons(row)),
    }


def _reasons(row: dict) -> list[str]:
    """Why figures of a row lack a value or an interval, each once."""
    found = (row[key]["why_none"] for key in ("balanced", "usual_balanced", "gain"))
    return list(dict.fromkeys(filter(None, found)))


@spinning(said("Fitting cuts to people…"))
@st.cache_data(max_entries=12, show_spinner=False)
def _rows(key: tuple, _panel: Panel, _found: Readings, _usual: dict) -> list[dict]:
    return measures_document.fitted(predicts.series(_found), _panel, key[1], _usual)
