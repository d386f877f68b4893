"""Analyses that were not run, and what would make them possible."""

from concord.messages import Said, said
from concord.reports.agreement import agreement, document, skipped_analyses
from concord.reports.agreement.rows import rows
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.cached_whole_rows import whole_rows
from concord.ui.screens.agreement.folds import Fold, shown
from concord.ui.screens.agreement.folds.bias import bias_rows


def _title(report: Report) -> Said:
    return said("Skipped analyses, and what would enable them")


def _show(report: Report, choice: Choice, name: str) -> None:
    every = whole_rows(report, choice.kind)
    found = agreement.of_rows(report.panel, every, choice.kind, False, rows)
    skipped = skipped_analyses.not_run(report.panel, found, bias_rows(report))
    shown(document.skipped(skipped, report.rubric), name)


FOLD = Fold(80, _title, _show)
