"""Metrics by segment: bootstrap means in the segments that a column names, and their contrasts.

Sources: VERA (2024) for the design, `bootstrap` and `contrast` for the figures.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from concord import metrics
from concord.messages import Problem, Said, counted, joined, listed, said
from concord.model import Sheet
from concord.reports.cells import written
from concord.reports.document import FLAT, Column, Document, Part, Table, table_of
from concord.reports.metrics.metric_records import Readings, Record, indexed
from concord.reports.metrics.metrics import status_counts
from concord.reports.segments.segment_column import CLUSTER, SegmentColumn, columns, read
from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.bootstrap import Bootstrap, another, of_mean
from concord.stats.intervals.resampling import Draws
from concord.stats.segments import contrast
from concord.store.database import Store

BETTER, WORSE, UNSURE = "better", "worse", "inconclusive"
NOT_COMPARED = "not compared"
SHARED = reason("segments_share_questions")
SEVERAL = range(2, 13)  # segments of a column that the screen offers


@dataclass(frozen=True)
class SegmentMean:
    """The mean of a metric in one segment; fields as in `Bootstrap`.

    `left_out` counts answers without a value by status.
    """

    segment: str
    n: int
    questions: int
    estimate: Estimate = field(metadata=FLAT)
    variance: float | None
    settled: int | None
    left_out: dict[str, int]


@dataclass(frozen=True)
class SegmentContrast:
    """The topic minus another segment; fields as in `Contrast`, and a verdict."""

    against: str
    difference: Estimate
    exceeds: float | None
    overlap: float | None
    verdict: str


@dataclass(frozen=True)
class MetricBySegment:
    """One judge, metric and reading in every segment, and the topic against the others."""

    judge: str
    metric: str
    title: str
    switches: dict[str, str]
    segments: tuple[SegmentMean, ...]
    contrasts: tuple[SegmentContrast, ...]


@dataclass(frozen=True)
class MetricsBySegment:
    """Every metric in every segment, the topic first.

    Attributes:
        by: The column that names the segments, and `title`, what it is called.
        topic: The segment the others are compared with.
        without_value: Answers in no segment.
        resamples: B, the number of resamples.
    """

    by: str
    title: str
    topic: str
    without_value: int
    resamples: int
    seed: int
    metrics: tuple[MetricBySegment, ...]


class _Side(NamedTuple):
    """One segment under one reading of a metric."""

    name: str
    values: np.ndarray
    clusters: set
    found: Bootstrap
    left_out: dict[str, int]


def offered(store: Store, sheet: Sheet) -> list[str]:
    """Return the columns that put the answers in two to twelve segments."""
    return [one for one in columns(store, sheet) if len(read(store, sheet, one).values) in SEVERAL]


def report(
    found: Readings, column: SegmentColumn, topic: str | None = None, draws: Draws | None = None
) -> MetricsBySegment:
    """Return the bootstrap mean of every metric by segment, and the contrasts with the topic.

    `topic` is by default the segment of the first answer.

    Raises:
        Problem: There is no such segment.
    """
    names, draws = column.values, draws or Draws()
    if topic is not None and topic not in names:
        raise Problem(
            "There is no segment “{set}”. Available: {sets}.", set=topic, sets=joined(", ", names)
        )
    names.sort(key=lambda name: name != topic if topic else 0)
    each = list(accumulate(names[1:], lambda last, _: another(last), initial=draws))
    by_key: dict[tuple, dict[str, list[Record]]] = {}
    for one in found.records:
        if name := column.segments[one.item_id]:
            if column.name == CLUSTER:  # each segment is one cluster, so questions are resampled
                one = one._replace(cluster=one.question_id)
            key = one.judge, one.metric, tuple(sorted(one.switches.items()))
            by_key.setdefault(key, {}).setdefault(name, []).append(one)
    rows = []
    for (judge, metric, switches), mine in by_key.items():
        sides = [
            _side(name, mine.get(name, []), own) for name, own in zip(names, each, strict=True)
        ]
        rows.append(
            MetricBySegment(
                judge=judge,
                metric=metric,
                title=metrics.title(metric),
                switches=dict(switches),
                segments=tuple(map(_mean, sides)),
                contrasts=tuple(_contrast(sides[0], side, metric) for side in sides[1:]),
            )
        )
    without = sum(not name for name in column.segments.values())
    first = names[0] if names else ""
    return MetricsBySegment(
        column.name, column.title, first, without, draws.resamples, draws.seed, tuple(rows)
    )


def _side(name: str, mine: Sequence[Record], draws: Draws) -> _Side:
    scored = [record for record in mine if record.value is not None]
    values = np.array([record.value for record in scored], float)
    item = indexed(record.item_id for record in scored)
    clusters = [record.cluster for record in scored]
    out = Counter(record.status for record in mine if record.value is None)
    mean = of_mean(values, indexed(clusters), draws, item)
    return _Side(name, values, set(clusters), mean, dict(sorted(out.items())))


def _mean(side: _Side) -> SegmentMean:
    one = side.found
    return SegmentMean(
        side.name, one.n, one.questions, one.best, one.variance, one.settled, side.left_out
    )


def _contrast(topic: _Side, other: _Side, metric: str) -> SegmentContrast:
    if topic.clusters & other.clusters:
        return SegmentContrast(other.name, undefined(SHARED), None, None, NOT_COMPARED)
    found = contrast(topic.found, other.found)
    low, high = found.difference.low, found.difference.high
    if found.difference.value is None:
        verdict = NOT_COMPARED
    elif low is None or (low <= NEGLIGIBLE and high >= -NEGLIGIBLE):
        verdict = UNSURE
    else:
        known = metrics.available().get(metric)
        less = known is not None and known.better == "lower"
        verdict = BETTER if (low > 0) != less else WORSE
    return SegmentContrast(other.name, found.difference, found.exceeds, found.overlap, verdict)


_SERIES: tuple[Part, ...] = (  # of a metric and one of its segments or contrasts
    ("metric", lambda pair: pair[0].title),
    ("judge", lambda pair: pair[0].judge),
)


def document(found: MetricsBySegment) -> Document:
    """Return the comparison with the topic, the means behind it and what limits both."""
    compared = _compared(found)
    means = [(row, one) for row in found.metrics for one in row.segments]
    largest = _largest(found, compared)
    return Document(
        _headline(found, compared),
        (largest,) if largest else (),
        (_contrasts(found), _means(found, means)),
        ("Each 95% CI is pointwise.",) if len(compared) > 1 else (),
        said(
            "B = {resamples:,} resamples of whole questions, seed {seed}.",
            resamples=found.resamples,
            seed=found.seed,
        ),
    )


def _compared(found: MetricsBySegment) -> list[tuple[MetricBySegment, SegmentContrast]]:
    pairs = [(row, one) for row in found.metrics for one in row.contrasts]
    return [pair for pair in pairs if pair[1].verdict != NOT_COMPARED]


def _headline(found: MetricsBySegment, compared: Sequence[tuple]) -> Said:
    values = {"topic": found.topic, "column": found.title}
    if not found.metrics:
        return said("No metric has a value in a segment by {column}", **values)
    if not compared:
        return said("{topic} is compared with no other segment by {column}", **values)
    counts = Counter(one.verdict for _, one in compared)
    values |= {
        "comparisons": counted(len(compared), "comparison"),
        "others": listed(list(dict.fromkeys(one.against for _, one in compared))),
    }
    if not counts[BETTER] and not counts[WORSE]:
        return said(
            "{topic}: no conclusive difference from {others} in {comparisons}",
            **values,
        )
    return said(
        "{topic} scores better in {better} and worse in {worse} of {comparisons} with {others}",
        better=counts[BETTER],
        worse=counts[WORSE],
        **values,
    )


def _largest(found: MetricsBySegment, compared: Sequence[tuple]) -> Said | None:
    known = [pair for pair in compared if pair[1].verdict in (BETTER, WORSE)]
    if not known:
        return None
    row, one = max(known, key=lambda pair: abs(pair[1].difference.value))
    return said(
        "Largest difference: {metric}, {topic} minus {other}: {difference}.",
        metric=row.title,
        topic=found.topic,
        other=one.against,
        difference=written(one.difference, "difference"),
    )


def _contrasts(found: MetricsBySegment) -> Table:
    parts = (
        *_SERIES,
        ("compared with", lambda pair: pair[1].against),
        (Column("difference", "difference"), lambda pair: pair[1].difference),
        (Column("P(above)", "share"), lambda pair: pair[1].exceeds),
        (Column("overlap", "share"), lambda pair: pair[1].overlap),
        ("result", lambda pair: pair[1].verdict),
    )
    title = said("{topic} compared with the other segments", topic=found.topic)
    return table_of("contrasts", _compared(found), parts, title)


def _means(found: MetricsBySegment, means: Sequence[tuple]) -> Table:
    parts = (
        *_SERIES,
        ("segment", lambda pair: pair[1].segment),
        (Column("n", "count"), lambda pair: pair[1].n),
        (Column("questions", "count"), lambda pair: pair[1].questions),
        (Column("mean", "number"), lambda pair: pair[1].estimate),
        (Column("variance of the mean", "precise"), lambda pair: pair[1].variance),
        (Column("stable from B", "count"), lambda pair: pair[1].settled),
        ("left out", lambda pair: status_counts(pair[1].left_out)),
    )
    title = said("Mean of each metric by {column}", column=found.title)
    return table_of("segments", means, parts, title, sparse=True)
