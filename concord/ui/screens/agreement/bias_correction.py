"""Correction of the judge's bias: scores of the answering models."""

from fractions import Fraction

import streamlit as st

from concord.messages import said
from concord.reports.panel.sampling_weights import drawn
from concord.reports.ranking import corrected
from concord.reports.ranking.corrected import DRAW, RATES, REMEDIES, Corrected
from concord.reports.ranking.corrected_document import document
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import say
from concord.ui.widgets import TO_SETS, next_screen_link, switch

_METHODS = {
    DRAW: said("A random sample"),
    RATES: said("Error rates"),
}
WORDS = ("corrected", "PPI", "rogan-gladen")


def corrected_scores(report: Report, weights: dict[str, Fraction], judge: str, name: str) -> None:
    """Show the answering models by one judge (its label) without its bias, or why it cannot be."""
    st.subheader(say("Corrected for the judge's bias"), anchor=False)
    how = switch(said("Correct by"), "correct", _METHODS, DRAW)
    found = _corrected(report, tuple(sorted(weights.items())), how)
    render.show(document(found, judge), f"{name}-{judge}", folded=True, in_full=True)
    remedies = [found.remedy, *(one.remedy for one in found.judges if one.judge == judge)]
    if REMEDIES[DRAW] in remedies:
        next_screen_link(*TO_SETS)


@kept(said("Correcting the judge's bias…"))
def _corrected(report: Report, weights: tuple[tuple[str, Fraction], ...], how: str) -> Corrected:
    panel = report.panel
    return corrected.report(panel.weighing(dict(weights)), drawn(report.store, panel), how)
