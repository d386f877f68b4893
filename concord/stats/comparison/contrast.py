"""Contrast: the same metric on two sets of questions that share none, side by side."""

from typing import NamedTuple

import numpy as np

from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.estimate import Estimate, undefined, with_interval, without_interval
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.bootstrap import Bootstrap


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
    value = one.mean - other.mean
    for side in (one, other):
        if side.interval.low is None:
            return without_interval(value, side.interval.why_none)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(one.means - other.means, [tail, 1 - tail])
    method = f"independent bootstraps, B = {one.resamples}, percentiles (type 7)"
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
