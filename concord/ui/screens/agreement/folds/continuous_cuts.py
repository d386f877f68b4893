"""Pass and fail by continuous grades: from which number of a judge annotators pass an answer."""

import streamlit as st

from concord.messages import Said, said
from concord.reports.agreement import continuous_cuts
from concord.reports.agreement.continuous_cuts import ContinuousCut
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.caching import spinning
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.folds import Fold, shown


@spinning(said("Fitting cuts…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def _cuts(report: Report) -> list[ContinuousCut]:
    """The cut of every judge with continuous grades."""
    return continuous_cuts.report(report.panel)


def _applies(report: Report, choice: Choice) -> bool:
    return any(grader in report.panel.judges for _, grader in report.panel.continuous)


def _title(report: Report) -> Said:
    return said("Pass and fail by continuous grades")


def _show(report: Report, choice: Choice, name: str) -> None:
    shown(continuous_cuts.document(_cuts(report), report.rubric), name)


FOLD = Fold(35, _title, _show, _applies)
