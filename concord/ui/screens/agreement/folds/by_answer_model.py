"""The figures of the chosen judge and criterion by answering model."""

from concord.messages import Said, said
from concord.reports.agreement import document
from concord.reports.agreement.results import AgreementRow
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.cached_agreement import by_answer_model
from concord.ui.screens.agreement.folds import Fold, shown


def _rows(report: Report, choice: Choice) -> list[AgreementRow]:
    """The rows by answering model; those of continuous grades are on the page already."""
    judge = report.judge_id(choice.judge)
    every = by_answer_model(report, choice.kind, choice.criterion, judge)
    return [row for row in every if not row.continuous]


def _title(report: Report) -> Said:
    return said("Figures by answering model")


def _show(report: Report, choice: Choice, name: str) -> None:
    shown(document.figures(_rows(report, choice), report.rubric), name)


FOLD = Fold(10, _title, _show, lambda report, choice: bool(_rows(report, choice)))
