"""Segment analysis: metrics on a topic's questions compared with those on other questions.

Sources: VERA (2024) for the design, `bootstrap` and `contrast` for the figures.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from concord import metrics
from concord.messages import Numeral, Said, capital, counted, joined, listed, on_command_line, said
from concord.reports.cells import written
from concord.reports.charts import Curve, CurvePoint, Curves, Spread, Spreads
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import Record
from concord.reports.metrics.metrics import status_counts
from concord.reports.segments.segments import Sets
from concord.stats.comparison.contrast import Contrast, contrast
from concord.stats.core.estimate import Estimate, Reason
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.bootstrap import Bootstrap, another, of_mean
from concord.stats.intervals.resampling import Draws

BINS = 40
YES, NO, UNSURE = said("better"), said("worse"), said("cannot tell")
NOT_MEASURED = said("not measured")
NOTHING = said(
    "This sheet has no metric values yet. Compute the free ones under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge computed`"),
)
_SHOWN = {UNSURE: said("inconclusive"), NOT_MEASURED: said("not compared")}
_Key = tuple[str, str, tuple]


@dataclass(frozen=True)
class Segment:
    """A set of questions; `closed` counts answers in no figure."""

    set: str
    items: int
    questions: int
    closed: int


@dataclass(frozen=True)
class Step:
    """The standard error estimated from the first B resamples."""

    resamples: int
    error: float


@dataclass(frozen=True)
class Histogram:
    """Shares of the resampled means in bins of equal width from `low` to `high`."""

    low: float
    high: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class SegmentMean:
    """The mean of a metric in one segment; fields as in `Bootstrap`.

    `left_out` counts answers without a value by status; `spread`: None for few questions or equal
    values.
    """

    set: str
    n: int
    questions: int
    drawn: int
    mean: float | None
    mean_of_means: float | None
    variance: float | None
    error: float | None
    from_repeats: float | None
    interval: Estimate
    wilson: Estimate | None
    convergence: tuple[Step, ...]
    settled: int | None
    flags: tuple[Reason, ...]
    left_out: dict[str, int]
    spread: Histogram | None

    @property
    def best(self) -> Estimate:
        """The Wilson interval for shares, else the bootstrap percentiles."""
        return self.wilson or self.interval


@dataclass(frozen=True)
class SegmentContrast:
    """The topic minus another segment; fields as in `Contrast`, and a verdict."""

    against: str
    difference: Estimate
    exceeds: float | None
    overlap: float | None
    item_exceeds: float | None
    verdict: str


@dataclass(frozen=True)
class MetricSegments:
    """One judge, metric and reading in every segment, and the topic against the others."""

    judge: str
    metric: str
    title: str
    better: str
    switches: dict[str, str]
    sets: tuple[SegmentMean, ...]
    contrasts: tuple[SegmentContrast, ...]


@dataclass(frozen=True)
class SegmentAnalysis:
    """Every metric in every segment, the topic first.

    Attributes:
        by: The column that names the segments, or `sheet`.
        topic: The segment the others are compared with.
        metrics: Metrics with a value in at least one segment.
        without: Titles of metrics without any.
        caveats: Sentences on answers that are left out and on dependence.
        resamples: B, the number of resamples.
    """

    by: str
    topic: str
    sets: tuple[Segment, ...]
    metrics: tuple[MetricSegments, ...]
    without: tuple[str, ...]
    caveats: tuple[str, ...]
    resamples: int
    seed: int


class _Side(NamedTuple):
    """One set under one reading of a metric."""

    name: str
    values: np.ndarray
    found: Bootstrap
    left_out: dict[str, int]


def report(found: Sets, draws: Draws) -> SegmentAnalysis:
    """Return the bootstrap mean of every metric per segment, and the contrasts with the topic.

    The topic's set is the first.
    """
    by_key = [_by_key(one.records) for one in found.sets]
    keys = dict.fromkeys(key for known in by_key for key in known)
    each = list(accumulate(found.sets[1:], lambda last, _: another(last), initial=draws))
    sides = [
        (one.name, known, own) for one, known, own in zip(found.sets, by_key, each, strict=True)
    ]
    rows = [
        _metric(key, [_side(name, known.get(key, []), own) for name, known, own in sides])
        for key in keys
    ]
    return SegmentAnalysis(
        by=found.by,
        topic=found.sets[0].name,
        sets=tuple(Segment(s.name, s.items, s.questions, s.closed) for s in found.sets),
        metrics=tuple(row for row in rows if _has_numbers(row)),
        without=tuple(row.title for row in rows if not _has_numbers(row)),
        caveats=tuple(found.caveats),
        resamples=draws.resamples,
        seed=draws.seed,
    )


def document(found: SegmentAnalysis) -> Document:
    """Return the comparison with the topic, the means behind it and what limits both."""
    if not found.metrics:
        return Document(NOTHING)
    return Document(
        _headline(found),
        tuple(_facts(found)),
        (_contrasts(found.metrics), _sizes(found), _means(found.metrics)),
        tuple(_reasons(found.metrics)),
        said(
            "B = {resamples:,} resamples of whole questions, seed {seed}. {settled}.",
            resamples=found.resamples,
            seed=found.seed,
            settled=settled(found.metrics),
        ),
        spreads(found.metrics),
    )


def settled(rows: Sequence[MetricSegments]) -> str:
    """State the B from which on every standard error stays within 5% of the last."""
    each = [one.settled for row in rows for one in row.sets if one.convergence]
    known = [step for step in each if step]
    if not known:
        return said("No standard error is stable yet")
    if len(known) < len(each):
        return said("Not every standard error is stable yet")
    return said(
        "Every standard error stays within 5% of the last from B = {resamples:,} on",
        resamples=max(known),
    )


def convergence(found: SegmentAnalysis) -> Table:
    """Return the standard error of every mean from the first B resamples, a column per B."""
    means = [(row.title, one) for row in found.metrics for one in row.sets]
    steps = max((one.convergence for _, one in means), key=len, default=())
    heads = tuple(Column(Numeral(f"{step.resamples:,}"), "precise") for step in steps)
    rows = tuple(
        (
            title,
            one.set,
            *(step.error for step in one.convergence),
            *[None] * (len(steps) - len(one.convergence)),
        )
        for title, one in means
    )
    return Table("convergence", (Column(said("metric")), Column(said("segment")), *heads), rows)


def spreads(rows: Sequence[MetricSegments]) -> tuple[Spreads, ...]:
    """Return the resampled means of each metric, the largest conclusive differences first."""
    return tuple(map(_spreads, sorted(rows, key=_most, reverse=True)))


def _spreads(row: MetricSegments) -> Spreads:
    sets = joined(
        "; ",
        (
            said("{set} {mean}, n = {n:,}", set=one.set, mean=written(one.best, "number"), n=one.n)
            for one in row.sets
        ),
    )
    return Spreads(
        name=row.metric,
        title=_title(row),
        alt=said(
            "{metric} by {judge}: {segments}.", metric=row.title, judge=row.judge, segments=sets
        ),
        axis=said("mean of each resample"),
        spreads=tuple(
            Spread(one.set, one.best, one.n, *((one.spread and astuple(one.spread)) or ()))
            for one in row.sets
        ),
    )


def _title(row: MetricSegments) -> str:
    known = [one for one in row.sets if one.mean is not None]
    means = joined(", ", [said("{set} {mean:.2f}", set=one.set, mean=one.mean) for one in known])
    values = {"metric": row.title, "means": means}
    verdicts = {one.verdict for one in row.contrasts} - {NOT_MEASURED}
    if not verdicts:
        return said("{metric}: {means}", **values)
    if verdicts == {YES}:
        return said("{metric}: {means}; the topic scores better", **values)
    if verdicts == {NO}:
        return said("{metric}: {means}; the topic scores worse", **values)
    if not verdicts & {YES, NO}:
        return said("{metric}: {means}; no conclusive difference", **values)
    return said("{metric}: {means}; not all differences are conclusive", **values)


def _most(row: MetricSegments) -> float:
    known = [one.difference.value for one in row.contrasts if one.verdict in (YES, NO)]
    return max(map(abs, known), default=-1.0)


def errors(rows: Sequence[MetricSegments]) -> Curves:
    """Return the standard error of every mean from its first B resamples, relative to the last."""
    return Curves(
        name="error",
        title=settled(rows),
        alt=said("{settled}. The table below has the numbers.", settled=settled(rows)),
        across=said("resamples (B)"),
        up=said("standard error, relative to the last"),
        kind="number",
        curves=tuple(
            Curve(joined(", ", [row.title, one.set]), place, _steps(one))
            for row in rows
            for place, one in enumerate(row.sets)
        ),
        curves_are="segments",
    )


def _steps(one: SegmentMean) -> tuple[CurvePoint, ...]:
    steps = one.convergence if one.error else ()
    return tuple(CurvePoint(step.resamples, step.error / one.error) for step in steps)


def _headline(found: SegmentAnalysis) -> Said:
    topic, compared = found.topic, [one for _, one in _compared(found)]
    if len(found.sets) < 2:
        return said("There is one segment, {topic}: nothing to compare it with", topic=topic)
    if not compared:
        return said("{topic} is not compared: no metric has values in both", topic=topic)
    counts = Counter(one.verdict for one in compared)
    others = listed(list(dict.fromkeys(one.against for one in compared)))
    if not counts[YES] and not counts[NO]:
        return said(
            "{topic}: no conclusive difference from {others} in {comparisons}",
            topic=topic,
            others=others,
            comparisons=counted(len(compared), "comparison"),
        )
    return said(
        "{topic} scores better in {better} and worse in {worse} of {comparisons} with {others}",
        topic=topic,
        better=counts[YES],
        worse=counts[NO],
        comparisons=counted(len(compared), "comparison"),
        others=others,
    )


def _facts(found: SegmentAnalysis) -> Iterator[str]:
    compared = {one.against for _, one in _compared(found)}
    apart = [one.set for one in found.sets[1:] if one.set not in compared]
    yield _largest(found)
    yield from found.caveats
    if apart:
        yield said(
            "Not compared with {topic}, as no metric has values in both: {segments}.",
            topic=found.topic,
            segments=joined(", ", apart),
        )
    if found.without:
        yield said("Without a value: {metrics}.", metrics=joined(", ", found.without))
    if len(_compared(found)) > 1:
        yield said("Each 95% CI is pointwise: with several comparisons, some differ by chance.")


def _largest(found: SegmentAnalysis) -> str:
    known = [pair for pair in _compared(found) if pair[1].verdict in (YES, NO)]
    if not known:
        return ""
    row, one = max(known, key=lambda pair: abs(pair[1].difference.value))
    return said(
        "Largest difference: {metric}, {topic} minus {other}: {difference}.",
        metric=row.title,
        topic=found.topic,
        other=one.against,
        difference=written(one.difference, "difference"),
    )


def _compared(found: SegmentAnalysis) -> list[tuple[MetricSegments, SegmentContrast]]:
    return [
        (row, one) for row in found.metrics for one in row.contrasts if one.verdict != NOT_MEASURED
    ]


_SERIES: tuple[Part, ...] = (  # of a metric and one of its segments or contrasts
    (Column(said("metric")), lambda pair: pair[0].title),
    (Column(said("judge")), lambda pair: pair[0].judge),
)


def _contrasts(rows: Sequence[MetricSegments]) -> Table:
    pairs = ((row, one) for row in rows for one in row.contrasts)
    parts = (
        *_SERIES,
        (Column(said("compared with")), lambda pair: pair[1].against),
        (Column(said("difference"), "difference"), lambda pair: pair[1].difference),
        (Column(said("P(above)"), "share"), lambda pair: pair[1].exceeds),
        (Column(said("overlap"), "share"), lambda pair: pair[1].overlap),
        (Column(said("P(answer above)"), "share"), lambda pair: pair[1].item_exceeds),
        (Column(said("result")), lambda pair: _SHOWN.get(pair[1].verdict, pair[1].verdict)),
    )
    return table_of("contrasts", pairs, parts, said("The topic compared with the other segments"))


def _sizes(found: SegmentAnalysis) -> Table:
    parts = (
        (Column(said("segment")), lambda one: one.set),
        (Column(said("answers"), "count"), lambda one: one.items),
        (Column(said("questions"), "count"), lambda one: one.questions),
    )
    by = said("sheet") if found.by == "sheet" else found.by
    return table_of("segments", found.sets, parts, said("Segments, by {column}", column=by))


def _means(rows: Sequence[MetricSegments]) -> Table:
    pairs = ((row, one) for row in rows for one in row.sets)
    parts = (
        *_SERIES,
        (Column(said("segment")), lambda pair: pair[1].set),
        (Column(said("n"), "count"), lambda pair: pair[1].n),
        (Column(said("clusters of questions"), "count"), lambda pair: pair[1].questions),
        (Column(said("mean (bootstrap CI)"), "number"), lambda pair: pair[1].interval),
        (Column(said("mean (Wilson CI)"), "number"), lambda pair: pair[1].wilson),
        (Column(said("variance of the mean"), "precise"), lambda pair: pair[1].variance),
        (Column(said("standard error"), "precise"), lambda pair: pair[1].error),
        (Column(said("stable from B"), "count"), lambda pair: pair[1].settled),
        (Column(said("left out")), lambda pair: status_counts(pair[1].left_out)),
        (Column(said("notes")), lambda pair: joined(", ", pair[1].flags)),
    )
    return table_of("means", pairs, parts, said("Mean of each metric per segment"))


def _reasons(rows: Sequence[MetricSegments]) -> Iterator[str]:
    """Yield why intervals and contrasts are missing, each reason once with its metrics."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        estimates = [one.best for one in row.sets] + [one.difference for one in row.contrasts]
        for why in dict.fromkeys(one.why_none for one in estimates if one.why_none):
            by_reason.setdefault(why, []).append(row.title)
    for why, names in by_reason.items():
        yield said("{why}: {metrics}.", why=capital(why), metrics=joined(", ", names))


