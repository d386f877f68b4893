"""Analyses that were not run, and what would make them possible."""

from dataclasses import replace

from concord.messages import Said, said
from concord.reports.agreement import document, skipped_analyses
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.cached_agreement import agreement_report, whole_rows
from concord.ui.screens.agreement.fold import Fold, shown
from concord.ui.screens.agreement.folds.bias import bias_rows


def _title(report: Report) -> Said:
    return said("What could not be checked, and what would make it possible")


def _show(report: Report, choice: Choice, name: str) -> None:
    rows = tuple(whole_rows(report, choice.kind))
    found = replace(agreement_report(report, choice.kind), rows=rows)
    skipped = skipped_analyses.not_run(report.panel, found, bias_rows(report))
    shown(document.skipped(skipped, report.rubric), name)


FOLD = Fold(80, _title, _show)
