"""The alternative annotator test of every judge."""

from concord.messages import Said, said
from concord.reports.agreement import document
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.cached_agreement import criterion_rows
from concord.ui.screens.agreement.folds import Fold, shown


def _title(report: Report) -> Said:
    return said("Can a judge replace an annotator? Alternative annotator test")


def _show(report: Report, choice: Choice, name: str) -> None:
    rows = criterion_rows(report, choice.kind)
    shown(document.alternative_annotator(rows, report.rubric), name, ("alt-test",))


FOLD = Fold(50, _title, _show)
