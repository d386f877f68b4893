"""Reliability of the annotators: together, and on answers that they graded twice."""

from concord.messages import said
from concord.reports.agreement import document
from concord.reports.reliability import panel_reliability, test_retest
from concord.reports.reliability.test_retest import AnnotatorRetest
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.details import detail, shown

_TERMS = ("alpha", "ac2", said("among annotators"), said("repeats"))


@kept(said("Comparing annotators…"))
def _among_annotators(report: Report) -> list[panel_reliability.PanelReliability]:
    """The inter-rater reliability of all annotators, one row per criterion."""
    return panel_reliability.rows(report.panel)


@kept()
def _repeats(report: Report) -> list[AnnotatorRetest]:
    """Each annotator's test-retest reliability."""
    return test_retest.of_annotators(report.panel)


@detail("reliability", 60, said("Reliability of the annotators: inter-rater and test-retest"))
def reliability(report: Report, choice: AgreementChoice, name: str) -> None:
    """Reliability of the annotators: together, and on answers that they graded twice."""
    found = document.reliability(_among_annotators(report), _repeats(report), report.rubric)
    shown(found, name, _TERMS)
