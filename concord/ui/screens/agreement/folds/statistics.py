"""Every statistic of the chosen criterion and of the composite."""

from concord.messages import Said, said
from concord.reports.agreement import document
from concord.reports.panel.panel import COMPOSITE
from concord.stats.statistics import STATISTICS
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.cached_whole_rows import whole_rows
from concord.ui.screens.agreement.folds import Fold, shown

_TERMS = tuple(dict.fromkeys(one.heading for one in STATISTICS))
_TERMS += (said("worst case"), said("other answering models"), said("composite"))


def _title(report: Report) -> Said:
    return said("Every statistic")


def _show(report: Report, choice: Choice, name: str) -> None:
    rows = whole_rows(report, choice.kind)
    mine = [row for row in rows if row.criterion in (choice.criterion, COMPOSITE)]
    shown(document.statistics(mine, report.rubric), name, _TERMS)


FOLD = Fold(30, _title, _show)
