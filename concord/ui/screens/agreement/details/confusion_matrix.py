"""The confusion matrix of the chosen judge and criterion; its cells open."""

from concord.messages import Said, said
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.confusion_pick import cell_answers, confusion_pick
from concord.ui.screens.agreement.details import detail


def _title(report: Report) -> Said:
    if report.rubric.units:
        return said("Annotator's label against the judge's")
    return said("Annotator's score against the judge's")


@detail("confusion", 0, _title, key="cell")
def confusion_matrix(report: Report, choice: AgreementChoice, name: str) -> None:
    """The confusion matrix, and the answers of the chosen cell."""
    judge, criterion, kind = choice
    cell = confusion_pick(report, judge, criterion, kind)
    if cell:
        cell_answers(report.store, report, judge, criterion, kind, cell)
