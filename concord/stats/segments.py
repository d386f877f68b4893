"""Segments: agreement in each segment of the answers, and its difference to all other answers.

Looking at many segments finds one that differs by chance alone, so intervals are at the level that
Bonferroni's inequality leaves to each of them and all hold together; it needs no assumption on how
segments depend. The difference is made of the limits of both sides (MOVER: Zou and Donner 2008), so
that a segment in which all answers agree has an interval, too. Where a question has answers in the
segment and outside it, as with segments by answering model, both sides rise and fall together:
their correlation comes from what each question moves either figure by.

The contrast of a metric is between two sets of questions that share none.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from concord.stats.core.estimate import (
    CONFIDENCE,
    Estimate,
    adjusted,
    reason,
    t_quantile,
    undefined,
    under,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, ranked
from concord.stats.intervals.bootstrap import Bootstrap
from concord.stats.intervals.resampling import NO_SPREAD
from concord.stats.statistics import BY_KEY, NOTHING, PairedScores, absent, figures


class Contrast(NamedTuple):
    """One set against another.

    Attributes:
        difference: The one mean minus the other.
        exceeds: The share of resamples in which the one mean is above the other, ties counting
            half; None where one of them has numbers of under 10 questions.
        overlap: How much the two spreads of resampled means have in common, 0 to 1: 1 minus the
            largest distance between their cumulative shares (Kolmogorov and Smirnov); None as
            for `exceeds`.
    """

    difference: Estimate
    exceeds: float | None
    overlap: float | None


def contrast(one: Bootstrap, other: Bootstrap) -> Contrast:
    """The one set against the other; their draws must be independent (`bootstrap.another`)."""
    if not one.n or not other.n:
        why = next(side.interval.why_none for side in (one, other) if not side.n)
        return Contrast(undefined(why), None, None)
    few = min(one.questions, other.questions) < QUESTION_FLOOR
    return Contrast(
        _difference(one, other),
        None if few else _exceeds(one.means, other.means),
        None if few else _overlap(one.means, other.means),
    )


def _difference(one: Bootstrap, other: Bootstrap) -> Estimate:
    """Combine the Wilson limits of both where one has them; otherwise use the resamples."""
    if one.wilson or other.wilson:
        return difference(one.best, other.best)
    value = one.interval.value - other.interval.value
    for side in (one, other):
        if side.interval.low is None:
            return without_interval(value, side.interval.why_none)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(one.means - other.means, [tail, 1 - tail])
    method = f"independent bootstraps, B = {len(one.means)}, percentiles (type 7)"
    return with_interval(value, min(low, value), max(high, value), method)


def _exceeds(one: np.ndarray, other: np.ndarray) -> float:
    """The share of all pairs in which the one is above the other, ties counting half.

    A tie is a difference no larger than what rounding leaves of none.
    """
    ordered = np.sort(other)
    below = np.searchsorted(ordered, one - NEGLIGIBLE, "left")
    below = below + np.searchsorted(ordered, one + NEGLIGIBLE, "right")
    return float(below.mean() / 2 / len(other))


def _overlap(one: np.ndarray, other: np.ndarray) -> float:
    """1 minus the distance of Kolmogorov and Smirnov; ties are those of `_exceeds`."""
    every = np.concatenate([one, other]) + NEGLIGIBLE
    shares = [np.searchsorted(np.sort(side), every, "right") / len(side) for side in (one, other)]
    return float(1 - np.abs(shares[0] - shares[1]).max())


def difference(one: Estimate, other: Estimate, correlation: float = 0.0) -> Estimate:
    """`one` minus `other`, with limits recovered from the limits of the two (MOVER).

    Each side of the interval is as far from the difference as the two estimates' own limits on that
    side are from them, added in squares; so limits that are not symmetric stay so. Where the two
    rest on some of the same questions, twice their correlation times both distances is taken off.
    Source: Zou and Donner (2008), Construction of confidence limits about effect metrics.

    Args:
        one: An estimate with an interval.
        other: The same figure on other answers, with an interval at the same level.
        correlation: Correlation of the two estimates, -1 to 1; 0 where they share no question.
    """
    for side in (one, other):
        if side.value is None:
            return undefined(side.why_none)
    value = one.value - other.value
    for side in (one, other):
        if side.low is None:
            return without_interval(value, side.why_none)
    below = _distance(one.value - one.low, other.high - other.value, correlation)
    above = _distance(one.high - one.value, other.value - other.low, correlation)
    method = "independent limits (MOVER)"
    if correlation:
        method = f"limits of both (MOVER), correlated {correlation:.3f}"
    return with_interval(value, value - below, value + above, method)


def _distance(one: float, other: float, correlation: float) -> float:
    """Distance of the difference from its limit, from those of the two figures on that side."""
    if not correlation:
        return float(np.hypot(one, other))
    squared = one**2 + other**2 - 2 * correlation * one * other
    return float(np.sqrt(max(0.0, squared)))


LEVEL = 0.05
TOO_SMALL = under(QUESTION_FLOOR, reason("no_segment_figure"))
REST_TOO_SMALL = under(QUESTION_FLOOR, reason("no_rest_of_segments"))
ONE_SEGMENT = reason("one_segment")
_STEP = 1e-5
# What rounding, divided by the step, leaves of a slope of 0, with a margin: without it the sum of
# two rounding errors passes for a correlation, another on every processor.
_NO_MOVE = 1e-8


class SegmentDifference(NamedTuple):
    """A figure in a segment minus the same figure in all other answers.

    Attributes:
        estimate: The difference; its limits hold together with those of all other segments.
        p: Two-sided p-value of no difference, by which the interval would just touch 0.
        p_adjusted: The same times the number of segments compared, at most 1; below .05 exactly
            where the interval excludes 0. Both None where there is no interval.
    """

    estimate: Estimate
    p: float | None = None
    p_adjusted: float | None = None

    @property
    def differs(self) -> bool:
        """True where the segment differs from the rest by more than chance."""
        return self.p_adjusted is not None and self.p_adjusted < LEVEL


class SegmentFigures(NamedTuple):
    """Agreement in one segment: answers, what is resampled, and statistics by key."""

    n: int
    clusters: int
    figures: dict[str, Estimate]
    differences: dict[str, SegmentDifference]


class SegmentFamily(NamedTuple):
    """All segments, and what their limits are adjusted for.

    Attributes:
        segments: One per segment, in the order asked.
        reported: Number of segments with enough questions for a figure.
        compared: Number of differences that are tested; 1 of two segments, whose differences are
            the same but for the sign.
        confidence: Level of each segment's interval; all hold together at 95 percent.
        confidence_of_differences: The same of each difference.
    """

    segments: list[SegmentFigures]
    reported: int
    compared: int
    confidence: float
    confidence_of_differences: float


class _Scores(NamedTuple):
    """What statistics are computed on, and what is known of them from all answers together.

    Attributes:
        scale: All scores of the rubric.
        failing: The scores that fail.
        pooled: By key of the statistic, `_Pooled`; without those undefined over all answers.
    """

    scale: Sequence[int]
    failing: Sequence[int]
    pooled: dict[str, "_Pooled | None"]

    def of(self, pairs: Pairs, confidence: float) -> dict[str, Estimate]:
        """The statistics of some pairs, with intervals at a confidence level."""
        found = figures(pairs, self.scale, self.failing, False, self.pooled, confidence)
        return {key: self._widened(key, one, pairs, confidence) for key, one in found.items()}

    def _widened(self, key: str, one: Estimate, pairs: Pairs, confidence: float) -> Estimate:
        """A mean of errors with limits no nearer than the spread of all answers allows.

        Few errors of few questions look alike by chance, and then show too little spread.
        """
        pooled = self.pooled[key]
        known = one.low is not None or one.why_none == NO_SPREAD
        if BY_KEY[key].family != "error" or pooled is None or not known:
            return one
        degrees = ranked(pairs.cluster)[0] - 1
        half = t_quantile(degrees, confidence) * pooled.error(pairs.weight.sum())
        low, high = (one.low, one.high) if one.low is not None else (one.value, one.value)
        method = f"{one.method}, at least by the spread of all answers"
        return with_interval(
            one.value, min(low, one.value - half), max(high, one.value + half), method
        )


class _Pooled(NamedTuple):
    """A statistic of all answers, to first order.

    Attributes:
        slopes: (K * K,) what weight in each cell of the joint table adds to the statistic.
        variance: Variance per unit of weight, over the questions of each segment.
    """

    slopes: np.ndarray
    variance: float

    def moves(self, tables: np.ndarray) -> np.ndarray:
        """(G,) what each question moves the statistic by, from (G, K, K) tables; the sum is 0."""
        flat = tables.reshape(len(tables), -1)
        base, moved = flat.sum(axis=1), flat @ self.slopes
        return moved - base * moved.sum() / base.sum()

    def error(self, weight: float) -> float:
        """Standard error of the statistic of answers of some weight, if all answers are alike."""
        return float(np.sqrt(self.variance / weight))


def by_segment(
    pairs: Pairs,
    segment: np.ndarray,
    segments: int,
    scale: Sequence[int],
    failing: Collection[int],
    names: Sequence[str],
) -> SegmentFamily:
    """Return agreement by segment, every segment compared with all answers outside it.

    Args:
        pairs: The weighted pairs of judge and annotator.
        segment: (n,) index of each pair's segment; the pairs of one item share it.
        segments: How many segments there are; some may have no pair.
        scale: All scores of the rubric, rising.
        failing: The scores that fail.
        names: Keys of the statistics.

    Returns:
        Figures are undefined in a segment under 10 questions, and differences also where the rest
        has fewer; neither counts among the comparisons.
    """
    pooled = {key: _pooled(pairs, segment, key, scale, tuple(failing)) for key in names}
    scores = _Scores(scale, tuple(failing), pooled)
    inside = [segment == place for place in range(segments)]
    clusters = [ranked(pairs.cluster[mask])[0] for mask in inside]
    others = [ranked(pairs.cluster[~mask])[0] for mask in inside]
    large = [count >= QUESTION_FLOOR for count in clusters]
    tested = [big and rest >= QUESTION_FLOOR for big, rest in zip(large, others, strict=True)]
    only_two = sum(tested) == 2 and sum(count > 0 for count in clusters) == 2
    compared = 1 if only_two else sum(tested)
    levels = adjusted(sum(large)), adjusted(compared)
    found = []
    for place, mask in enumerate(inside):
        own, rest = pairs.where(mask), pairs.where(~mask)
        n = ranked(own.item)[0]
        if not large[place]:
            why = TOO_SMALL if n else NOTHING
            nothing = {key: SegmentDifference(undefined(why)) for key in names}
            found.append(SegmentFigures(n, clusters[place], absent(why, names), nothing))
            continue
        values = scores.of(own, levels[0])
        if tested[place]:
            apart = _differences(own, rest, scores, levels[1], compared)
        else:
            why = REST_TOO_SMALL if others[place] else ONE_SEGMENT
            apart = {key: SegmentDifference(undefined(why)) for key in names}
        found.append(SegmentFigures(n, clusters[place], values, apart))
    return SegmentFamily(found, sum(large), compared, *levels)


def _differences(
    own: Pairs, rest: Pairs, scores: _Scores, confidence: float, compared: int
) -> dict[str, SegmentDifference]:
    """The segment minus the rest, by key of the statistic."""
    inside, outside = (scores.of(side, confidence) for side in (own, rest))
    degrees = min(ranked(side.cluster)[0] for side in (own, rest)) - 1
    overlap = np.isin(own.cluster, rest.cluster).any()
    found = {}
    for key, pooled in scores.pooled.items():
        correlation = _correlation(own, rest, pooled, scores.scale) if overlap and pooled else 0.0
        apart = difference(inside[key], outside[key], correlation)
        found[key] = _tested(apart, degrees, confidence, compared)
    return found


def _tested(apart: Estimate, degrees: int, confidence: float, compared: int) -> SegmentDifference:
    """A difference with the p-value by which its interval would just touch 0."""
    if apart.low is None:
        return SegmentDifference(apart)
    value = apart.value
    if abs(value) < NEGLIGIBLE:
        return SegmentDifference(apart, 1.0, 1.0)
    half = value - apart.low if value > 0 else apart.high - value
    if half < NEGLIGIBLE:
        return SegmentDifference(without_interval(value, NO_SPREAD, apart.method))
    away = abs(value) / half * t_quantile(degrees, confidence)
    p = float(2 * stdtr(degrees, -away))
    return SegmentDifference(apart, p, min(1.0, p * compared))


def _correlation(own: Pairs, rest: Pairs, pooled: _Pooled, scale: Sequence[int]) -> float:
    """Correlation of a figure in a segment and in the rest, from their common questions."""
    mine, theirs = (pooled.moves(side.tables(scale)) for side in (own, rest))
    _, left, right = np.intersect1d(
        np.unique(own.cluster), np.unique(rest.cluster), return_indices=True
    )
    sizes = np.linalg.norm(mine), np.linalg.norm(theirs)
    if min(sizes) < _NO_MOVE:
        return 0.0
    return float((mine[left] * theirs[right]).sum() / np.prod(sizes))


def _pooled(
    pairs: Pairs, segment: np.ndarray, key: str, scale: Sequence[int], failing: Sequence[int]
) -> _Pooled | None:
    """A statistic of all answers to first order; None where it is undefined.

    It is a function of the summed (K, K) table, so its slopes are found cell by cell.
    """
    total = pairs.tables(scale).sum(axis=0).ravel()
    if not total.size or not total.sum():
        return None
    total = total / total.sum()
    moved = total + _STEP * np.eye(len(total))
    value, *others = (_of_table(one, key, scale, failing) for one in (total, *moved))
    if value is None or None in others:
        return None
    found = _Pooled((np.array(others) - value) / _STEP, 0.0)
    parts = [pairs.where(segment == place) for place in np.unique(segment)]
    squares = sum((found.moves(part.tables(scale)) ** 2).sum() for part in parts)
    return found._replace(variance=float(squares / pairs.weight.sum()))


def _of_table(
    total: np.ndarray, key: str, scale: Sequence[int], failing: Sequence[int]
) -> float | None:
    """A statistic of the registry from the summed weights of the (K, K) cells."""
    points, used = np.asarray(scale), np.flatnonzero(total > 0)
    person, judge = points[used // len(points)], points[used % len(points)]
    cells = Pairs(judge, person, total[used], np.arange(len(used)), np.zeros(len(used), int))
    return BY_KEY[key].scores(PairedScores(cells, False, scale, failing)).value
