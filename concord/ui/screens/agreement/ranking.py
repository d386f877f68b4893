"""The parts of the ranking screen: pickers, weights to explore, and the slope chart."""

from collections.abc import Sequence
from fractions import Fraction

import streamlit as st

from concord.messages import said
from concord.reports.document import Document
from concord.reports.ranking import document
from concord.reports.ranking.order import Order
from concord.reports.ranking.ranking import CriterionRanking, Ranking
from concord.reports.ranking.ranking import by_criterion as rank_by_criterion
from concord.reports.ranking.ranking import report as rank
from concord.rubrics.model import Rubric
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.chart import show_charts
from concord.ui.frame import filters
from concord.ui.language import say
from concord.ui.screens.agreement import bias_correction, weights
from concord.ui.widgets import select, terms


def ranking(report: Report) -> Ranking:
    """Return the ranking with the weights that are explored, else with the rubric's."""
    chosen = weights.explored(report.rubric) or report.rubric.weights()
    return _ranking(report, tuple(sorted(chosen.items())))


@kept(said("Ranking the answering models…"))
def _ranking(report: Report, weights: tuple[tuple[str, Fraction], ...]) -> Ranking:
    return rank(report.panel.weighing(dict(weights)))


@kept(said("Ranking the answering models…"), 12)
def by_criterion(report: Report) -> dict[str, CriterionRanking]:
    """Return the ranking by every criterion alone."""
    return rank_by_criterion(report.panel)


def pick_judge(orders: Sequence[Order]) -> Order | None:
    """Return the order of the judge the user chose; None where no judge has graded."""
    if not orders:
        return None
    if len(orders) == 1:
        return orders[0]
    names = {order.judge: document.judge_name(order) for order in orders}
    with filters():
        chosen = select(said("Judge"), "judge", names, document.best(orders).judge)
    return next(order for order in orders if order.judge == chosen)


def exploration(rubric: Rubric) -> None:
    """Say that the weights are explored and not the rubric's, with the way back."""
    exploring = weights.explored(rubric)
    if exploring is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(
            say(
                "Exploring with the weights {explored}. All other screens use the rubric's own "
                "weights, {own}.",
                explored=weights.in_words(exploring),
                own=weights.in_words(rubric.weights()),
            ),
            icon=":material/tune:",
        )
        st.button(say("Reset"), on_click=weights.reset, icon=":material/undo:", key="weights.reset")


def chart(shown: Document, order: Order, name: str) -> None:
    """Show the slope chart of one judge."""
    with st.container(key="order-chart"):
        show_charts(shown, name)
        if order.swaps:
            st.caption(
                say(
                    "Coloured lines mark models that swap ranks; they are dashed where the swap "
                    "may be chance."
                )
            )


def explanations() -> None:
    """Explain the terms of the screen."""
    terms("composite", said("model ranking"), "tau-b", "baseline", *bias_correction.WORDS)
