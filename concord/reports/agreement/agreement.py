"""Agreement of judges with annotators: the report, one definition for screen and `--json`."""

from concord.reports.agreement import bias_tests, skipped_analyses, unit_agreement
from concord.reports.agreement.results import (
    AgreementReport,
    AgreementRow,
    Counted,
    WholeReport,
)
from concord.reports.agreement.rows import Rows, rows, rows_by_answer_model, whole_rows
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel_reading import lengths
from concord.reports.panel.provenance import weighting
from concord.reports.panel.reference_standard import EACH
from concord.reports.reliability import annotator_warnings, panel_reliability, test_retest
from concord.store.database import Store


def report(panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> AgreementReport:
    """Return the figures that decide, each annotator's own reliability, and who counts."""
    return _report(panel, rows(panel, kind), kind, by_answer_model, rows)


def whole(
    store: Store, panel: Panel, kind: str = EACH, by_answer_model: bool = False
) -> WholeReport:
    """Return the same with every statistic, the bias tests, and what could not be run."""
    found = _report(panel, whole_rows(panel, kind), kind, by_answer_model, whole_rows)
    probed = bias_tests.probes(panel, lengths(store, panel))
    return WholeReport(
        **vars(found),
        annotator_agreement=tuple(panel_reliability.rows(panel)),
        probes=tuple(probed),
        not_run=tuple(skipped_analyses.not_run(panel, found, probed)),
        units=unit_agreement.report(store, panel, kind),
    )


def _report(
    panel: Panel, found: list[AgreementRow], kind: str, by_answer_model: bool, every: Rows
) -> AgreementReport:
    by_model = rows_by_answer_model(panel, kind, every=every) if by_answer_model else []
    return AgreementReport(
        rows=(*found, *by_model),
        reliability=tuple(test_retest.of_annotators(panel)),
        annotators=tuple(Counted(one.name, one.simulated) for one in panel.annotators.values()),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
        annotator_warnings=tuple(annotator_warnings.warnings(panel)),
    )
