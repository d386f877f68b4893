"""Fitted threshold: the metric value from which annotators pass an answer, and the default.

Half of the questions choose the threshold and the other half measure its accuracy. Questions of
the few-shot pool cannot choose it: they have no metric values. Nothing is replaced: what fails
elsewhere fails by the default threshold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.messages import Numeral, said
from concord.reports.document import Column, Table, table_of
from concord.reports.metrics.diagnosis import THRESHOLD
from concord.reports.metrics.metric_mean import bounds
from concord.reports.metrics.metric_records import short
from concord.reports.metrics.metric_validity import Series, undefined_because
from concord.reports.panel.panel import Panel
from concord.reports.panel.threshold_fit import ThresholdFit, fitted


@dataclass(frozen=True)
class FittedThreshold(ThresholdFit):
    """The fitted threshold of a metric; `better` is `higher` or `lower`."""

    metric: str
    judge: str
    version: str
    name: str
    better: str


def rows(
    every: Sequence[Series],
    panel: Panel,
    criterion: str,
    usual: Mapping[tuple[str, str], float] | None = None,
) -> list[FittedThreshold]:
    """Fit a threshold for every series on half of the questions and read it on the others.

    Args:
        every: The series.
        panel: Annotators' grades.
        criterion: A criterion; its failing scores say what annotators fail.
        usual: By (judge, metric) the default where it is not the middle of the range.
    """
    return [_row(one, every, panel, criterion, usual or {}) for one in every]


def table(found: Sequence[FittedThreshold]) -> Table:
    """Return the thresholds with their accuracy and that of the default."""
    judges = short(row.judge for row in found)
    parts = (
        (Column(said("metric")), lambda row: row.name),
        (Column(said("judge")), lambda row: judges[row.judge]),
        (Column(said("passes at")), lambda row: _at(row, row.threshold)),
        (Column(said("balanced accuracy"), "number"), lambda row: row.balanced),
        (Column(said("default")), lambda row: _at(row, row.usual)),
        (Column(said("accuracy of the default"), "number"), lambda row: row.usual_balanced),
        (Column(said("difference"), "difference"), lambda row: row.gain),
        (Column(said("n"), "count"), lambda row: row.n),
        (Column(said("questions"), "count"), lambda row: row.questions),
        (Column(said("annotators pass"), "precise"), lambda row: row.passing),
        (Column(said("answers fitted on"), "count"), lambda row: row.fitted_on.n),
        (
            Column(said("undefined because")),
            lambda row: (
                row.why_none or undefined_because(row.balanced, row.usual_balanced, row.gain)
            ),
        ),
    )
    return table_of("thresholds", found, parts, said("Thresholds fitted to annotators' grades"))


def _at(row: FittedThreshold, value: float | None) -> str | None:
    sign = "≥" if row.better == "higher" else "≤"
    return None if value is None else Numeral(f"{sign} {value:.3g}")


def _row(
    one: Series,
    every: Sequence[Series],
    panel: Panel,
    criterion: str,
    usual: Mapping[tuple[str, str], float],
) -> FittedThreshold:
    default = usual.get((one.judge, one.metric), _middle(one))
    values = {item_id: one.sign * value for item_id, value in one.values.items()}
    found = fitted(values, panel, criterion, None if default is None else one.sign * default)
    threshold = None if found.threshold is None else one.sign * found.threshold
    return FittedThreshold(
        **vars(replace(found, threshold=threshold, usual=default)),
        metric=one.metric,
        judge=one.judge,
        version=one.version,
        name=one.called(every),
        better="higher" if one.sign > 0 else "lower",
    )


def _middle(one: Series) -> float | None:
    """The middle of a metric's range, in which a negative likeness counts as 0; None without."""
    low, high = bounds(one.metric, one.switches)
    if not np.isfinite([low, high]).all():
        return None
    return max(low, 0.0) + THRESHOLD * (high - max(low, 0.0))
