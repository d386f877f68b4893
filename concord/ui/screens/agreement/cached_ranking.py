"""The ranking of the answering models on screen, computed once for a state of the store."""

from fractions import Fraction

import streamlit as st

from concord.messages import said
from concord.reports.ranking import ranking
from concord.reports.ranking.ranking import CriterionRanking, Ranking
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.spinner import spinning


def ranking_report(report: Report, weights: dict[str, Fraction]) -> Ranking:
    """The ranking under some weights."""
    return _ranking(report, tuple(sorted(weights.items())))


@spinning(said("Ranking the answering models…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def _ranking(report: Report, weights: tuple[tuple[str, Fraction], ...]) -> Ranking:
    return ranking.report(report.panel.weighing(dict(weights)))


@spinning(said("Ranking the answering models…"))
@st.cache_data(max_entries=12, show_spinner=False, hash_funcs=BY_KEY)
def ranking_by_criterion(report: Report) -> dict[str, CriterionRanking]:
    """The ranking of the answering models by every criterion alone."""
    return ranking.by_criterion(report.panel)
