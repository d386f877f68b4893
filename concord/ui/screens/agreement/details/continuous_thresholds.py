"""Pass and fail by continuous grades: from which number of a judge annotators pass an answer."""

from concord.messages import said
from concord.reports.agreement import continuous_thresholds
from concord.reports.agreement.continuous_thresholds import ContinuousThreshold
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.details import detail, shown


@kept(said("Choosing thresholds…"))
def _cuts(report: Report) -> list[ContinuousThreshold]:
    """The threshold of every judge with continuous grades."""
    return continuous_thresholds.report(report.panel)


def _applies(report: Report, choice: AgreementChoice) -> bool:
    panel = report.on(choice.criterion)
    return any(panel.is_continuous(choice.criterion, judge) for judge in panel.judges)


@detail("confusion", 10, said("Fitted thresholds"), applies=_applies)
def thresholds(report: Report, choice: AgreementChoice, name: str) -> None:
    """Pass and fail by continuous grades: from which number annotators pass an answer."""
    mine = [one for one in _cuts(report) if one.criterion == choice.criterion]
    shown(continuous_thresholds.document(mine, report.rubric), name)
