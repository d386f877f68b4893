"""The whole agreement report: every statistic, the bias tests, units, and what was not run."""

from dataclasses import dataclass, field, replace
from typing import Any

from concord.reports.agreement import (
    bias_tests,
    continuous_thresholds,
    skipped_analyses,
    unit_agreement,
)
from concord.reports.agreement.agreement import of_rows
from concord.reports.agreement.answer_lengths import lengths
from concord.reports.agreement.continuous_thresholds import ContinuousThreshold
from concord.reports.agreement.more_statistics import whole_rows
from concord.reports.agreement.results import AgreementReport, BiasTest, SkippedAnalysis
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.document import OPTIONAL
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.probabilities import judge_probabilities
from concord.reports.probabilities.judge_probabilities import Confidence, read, with_probabilities
from concord.reports.reliability import annotator_alerts, panel_reliability
from concord.store.database import Store


@dataclass(frozen=True)
class WholeReport(AgreementReport):
    """The agreement report with every statistic in the rows, and every further analysis.

    The rows have the figures of probabilities.

    Attributes:
        annotator_agreement: From `panel_reliability.rows`.
        units: Of a rubric of units; else None.
        thresholds: From which number of a continuous judge annotators pass an answer; None without
            one.
        confidence: Of the probabilities, by criterion and judge; only where it is asked for.
    """

    annotator_agreement: tuple[Any, ...]
    bias_tests: tuple[BiasTest, ...]
    skipped_analyses: tuple[SkippedAnalysis, ...]
    units: UnitAgreement | None
    thresholds: tuple[ContinuousThreshold, ...] | None = field(metadata=OPTIONAL)
    confidence: tuple[Confidence, ...] | None = field(default=None, metadata=OPTIONAL)


def whole(
    store: Store, panel: Panel, kind: str = EACH, by_answer_model: bool = False
) -> WholeReport:
    """Return the report with every statistic, the bias tests, and what could not be run."""
    found = of_rows(panel, whole_rows(panel, kind), kind, by_answer_model, whole_rows)
    probed = bias_tests.run(panel, lengths(store, panel))
    return WholeReport(
        **vars(found)
        | {
            "rows": with_probabilities(store, panel, found.rows),
            "alerts": annotator_alerts.open_alerts(store, panel),
        },
        annotator_agreement=tuple(panel_reliability.rows(panel)),
        bias_tests=tuple(probed),
        skipped_analyses=tuple(skipped_analyses.of(panel, found, probed)),
        units=unit_agreement.report(store, panel, kind),
        thresholds=tuple(continuous_thresholds.report(panel)) or None,
    )


def with_confidence(
    store: Store, panel: Panel, found: WholeReport, kind: str = EACH
) -> WholeReport:
    """Add the quality of the judges' probabilities on each criterion; none of units."""
    names = () if panel.rubric.units else [one.name for one in panel.rubric.criteria]
    rows = [
        row
        for name in names
        for row in judge_probabilities.report(panel, read(store, panel, name), name, kind)
    ]
    return replace(found, confidence=tuple(rows))
