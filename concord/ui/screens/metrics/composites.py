"""Composites of metrics on screen: by chosen weights, by fitted weights, by a cross-encoder."""

import streamlit as st

from concord.messages import Problem, said
from concord.model import Sheet
from concord.reports.composites import composites, document, system_runs
from concord.reports.composites.composite_table import VERA, offered
from concord.reports.metrics import against_annotators
from concord.reports.metrics.metric_records import Readings
from concord.store.database import Store
from concord.ui.caching import kept
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.render import show, show_table
from concord.ui.widgets import number_field, select, terms


def section(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show every composite of a sheet's metrics, with the weights to choose."""
    judge = _judge(found)
    weights = _weights(found)
    if not weights:
        st.info(say("Choose at least one metric."))
        return
    try:
        report = _report(store, sheet, judge, tuple(weights.items()), found)
    except Problem as problem:
        st.warning(plain(str(problem)))
        return
    st.subheader(say("By the chosen weights"), anchor=False)
    show(document.weighted(report), f"{name}-weighted", folded=True)
    st.subheader(say("By weights fitted to annotators"), anchor=False)
    show(document.fitted(report.fitted), f"{name}-fitted", folded=True)
    st.subheader(say("By a cross-encoder"), anchor=False)
    show(document.encoded(report.encoded), f"{name}-encoded", folded=True)
    if report.encoded.n:
        with st.expander(say("Answers in the order of the score")):
            show_table(document.ranked(report.encoded), f"{name}-encoded")
    _gate(store, sheet, weights, judge, name)
    terms(
        *(said("weighted metrics"), said("fitted weights"), said("cross-encoder")),
        said("regression gate"),
    )


def _judge(found: Readings) -> str | None:
    """Return the judge whose values count where several computed a metric."""
    judges: dict[str, set[str]] = {}
    known = {one.name for one in offered(found)}
    for one in found.records:
        if one.metric in known:
            judges.setdefault(one.metric, set()).add(one.judge)
    several = sorted({judge for named in judges.values() if len(named) > 1 for judge in named})
    if not several:
        return None
    options = {one: one for one in several}
    return select(said("For metrics computed by several judges, use"), "by", options, several[0])


def _weights(found: Readings) -> dict[str, float]:
    """A weight for each chosen metric, kept in the URL as `name:weight`."""
    known = {one.name: one.title for one in offered(found)}
    asked = _weights_of_url(known)
    first = list(asked) or [one for one in VERA if one in known] or list(known)[:4]
    chosen = st.multiselect(
        say("Metrics"),
        list(known),
        default=first,
        format_func=lambda name: say(known[name]),
        key="pick.metrics",
        placeholder=say("Choose"),
    )
    weights = {}
    with st.container(horizontal=True):
        for one in chosen:
            weights[one] = number_field(
                say("Weight of {metric}", metric=known[one]),
                0.1,
                100.0,
                asked.get(one, 1.0),
                0.5,
                key=f"weigh.{one}",
            )
    remember(weigh=",".join(f"{one}:{weight:g}" for one, weight in weights.items()) or None)
    return weights


def _weights_of_url(known: dict[str, str]) -> dict[str, float]:
    """The weights that the URL asks for; what does not fit is passed over."""
    found = {}
    for part in (recall("weigh") or "").split(","):
        name, _, weight = part.partition(":")
        if name in known and weight.replace(".", "", 1).isdecimal() and 0.1 <= float(weight) <= 100:
            found[name] = float(weight)
    return found


def _gate(
    store: Store, sheet: Sheet, weights: dict[str, float], judge: str | None, name: str
) -> None:
    """Compare a new run with a baseline; only where the sheet has two answering models."""
    models = {model: model for model in sheet.answer_models}
    if len(models) < 2:
        return
    st.subheader(say("Regression test of a new run"), anchor=False)
    with st.container(horizontal=True):
        new = select(said("New run"), "new", models, list(models)[-1])
        others = {model: model for model in models if model != new}
        old = select(said("Baseline"), "baseline", others, next(iter(others)))
    try:
        found = _compared(store, sheet, judge, new, old, tuple(weights.items()))
    except Problem as problem:
        st.caption(plain(str(problem)))
        return
    show(document.regression(found), f"{name}-gate", folded=True)


Weights = tuple[tuple[str, float], ...]


@kept(said("Comparing the runs…"), 20)
def _compared(
    store: Store, sheet: Sheet, judge: str | None, new: str, old: str, weights: Weights
) -> system_runs.Regression:
    sides = system_runs.ComparedRuns(sheet, new, sheet, old)
    return system_runs.compare(store, sides, dict(weights), judge)


@kept(said("Computing composites…"), 20)
def _report(
    store: Store, sheet: Sheet, judge: str | None, weights: Weights, _found: Readings
) -> composites.Composites:
    panel = against_annotators.panel(store, sheet)
    report = composites.report(_found, panel, dict(weights), judge)
    return composites.named(store, sheet, report)
