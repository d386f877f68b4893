"""The document of the whole agreement report: its parts under the finding on the best judge."""

from collections.abc import Sequence

from concord.reports.agreement import continuous_thresholds
from concord.reports.agreement.document import (
    alternative_annotator,
    bias,
    exclusions,
    figures,
    reliability,
    skipped,
    statistics,
)
from concord.reports.agreement.headline import NO_JUDGE, finding
from concord.reports.agreement.results import AgreementReport, AgreementRow
from concord.reports.agreement.unit_document import units
from concord.reports.agreement.whole_report import WholeReport
from concord.reports.document import Document
from concord.reports.probabilities.document import in_agreement
from concord.reports.reliability import annotator_alerts
from concord.rubrics.model import Rubric


def document(found: AgreementReport, rubric: Rubric) -> Document:
    """Return the best judge's finding, the figures of every judge, and what limits them."""
    overall = [row for row in found.rows if not row.answer_model]
    if not overall:
        return Document(NO_JUDGE)
    head = finding(_best(overall, rubric), rubric, overall)
    parts = [
        figures(found.rows, rubric),
        in_agreement(found.rows, rubric),
        exclusions(overall, rubric),
    ]
    if isinstance(found, WholeReport):
        parts += _further(found, overall, rubric)
    notes = [note for part in parts for note in part.notes]
    notes += [row.note for row in overall if row.note and row.note not in head.facts]
    notes += annotator_alerts.notes(found.alerts)
    tables = tuple(table for part in parts for table in part.tables)
    return Document(head.headline, head.facts, tables, tuple(dict.fromkeys(notes)))


def _best(rows: Sequence[AgreementRow], rubric: Rubric) -> AgreementRow:
    """The best judge's row on the heaviest criterion with grades of both; else the first there."""
    named = [one.name for one in rubric.by_weight()]
    graded = {row.criterion for row in rows if row.n}
    criterion = next((name for name in named if name in graded), named[0])
    mine = [row for row in rows if row.criterion == criterion]
    return next((row for row in mine if row.best_of), next((row for row in mine if row.n), mine[0]))


def _further(found: WholeReport, overall: Sequence[AgreementRow], rubric: Rubric) -> list[Document]:
    parts = [
        statistics(found.rows, rubric),
        reliability(found.annotator_agreement, found.reliability, rubric),
        alternative_annotator(overall, rubric),
        bias(found.bias_tests, rubric),
        skipped(found.skipped_analyses, rubric),
    ]
    parts += [continuous_thresholds.document(found.thresholds, rubric)] if found.thresholds else []
    return parts + ([units(found.units, rubric)] if found.units else [])
