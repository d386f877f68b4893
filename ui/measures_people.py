"""Measures held against people and against one another, on screen."""

from functools import partial

import pandas as pd
import streamlit as st

from data.sheets import Sheet
from data.state import state
from data.store import Store
from reports import measures_document, predicts, unrelated_texts
from reports.measured import Readings, short
from reports.panel import Panel
from reports.text import number
from ui import fitted_cut, measures_chart
from ui.agreement_more import terms
from ui.markdown import plain
from ui.measures import unrelated
from ui.widgets import figure, finding, select, table

DRAWN = 12
_TWO_PLACES = {"rank correlation": st.column_config.NumberColumn(format="%.2f")}


def headline(store: Store, sheet: Sheet, found: Readings) -> None:
    """Which measure predicts people best, or why that cannot be said."""
    said = _whole(store, sheet, found, "")["sentence"]
    first, _, rest = said.rstrip(".").partition("; ")
    finding(first, f"{rest[:1].upper()}{rest[1:]}." if rest else "")


def people(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """How well each measure predicts people's grades of a criterion."""
    panel = _panel(state(store, sheet), store, sheet)
    if panel is None:
        st.write(predicts.NOBODY)
        st.page_link("pages/grading.py", label="To the grading sets", icon=":material/group:")
    else:
        headings = panel.rubric.headings()
        names = {one: headings.get(one, one.capitalize()) for one in panel.criteria}
        heaviest = panel.rubric.heaviest().name
        criterion = select("People's grades of", "criterion", names, heaviest)
        held = _whole(store, sheet, found, criterion)
        if criterion != heaviest:  # else the headline says it
            st.markdown(plain(held["sentence"]))
        _against_people(held, name)
        usual = unrelated_texts.cuts(found, partial(unrelated, store, sheet))
        fitted_cut.section(state(store, sheet), panel, found, criterion, usual, name)
    st.subheader("Measures against one another", anchor=False)
    st.caption(
        "Two that rise and fall together say the same thing twice. More is better on both sides; "
        "under 30 answers there is no correlation."
    )
    pairs = _among(state(store, sheet), found)
    known = sorted(pairs, key=lambda one: -abs(one["value"] or 0))
    if known:
        if said := predicts.closest(known):
            st.markdown(plain(said))
        names = {"one": "measure", "other": "and", "value": "rank correlation"}
        names |= {"why_none": "why empty"}
        listed = pd.DataFrame(known).rename(columns=names).drop(columns=["same"])
        listed["why empty"] = listed["why empty"].fillna("")
        table(listed, f"{name}-correlations", column_config=_TWO_PLACES)


def _against_people(held: dict, name: str) -> None:
    st.caption(
        "Rank correlation with people's grades, more of either being better; and how likely an "
        "answer that people pass stands better than one they fail (AUC, .5 is chance)."
    )
    terms("predicts people", "spearman", "AUC", "failing")
    rows = held["rows"]
    known = [row for row in rows if row["value"] is not None]
    if known:
        drawn = known[:DRAWN]
        best = f"{drawn[0]['name']} follows people's {held['called']} closest"
        axis = f"rank correlation with people's {held['called']}"
        words = measures_chart.alt({row["name"]: row for row in drawn})
        figure(measures_chart.correlations(drawn, best, axis), f"{name}-people", words)
        if len(known) > 1:
            st.caption(
                f"The best of {len(known):,} is flattered by having been picked: hold it against "
                "further answers before you rely on it."
            )
    judges = short(row["judge"] for row in rows)
    shown = [
        {
            "measure": row["name"],
            "rank correlation": number(row),
            "AUC": number(row["auc"]),
            "n": row["n"],
            "questions": row["questions"],
            "found by": judges[row["judge"]],
            "why empty": "; ".join(_reasons(row)),
        }
        for row in rows
    ]
    whole = pd.json_normalize([{**row, "switches": None} for row in rows])
    table(pd.DataFrame(shown), f"{name}-people", whole.drop(columns=["switches"]), height="content")


def _reasons(row: dict) -> list[str]:
    """Why the figures of a row lack a value or an interval, each once."""
    return list(dict.fromkeys(filter(None, (row["why_none"], row["auc"]["why_none"]))))


def _whole(store: Store, sheet: Sheet, found: Readings, criterion: str) -> dict:
    """The part of the document about people, for a criterion; '' for the heaviest."""
    key = state(store, sheet)
    return _predicts((key, criterion), _panel(key, store, sheet), found)


@st.cache_resource(max_entries=4, show_spinner="Reading the grades…")
def _panel(key: str, _store: Store, _sheet: Sheet) -> Panel | None:
    return measures_document.panel(_store, _sheet)


@st.cache_data(max_entries=12, show_spinner="Holding measures against people…")
def _predicts(key: tuple, _panel: Panel | None, _found: Readings) -> dict:
    return measures_document.against(predicts.series(_found), _panel, key[1])


@st.cache_data(max_entries=4, show_spinner="Holding measures against one another…")
def _among(key: str, _found: Readings) -> list[dict]:
    return predicts.among(predicts.series(_found))
