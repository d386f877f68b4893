"""Diagnosis: low metrics, their failing answers, and what to examine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from concord import metrics
from concord.messages import joined, said
from concord.model import Sheet
from concord.reports.document import INTERNAL, Column, Table, table_of
from concord.reports.metrics.metric_mean import MetricMean, bounds, figure
from concord.reports.metrics.metric_records import Readings, Record, by_reading
from concord.reports.metrics.metric_validity import Validity
from concord.store import items
from concord.store.database import Store

THRESHOLD = 0.5
# Metrics that need contexts and whose advice is about the answering model all the same.
_OF_THE_ANSWER = frozenset({"faithfulness", "vera_faithfulness"})
GIVEN_WHOLE = said(
    "Nothing was retrieved for these answers: each was given the whole document of its question. "
    "Check whether the document contains the question and the reference; search, chunks and order "
    "cannot be at fault."
)


@dataclass(frozen=True)
class FailingAnswers(MetricMean):
    """The answers that fail by one metric of one judge; the mean is the share that fails.

    Attributes:
        advice: What to look at. It does not mention retrieval where no failing answer had any.
        threshold: The value at which an answer begins to fail.
        item_ids: These answers, the worst first.
        items: Their names; empty until they are named.
    """

    metric: str
    title: str
    better: str
    judge: str
    advice: str
    threshold: float
    failing: int
    item_ids: list[int] = field(metadata=INTERNAL)
    items: list[str] = field(default_factory=list)


def rows(
    found: Readings,
    threshold: float = THRESHOLD,
    thresholds: Mapping[tuple[str, str], float] | None = None,
) -> list[FailingAnswers]:
    """Return every metric with advice and failing answers, the largest share of them first.

    Args:
        found: The records of a sheet.
        threshold: Where an answer begins to fail, as a share of the way from the worst value to the
            best; negative values of a similarity count as 0.
        thresholds: By (judge, metric) the value itself at which an answer begins to fail.
    """
    scored = (one for one in found.records if one.value is not None)
    groups = by_reading(scored).values()
    made = [_row(same, threshold, thresholds or {}, found.given_whole) for same in groups]
    return sorted((row for row in made if row), key=lambda row: -row.mean)


def by_validity(
    found: Sequence[FailingAnswers], validity: Sequence[Validity]
) -> list[FailingAnswers]:
    """Return rows in the order of `validity`: the metric that predicts annotators best comes first.

    Those of unknown validity come last, as they were: a metric that fails every answer, as exact
    match does with long ones, tells none from another.
    """
    known = [one for one in validity if one.correlation.value is not None]
    places = {(one.metric, one.judge): place for place, one in enumerate(known)}
    return sorted(found, key=lambda row: places.get((row.metric, row.judge), len(known)))


def named(store: Store, sheet: Sheet, found: Sequence[FailingAnswers]) -> list[FailingAnswers]:
    """Return the rows with the names of their answers."""
    names = items.answer_names(store, sheet.id)
    return [replace(row, items=[names[item_id] for item_id in row.item_ids]) for row in found]


def table(
    found: Sequence[FailingAnswers], called: Callable[[str], str] = str, most: int | None = 3
) -> Table:
    """Return a row for each metric with its failing answers, the worst of which it names.

    Args:
        found: The rows.
        called: A metric's name as it is shown.
        most: So many answers are named; None names all.
    """
    parts = (
        (Column(said("metric")), lambda row: called(row.metric)),
        (Column(said("judge")), lambda row: row.judge),
        (Column(said("failing"), "count"), lambda row: row.failing),
        (Column(said("answers"), "count"), lambda row: row.n),
        (Column(said("share"), "share"), lambda row: row.estimate),
        (Column(said("passes at")), passes),
        (Column(said("what to do")), lambda row: row.advice),
        (Column(said("worst answers")), lambda row: joined(", ", row.items[:most])),
    )
    return table_of("failing", found, parts, said("Failing answers"))


def passes(row: FailingAnswers) -> str:
    """Return which values pass, as `0.82 or more`; a value at the threshold itself passes."""
    return said(
        "{threshold:.2f} or less" if row.better == "lower" else "{threshold:.2f} or more",
        threshold=row.threshold,
    )


def _row(
    same: list[Record],
    threshold: float,
    thresholds: Mapping[tuple[str, str], float],
    whole: frozenset[int],
) -> FailingAnswers | None:
    metric = metrics.available().get(same[0].metric)
    if metric is None or not metric.when_low:
        return None
    low, high = bounds(metric.name, same[0].switches)
    sign = -1 if metric.better == "lower" else 1
    worst, best = (max(low, 0.0), high) if sign > 0 else (high, max(low, 0.0))
    at = thresholds.get((same[0].judge, metric.name), worst + threshold * (best - worst))
    failing = [one for one in same if sign * one.value < sign * at]
    if not failing:
        return None
    failing.sort(key=lambda one: (sign * one.value, one.item_id))
    item_ids = [one.item_id for one in failing]
    shares = figure([one._replace(value=float(sign * one.value < sign * at)) for one in same])
    of_contexts = {"retrieved", "contexts"} & {*metric.needs} and metric.name not in _OF_THE_ANSWER
    return FailingAnswers(
        **vars(shares),
        metric=metric.name,
        title=metric.title,
        better=metric.better,
        judge=same[0].judge,
        advice=GIVEN_WHOLE if of_contexts and whole.issuperset(item_ids) else metric.when_low,
        threshold=at,
        failing=len(failing),
        item_ids=item_ids,
    )
