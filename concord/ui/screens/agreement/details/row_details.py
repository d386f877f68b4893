"""The details of the agreement report's rows beyond its table."""

from concord.messages import said
from concord.reports.agreement import agreement, document, more_statistics, skipped_analyses
from concord.reports.agreement.results import AgreementRow
from concord.reports.agreement.rows import rows
from concord.reports.panel.panel import COMPOSITE
from concord.stats.statistics import STATISTICS
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.cached_agreement import criterion_rows, every_row
from concord.ui.screens.agreement.details import detail, shown, to_copy
from concord.ui.screens.agreement.details.bias import bias_rows

_TERMS = tuple(one.heading for one in STATISTICS if one.key not in ("alpha", "ac2"))
_TERMS += (said("worst case"), said("other answering models"), said("composite"))


@kept(said("Computing all statistics…"))
def _whole_rows(report: Report, kind: str) -> list[AgreementRow]:
    return more_statistics.whole_rows(report.panel, kind, short=every_row(report, kind))


@detail("statistics", 30, said("All statistics"))
def statistics(report: Report, choice: AgreementChoice, name: str) -> None:
    """Every statistic of the chosen criterion and of the composite."""
    every = _whole_rows(report, choice.kind)
    mine = [row for row in every if row.criterion in (choice.criterion, COMPOSITE)]
    shown(document.statistics(mine, report.rubric), name, _TERMS)


@detail("statistics", 50, said("Replacing an annotator with a judge (alt-test)"))
def alternative_annotator(report: Report, choice: AgreementChoice, name: str) -> None:
    """The alternative annotator test of every judge."""
    every = criterion_rows(report, choice.kind)
    shown(document.alternative_annotator(every, report.rubric), name, ("alt-test",))


@detail("exclusions", 70, said("Exclusions, and unscored answers counted as errors"))
def exclusions(report: Report, choice: AgreementChoice, name: str) -> None:
    """Exclusions from the figures, and the worst case for them."""
    words = said("left out"), said("worst case"), said("blind")
    shown(document.exclusions(criterion_rows(report, choice.kind), report.rubric), name, words)


@detail("exclusions", 80, said("Skipped analyses, and what would enable them"))
def skipped(report: Report, choice: AgreementChoice, name: str) -> None:
    """Analyses that were not run, and what would make them possible."""
    every = _whole_rows(report, choice.kind)
    found = agreement.of_rows(report.panel, every, choice.kind, False, rows)
    part = skipped_analyses.of(report.panel, found, bias_rows(report))
    shown(document.skipped(part, report.rubric), name)


@detail("exclusions", 90, said("How these figures were computed"))
def provenance(report: Report, choice: AgreementChoice, name: str) -> None:
    """Provenance of the chosen judge's rows, one line each."""
    mine = [row for row in every_row(report, choice.kind) if row.judge == choice.judge]
    for row in mine:
        to_copy(row.signature)
