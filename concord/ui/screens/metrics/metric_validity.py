"""Metrics held against annotators and against one another, on screen."""

import pandas as pd
import streamlit as st

from concord.messages import joined, said
from concord.reports.cells import number
from concord.reports.metrics import fitted_threshold, metric_validity, metrics_document
from concord.reports.metrics.fitted_threshold import FittedThreshold
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.ui.cached_metrics import usual_cuts
from concord.ui.caching import kept
from concord.ui.charts import metrics_chart
from concord.ui.language import plain, say
from concord.ui.localized_table import table_of
from concord.ui.render import show_table
from concord.ui.widgets import figure, finding, select, terms

DRAWN = 12
_TWO_PLACES = {said("rank correlation"): st.column_config.NumberColumn(format="%.2f")}


def headline(store: Store, sheet: Sheet, found: Readings) -> None:
    """Which metric predicts annotators best, or why that cannot be said."""
    finding(*metric_validity.headline(_whole(store, sheet, found, "")["sentence"]))


def annotators(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """How well each metric predicts annotators' grades of a criterion."""
    panel = _panel(store, sheet)
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
        _thresholds(store, sheet, panel, found, criterion, name)
    st.subheader(say("Metrics against one another"), anchor=False)
    st.caption(
        say(
            "Two that rise and fall together say the same thing twice. More is better on both "
            "sides; under 30 answers there is no correlation."
        )
    )
    pairs = _among(store, sheet, found)
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
    return _predicts(store, sheet, criterion, _panel(store, sheet), found)


@kept(said("Reading the grades…"), 4, shared=True)
def _panel(store: Store, sheet: Sheet) -> Panel | None:
    return metrics_document.panel(store, sheet)


@kept(said("Holding metrics against annotators…"), 12)
def _predicts(
    store: Store, sheet: Sheet, criterion: str, _panel: Panel | None, _found: Readings
) -> dict:
    return metrics_document.against(metric_validity.series(_found), _panel, criterion)


@kept(said("Holding metrics against one another…"), 4)
def _among(store: Store, sheet: Sheet, _found: Readings) -> list[dict]:
    return metric_validity.among(metric_validity.series(_found))


def _thresholds(
    store: Store, sheet: Sheet, panel: Panel, found: Readings, criterion: str, name: str
) -> None:
    """Show the fitted threshold of every metric, compared with the default one."""
    st.subheader(say("Fitted thresholds"), anchor=False)
    st.caption(
        say(
            "Half of the questions choose the threshold that best separates what annotators pass "
            "from what they fail; its accuracy is measured on the other half. The default "
            "threshold stays in force elsewhere."
        )
    )
    terms(said("fitted cut"), said("balanced accuracy"), said("failing"))
    usual = tuple(sorted(usual_cuts(store, sheet, found).items()))
    rows = _fitted(store, sheet, criterion, usual, panel, found)
    show_table(fitted_threshold.table(rows), name)
    if len(rows) > 1:
        chance = "Of {n:,} metrics, one in forty is conclusively better by chance alone."
        st.caption(say(chance, n=len(rows)))


@kept(said("Fitting thresholds…"), 12)
def _fitted(
    store: Store, sheet: Sheet, criterion: str, usual: tuple, _panel: Panel, _found: Readings
) -> list[FittedThreshold]:
    series = metric_validity.series(_found)
    return metrics_document.fitted(series, _panel, criterion, dict(usual))
