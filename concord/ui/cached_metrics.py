"""Metric values of a sheet on screen, cached by the state of the store."""

from functools import partial

from concord.messages import said
from concord.model import Sheet
from concord.reports.metrics import metric_records, metric_validity, similarity_baseline
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metric_validity import FailingAnswers
from concord.stats.comparison.similarity_baseline import Unrelated
from concord.store.database import Store
from concord.ui.caching import kept


@kept(said("Reading the metrics…"), 4, shared=True)
def readings(store: Store, sheet: Sheet) -> Readings:
    """Return every number on a sheet; not to be changed."""
    return metric_records.read(store, sheet)


def unrelated(store: Store, sheet: Sheet, metric: str, grader_id: int) -> Unrelated | None:
    """Return the null distribution of a metric of likeness; None for other metrics."""
    if metric not in similarity_baseline.HELD:
        return None
    return _unrelated(store, sheet, metric, grader_id)


@kept(said("Computing the similarity of unrelated texts…"), 8, shared=True)
def _unrelated(store: Store, sheet: Sheet, metric: str, grader_id: int) -> Unrelated | None:
    return similarity_baseline.of_sheet(store, sheet, metric, grader_id)


def usual_thresholds(store: Store, sheet: Sheet, found: Readings) -> dict[tuple[str, str], float]:
    """Return the threshold below which a value of likeness fails, by metric and judge."""
    return similarity_baseline.thresholds(found, partial(unrelated, store, sheet))


def failing(store: Store, sheet: Sheet, found: Readings, threshold: float) -> list[FailingAnswers]:
    """Return what fails below a share of a metric's range; not to be changed."""
    return _failing(store, sheet, threshold, found, usual_thresholds(store, sheet, found))


@kept(said("Looking for failing answers…"), 8)
def _failing(
    store: Store,
    sheet: Sheet,
    threshold: float,
    _found: Readings,
    _cuts: dict[tuple[str, str], float],
) -> list[FailingAnswers]:
    return metric_validity.diagnosis_rows(_found, threshold, _cuts)
