"""Agreement of judges with annotators: the report, one definition for screen and `--json`."""

from concord.reports.agreement.best_judge import with_best
from concord.reports.agreement.results import AgreementReport, AgreementRow
from concord.reports.agreement.rows import Rows, rows, rows_by_answer_model
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import weighting
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.simulated import counted
from concord.reports.reliability import test_retest


def report(panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> AgreementReport:
    """Return the figures that decide, each annotator's own reliability, and who counts."""
    return of_rows(panel, rows(panel, kind), kind, by_answer_model, rows)


def of_rows(
    panel: Panel, found: list[AgreementRow], kind: str, by_answer_model: bool, every: Rows
) -> AgreementReport:
    """Return the report of rows that were made by `every`."""
    by_model = rows_by_answer_model(panel, kind, every=every) if by_answer_model else []
    return AgreementReport(
        rows=(*with_best(panel, kind, found), *by_model),
        reliability=tuple(test_retest.of_annotators(panel)),
        annotators=counted(panel.graded_by),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
    )
