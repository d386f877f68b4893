"""The annotators' reports on screen, each computed once for a state of the store."""

import streamlit as st

from concord.messages import Problem, said
from concord.reports.panel import grading_times
from concord.reports.reliability import annotator_quality, annotator_signals, annotators
from concord.reports.reliability.annotator_quality import AnnotatorQuality
from concord.reports.reliability.annotator_signals import AnnotatorSignals
from concord.reports.reliability.annotators import CriterionAgreement
from concord.ui.cached_reports import Report
from concord.ui.caching import kept


@kept(said("Comparing annotators…"), 12)
def annotator_agreement(report: Report, criterion: str, zone: str) -> CriterionAgreement:
    """Return inter-annotator agreement on a criterion; days are those of a time zone."""
    store, panel = report.store, report.panel
    known = grading_times.read(store, panel)
    return annotators.of_criterion(store, panel, criterion, known, grading_times.zone(zone))


@kept(said("Looking at each annotator's grades…"), 4)
def quality_report(report: Report, zone: str) -> AnnotatorQuality:
    """Return the quality of each annotator's grades over all criteria, for a lead."""
    store, panel = report.store, report.panel
    known = grading_times.read(store, panel)
    return annotator_quality.quality(store, panel, known, grading_times.zone(zone))


@kept(said("Looking at each annotator's grades…"), 4)
def measured(report: Report) -> dict[int, AnnotatorSignals]:
    """Return what each annotator's grades say, for a lead; by grader id."""
    store, panel = report.store, report.panel
    return annotator_signals.measured(store, panel, grading_times.read(store, panel))


def browser_zone() -> str:
    """The time zone of the browser, where it says one that is known here; else UTC."""
    try:
        grading_times.zone(st.context.timezone)
    except Problem:
        return "UTC"
    return st.context.timezone or "UTC"
