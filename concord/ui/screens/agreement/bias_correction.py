"""Correction of the judge's bias: scores of the answering models, and calibration maps."""

from fractions import Fraction

import streamlit as st

from concord.messages import said
from concord.reports.agreement import calibration_map
from concord.reports.agreement.calibration_map import MappedScores
from concord.reports.panel.sampling_weights import drawn
from concord.reports.ranking import corrected
from concord.reports.ranking.corrected import DRAW, MATRIX, RATES, REMEDIES, Corrected
from concord.reports.ranking.corrected_document import document
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import say
from concord.ui.widgets import TO_SETS, explanation, next_screen_link, switch

_METHODS = {
    DRAW: said("A random sample"),
    RATES: said("Error rates"),
    MATRIX: said("Confusion matrix"),
}
WORDS = ("corrected", "PPI", "rogan-gladen", "matrix")


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


MAP = said("calibration map")


def mapped_scores(report: Report, judge: str, name: str) -> None:
    """Show one judge's statistics with calibrated scores, out of fold; `judge` is its label."""
    with st.expander(say("Calibration map: the annotators' score for each score of the judge")):
        st.markdown(f"**{say(MAP)}** · {explanation(MAP)}")
        if not report.panel.annotators:
            st.write(say("No answer is graded yet, so a calibration map cannot be fitted."))
            return
        found = _mapped(report, report.judge_id(judge))
        render.body(calibration_map.document(found), f"{name}-{judge}", in_full=True)
        st.caption(say("Rankings and verdicts do not use the map."))


@kept(said("Fitting the calibration map…"))
def _mapped(report: Report, judge_id: int) -> list[MappedScores]:
    return calibration_map.report(report.panel, judge_id)