def _has_numbers(row: MetricSegments) -> bool:
    return any(one.n for one in row.sets)


def _by_key(records: Sequence[Record]) -> dict[_Key, list[Record]]:
    """Return the records of each judge, metric and reading, in one pass: there may be many."""
    found: dict[_Key, list[Record]] = {}
    for one in records:
        key = one.judge, one.metric, tuple(sorted(one.switches.items()))
        found.setdefault(key, []).append(one)
    return found


def _metric(key: _Key, sides: Sequence[_Side]) -> MetricSegments:
    judge, name, switches = key
    metric = metrics.available().get(name)
    better = metric.better if metric else "higher"
    spans = [side.found.means for side in sides if _drawn(side)]
    span = (min(map(np.min, spans)), max(map(np.max, spans))) if spans else (0.0, 1.0)
    return MetricSegments(
        judge=judge,
        metric=name,
        title=metrics.title(name),
        better=better,
        switches=dict(switches),
        sets=tuple(_mean(side, span) for side in sides),
        contrasts=tuple(_contrast(sides[0], side, better) for side in sides[1:]),
    )


def _side(name: str, mine: Sequence[Record], draws: Draws) -> _Side:
    scored = [record for record in mine if record.value is not None]
    out = Counter(record.status for record in mine if record.value is None)
    values = np.array([record.value for record in scored], float)
    item = indexed(record.item_id for record in scored)
    cluster = indexed(record.cluster for record in scored)
    questions = len(set(cluster.tolist()))
    if draws.size is not None and draws.size > questions:  # no more than there are
        draws = Draws(draws.resamples, draws.seed)
    return _Side(name, values, of_mean(values, cluster, draws, item), dict(sorted(out.items())))


