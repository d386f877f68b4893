"""Exclusions from the figures, and the worst case for them."""

from concord.messages import Said, said
from concord.reports.agreement import document
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.cached_agreement import criterion_rows
from concord.ui.screens.agreement.folds import Fold, shown

_TERMS = (said("left out"), said("worst case"), said("blind"))


def _title(report: Report) -> Said:
    return said("Exclusions, and failures counted as errors")


def _show(report: Report, choice: Choice, name: str) -> None:
    rows = criterion_rows(report, choice.kind)
    shown(document.exclusions(rows, report.rubric), name, _TERMS)


FOLD = Fold(70, _title, _show)
