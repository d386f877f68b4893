"""Sheet metrics: the values of every metric on a sheet, their validity, and the failing answers."""

from dataclasses import dataclass, field
from functools import cache, partial

from concord.model import Sheet
from concord.reports.document import INTERNAL
from concord.reports.metrics import (
    against_annotators,
    diagnosis,
    metric_details,
    metric_validity,
    metrics,
    similarity_baseline,
)
from concord.reports.metrics.against_annotators import AgainstAnnotators
from concord.reports.metrics.diagnosis import FailingAnswers
from concord.reports.metrics.fitted_threshold import FittedThreshold
from concord.reports.metrics.metric_details import MetricDetails
from concord.reports.metrics.metric_records import Readings, edited
from concord.reports.metrics.metric_validity import SeriesPair
from concord.store.database import Store


@dataclass(frozen=True)
class SheetMetrics:
    """The metrics of a sheet.

    Attributes:
        rows: The values of every metric.
        predicts: How well the metrics predict annotators' grades.
        fitted_cuts: The threshold of each metric fitted to annotators' grades.
        correlations: The correlation of every two metrics.
        diagnosis: The failing answers by metric, and what to look at.
        closed: How many answers are excluded: held out or in the few-shot pool.
        edited: How many values no longer count, since a list of units was edited.
    """

    rows: list[MetricDetails]
    predicts: AgainstAnnotators
    fitted_cuts: list[FittedThreshold]
    correlations: list[SeriesPair]
    diagnosis: list[FailingAnswers]
    closed: int = field(metadata=INTERNAL)
    edited: int = field(metadata=INTERNAL)


def report(store: Store, sheet: Sheet, found: Readings, rubric: str | None = None) -> SheetMetrics:
    """Return the metrics of a sheet, compared with the annotators' grades under a rubric."""
    panel = against_annotators.panel(store, sheet, rubric)
    every = metric_validity.series(found)
    null_of = cache(partial(similarity_baseline.of_sheet, store, sheet))
    cuts = similarity_baseline.cuts(found, null_of)
    return SheetMetrics(
        rows=[metric_details.details(found, row, null_of) for row in metrics.rows(found)],
        predicts=against_annotators.against(every, panel),
        fitted_cuts=against_annotators.fitted(every, panel, "", cuts),
        correlations=metric_validity.among(every),
        diagnosis=diagnosis.named(store, sheet, diagnosis.rows(found, cuts=cuts)),
        closed=found.closed,
        edited=edited(found),
    )
