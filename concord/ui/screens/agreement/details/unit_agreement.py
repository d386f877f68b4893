"""Unit agreement: failing verdicts, metrics per answer, and the errors of the lists."""

from concord.messages import Said, said
from concord.reports.agreement import unit_agreement, unit_document
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.panel.unit_words import singular
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.details import detail, shown

_TERMS = (said("by annotators"), said("list errors"), said("extraction"))


@kept(said("Computing metrics from annotators' labels…"))
def _agreement(report: Report, kind: str) -> UnitAgreement:
    """Unit agreement beyond the rows; only of a rubric of units."""
    return unit_agreement.report(report.store, report.panel, kind)


def _title(report: Report) -> Said:
    unit = singular(report.rubric.plural)
    return said("By answer, and errors of the {unit} lists", unit=unit)


@detail("units", 20, _title, applies=lambda report, _: bool(report.rubric.units))
def units(report: Report, choice: AgreementChoice, name: str) -> None:
    """Unit agreement: failing verdicts, metrics per answer, and the errors of the lists."""
    shown(unit_document.units(_agreement(report, choice.kind), report.rubric), name, _TERMS)
