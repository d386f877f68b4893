"""Ranking: in which order annotators and a judge put the answering models, and how certain."""

import streamlit as st

from concord.reports.panel.panel import drawn
from concord.reports.panel.wording import named
from concord.reports.ranking import (
    DRAW,
    RATES,
    REMEDIES,
    best,
    correct,
    corrected_document,
    document,
    is_comparable,
)
from concord.reports.ranking import report as rank
from concord.store.database import Store
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.chart import show_charts
from concord.ui.frame import filters
from concord.ui.language import plain
from concord.ui.reports import Report, pick_report
from concord.ui.widgets import TO_SETS, empty, next_screen_link, select, switch, terms


def show(store: Store) -> None:
    """Show the screen."""
    then = "this screen shows whether judges rank the answering models as the annotators do."
    report = pick_report(store, then)
    if report is None:
        return
    if len(report.panel.answer_models) < 2:
        empty(
            "Fewer than two answering models",
            (
                "A ranking needs answers of at least two answering models. Import answers of "
                "another one, or import the sheet again and map the column that names the model."
            ),
            "pages/data.py",
            "Import more answers",
        )
        return
    ranking = _ranking(report)
    orders = {order["judge"]: order for order in ranking["orders"]}
    judge = next(iter(orders), None)
    if len(orders) > 1:
        names = {label: named(label, one["simulated"]) for label, one in orders.items()}
        with filters():
            judge = select("Judge", "judge", names, best(ranking["orders"])["judge"])
    shown = document(ranking, judge)
    name = f"{report.sheet.name}-{report.rubric.name}-ranking"
    render.head(shown, in_one=True)
    terms("composite", "model ranking", "tau-b", "corrected", "PPI", "rogan-gladen")
    if is_comparable(orders.get(judge)):
        with st.container(key="order-chart"):
            show_charts(shown, name)
    else:
        why = (
            "Annotators and a judge must grade every criterion of 20 answers of each of two models."
        )
        empty("No judge can be compared yet", why, *TO_SETS)
    render.body(shown, name)
    if judge:
        with st.expander("Corrected for the judge's bias"):
            _show_corrected(report, judge, name)


def _show_corrected(report: Report, judge: str, name: str) -> None:
    """Show the answering models by one judge without its bias, or why it cannot be."""
    methods = {DRAW: "A random sample", RATES: "Error rates"}
    how = switch("Correct by", "correct", methods, DRAW)
    shown = corrected_document(_corrected(report, how), judge)
    render.head(shown, folded=True)
    for table in shown.tables:
        render.show_table(table, f"{name}-{judge}")
    for note in shown.notes:
        st.caption(plain(note))
    if REMEDIES[DRAW] in shown.facts:
        next_screen_link(*TO_SETS)


@kept("Correcting the judge's bias…")
def _corrected(report: Report, how: str) -> dict:
    return correct(report.panel, drawn(report.store, report.panel), how)


@kept("Ranking the answering models…")
def _ranking(report: Report) -> dict:
    return rank(report.panel)
