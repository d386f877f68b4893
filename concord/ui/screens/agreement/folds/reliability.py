"""Reliability of the annotators: together, and on answers that they graded twice."""

import streamlit as st

from concord.messages import Said, said
from concord.reports.agreement import document
from concord.reports.reliability import panel_reliability, test_retest
from concord.reports.reliability.test_retest import AnnotatorRetest
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.caching import spinning
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.folds import Fold, shown

_TERMS = ("alpha", "ac2", "icc", said("among annotators"), said("repeats"))


@spinning(said("Comparing annotators…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def among_annotators(report: Report) -> list[panel_reliability.PanelReliability]:
    """The inter-rater reliability of all annotators, one row per criterion."""
    return panel_reliability.rows(report.panel)


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def _repeats(report: Report) -> list[AnnotatorRetest]:
    """Each annotator's test-retest reliability."""
    return test_retest.of_annotators(report.panel)


def _title(report: Report) -> Said:
    return said("How reliable the annotators are: inter-rater and test-retest")


def _show(report: Report, choice: Choice, name: str) -> None:
    found = document.reliability(among_annotators(report), _repeats(report), report.rubric)
    shown(found, name, _TERMS)


FOLD = Fold(60, _title, _show)