def _mean(side: _Side, span: tuple[float, float]) -> SegmentMean:
    found = side.found
    return SegmentMean(
        set=side.name,
        n=found.n,
        questions=found.questions,
        drawn=found.drawn,
        mean=found.mean,
        mean_of_means=found.mean_of_means,
        variance=found.variance,
        error=found.error,
        from_repeats=found.from_repeats,
        interval=found.interval,
        wilson=found.wilson,
        convergence=tuple(Step(b, error) for b, error in found.convergence),
        settled=found.settled,
        flags=tuple(found.flags),
        left_out=side.left_out,
        spread=_spread(found.means, span) if _drawn(side) else None,
    )


def _drawn(side: _Side) -> bool:
    """Tell if the resampled means are worth a chart: not of few questions, nor all alike."""
    return side.found.questions >= QUESTION_FLOOR and np.ptp(side.found.means) > NEGLIGIBLE


def _spread(means: np.ndarray, span: tuple[float, float]) -> Histogram:
    """Bin the means over the span of all sets."""
    low, high = map(float, span)
    if high <= low:
        return Histogram(low, high, (1.0,))
    # A mean on the edge of a bin is in the upper one, however its last digit was rounded.
    counts, _ = np.histogram(np.minimum(means + NEGLIGIBLE, high), BINS, (low, high))
    return Histogram(low, high, tuple((counts / len(means)).tolist()))


def _contrast(topic: _Side, other: _Side, better: str) -> SegmentContrast:
    found = contrast(topic.found, other.found, topic.values, other.values)
    return SegmentContrast(
        other.name,
        found.difference,
        found.exceeds,
        found.overlap,
        found.item_exceeds,
        _verdict(found, better),
    )


def _verdict(found: Contrast, better: str) -> str:
    low, high = found.difference.low, found.difference.high
    if found.difference.value is None:
        return NOT_MEASURED
    if low is None or (low <= NEGLIGIBLE and high >= -NEGLIGIBLE):
        return UNSURE
    return YES if (low > 0) == (better == "higher") else NO
