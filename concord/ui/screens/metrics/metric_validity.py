"""Metrics held against annotators and against one another, on screen."""

from functools import partial

import pandas as pd
import streamlit as st

from concord.messages import joined, said
from concord.reports.cells import number
from concord.reports.metrics import metric_validity, metrics_document, similarity_baseline
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.store.version_key import state
from concord.ui.cached_metrics import unrelated
from concord.ui.charts import metrics_chart
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.screens.metrics import fitted_threshold
from concord.ui.spinner import spinning
from concord.ui.widgets import figure, finding, select

DRAWN = 12
_TWO_PLACES = {said("rank correlation"): st.column_config.NumberColumn(format="%.2f")}


def headline(store: Store, sheet: Sheet, found: Readings) -> None:
    """Which metric predicts annotators best, or why that cannot be said."""
    finding(*metric_validity.headline(_whole(store, sheet, found, "")["sentence"]))


def annotators(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """How well each metric predicts annotators' grades of a criterion."""
    panel = _panel(state(store, sheet), store, sheet)
    if panel is None:
        st.write(say(metric_validity.NOBODY))
        st.page_link("pages/grading.py", label=say("To the grading sets"), icon=":material/group:")
    else:
        headings = panel.rubric.headings()
        names = {one: headings.get(one, one.capitalize()) for one in panel.criteria}
        names |= {COMPOSITE: said("Composite")} if COMPOSITE in names else {}
        heaviest = panel.rubric.heaviest().name
        criterion = select(said("Annotators' grades of"), "criterion", names, heaviest)
        held = _whole(store, sheet, found, criterion)
        if criterion != heaviest:  # else the headline says it
            st.markdown(plain(held["sentence"]))
        _against_annotators(held, name)
        usual = similarity_baseline.cuts(found, partial(unrelated, store, sheet))
        fitted_threshold.section(state(store, sheet), panel, found, criterion, usual, name)
    st.subheader(say("Metrics against one another"), anchor=False)
    st.caption(
        say(
            "Two that rise and fall together say the same thing twice. More is better on both "
            "sides; under 30 answers there is no correlation."
        )
    )
    pairs = _among(state(store, sheet), found)
    known = sorted(pairs, key=lambda one: -abs(one["value"] or 0))
    if known:
        if closest := metric_validity.closest(known):
            st.markdown(plain(closest))
        table_of(list(map(_pair, known)), f"{name}-correlations", column_config=_TWO_PLACES)


def _pair(one: dict) -> dict:
    return {
        said("metric"): one["one"],
        said("and"): one["other"],
        said("n"): one["n"],
        said("rank correlation"): one["value"],
        said("why empty"): one["why_none"] or "",
    }


def _against_annotators(held: dict, name: str) -> None:
    st.caption(
        say(
            "Rank correlation with annotators' grades, more of either being better; and how "
            "likely an "
            "answer that annotators pass stands better than one they fail (AUC, .5 is chance)."
        )
    )
    terms(said("predicts annotators"), "spearman", "AUC", "failing")
    rows = held["rows"]
    known = [row for row in rows if row["value"] is not None]
    if known:
        drawn = known[:DRAWN]
        called = held["called"]
        best = say(
            "{metric} follows annotators' {criterion} closest",
            metric=drawn[0]["name"],
            criterion=called,
        )
        axis = say("rank correlation with annotators' {criterion}", criterion=called)
        words = metrics_chart.alt({row["name"]: row for row in drawn})
        figure(metrics_chart.correlations(drawn, best, axis), f"{name}-annotators", words)
        if len(known) > 1:
            st.caption(
                say(
                    "The best of {n:,} is flattered by having been picked: hold it against "
                    "further answers before you rely on it.",
                    n=len(known),
                )
            )
    judges = short(row["judge"] for row in rows)
    shown = [
        {
            said("metric"): row["name"],
            said("rank correlation"): number(row),
            said("AUC"): number(row["auc"]),
            said("n"): row["n"],
            said("questions"): row["questions"],
            said("found by"): judges[row["judge"]],
            said("why empty"): joined("; ", _reasons(row)),
        }
        for row in rows
    ]
    whole = pd.json_normalize([{**row, "switches": None} for row in rows])
    table_of(shown, f"{name}-annotators", whole.drop(columns=["switches"]), height="content")


def _reasons(row: dict) -> list[str]:
    """Why the figures of a row lack a value or an interval, each once."""
    return list(dict.fromkeys(filter(None, (row["why_none"], row["auc"]["why_none"]))))


def _whole(store: Store, sheet: Sheet, found: Readings, criterion: str) -> dict:
    """The part of the document about annotators, for a criterion; '' for the heaviest."""
    key = state(store, sheet)
    return _predicts((key, criterion), _panel(key, store, sheet), found)


@spinning(said("Reading the grades…"))
@st.cache_resource(max_entries=4, show_spinner=False)
def _panel(key: str, _store: Store, _sheet: Sheet) -> Panel | None:
    return metrics_document.panel(_store, _sheet)


@spinning(said("Holding metrics against annotators…"))
@st.cache_data(max_entries=12, show_spinner=False)
def _predicts(key: tuple, _panel: Panel | None, _found: Readings) -> dict:
    return metrics_document.against(metric_validity.series(_found), _panel, key[1])


@spinning(said("Holding metrics against one another…"))
@st.cache_data(max_entries=4, show_spinner=False)
def _among(key: str, _found: Readings) -> list[dict]:
    return metric_validity.among(metric_validity.series(_found))
