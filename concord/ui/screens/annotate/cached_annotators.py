"""The annotators' reports on screen, each computed once for a state of the store."""

from concord.messages import said
from concord.reports.document import Document
from concord.reports.reliability import annotator_alerts, annotators, document
from concord.reports.reliability.annotator_alerts import Measured
from concord.reports.reliability.annotators import CriterionAgreement
from concord.ui.cached_reports import Report
from concord.ui.caching import kept


@kept(said("Comparing annotators…"), 12)
def annotator_agreement(report: Report, criterion: str) -> CriterionAgreement:
    """Return inter-annotator agreement on a criterion."""
    return annotators.of_criterion(report.store, report.panel, criterion)


def overall(report: Report, found: CriterionAgreement) -> Document:
    """Return the headline of inter-annotator agreement on a criterion."""
    simulated = sum(person.simulated for person in report.panel.annotators.values())
    return document.overall(found, report.rubric, simulated)


@kept(said("Looking at each annotator's grades…"), 4)
def measured(report: Report) -> dict[int, Measured]:
    """Return what each annotator's grades show, for a lead; by grader id."""
    return annotator_alerts.measured(report.store, report.panel)
