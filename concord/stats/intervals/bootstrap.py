"""Means of numbers: the bootstrap of a mean, its standard error and its confidence intervals.

VERA (2024) draws B samples of n values with replacement, takes the mean of each, and gives the mean
of the means, their variance (which is the squared standard error of the mean, not the spread of the
values) and their 2.5th and 97.5th percentiles. Here n is the number of values by default and whole
questions are resampled. Two gaps of that advice are closed: percentiles are too narrow near 0 and
1, where good systems lie, so a share has Wilson's interval too; and resampling stored values does
not show how a judge's values vary between repeats, which takes repeated requests.
"""

from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import (
    CONFIDENCE,
    TOO_FEW,
    Estimate,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, row_keys
from concord.stats.intervals.resampling import Draws, jackknife, leave_out
from concord.stats.intervals.wilson import proportion

NO_VALUES = reason("no_value")
VALUES_EQUAL = reason("values_equal")
ADVISED = 30  # VERA's own least number of values


class Bootstrap(NamedTuple):
    """The mean of a metric and its resamples.

    Attributes:
        n: Number of items.
        interval: The mean with the percentiles; no limits below 10 questions, nor where all values
            are equal.
        wilson: For values of 0 and 1 only: the share with Wilson's interval.
        means: (B,) the resamples' means.
    """

    n: int
    questions: int
    interval: Estimate
    wilson: Estimate | None
    means: np.ndarray

    @property
    def variance(self) -> float | None:
        """The squared standard error: the variance of the means, divided by B - 1."""
        return _variance(self.means) if self.n else None

    @property
    def best(self) -> Estimate:
        """Wilson's interval where defined, else the percentile interval."""
        return self.wilson or self.interval


def of_mean(
    values: np.ndarray, cluster: np.ndarray, draws: Draws, item: np.ndarray | None = None
) -> Bootstrap:
    """The bootstrap of a mean.

    Where items have several numbers, a judge's repeats, each item's are drawn again within it
    (two levels); an item weighs the same however many it has.

    Args:
        values: (r,) the numbers.
        cluster: (r,) what tells the question of each from others.
        draws: B and the seed.
        item: (r,) what tells the item of each from others; None where every number is an item's
            only one.
    """
    values = np.asarray(values, float)
    if not len(values):
        return Bootstrap(0, 0, undefined(NO_VALUES), None, values)
    item = np.arange(len(values)) if item is None else item
    _, first, place = np.unique(item, return_index=True, return_inverse=True)
    times = np.bincount(place)
    repeats = np.split(values[np.argsort(place, kind="stable")], np.cumsum(times)[:-1])
    own = np.array([one.mean() for one in repeats])
    _, group = np.unique(np.asarray(cluster)[first], return_inverse=True)
    rows = np.stack([np.bincount(group, own), np.bincount(group)], axis=-1)
    questions, mean = len(rows), float(own.mean())
    # Sorted by content: importing the same answers in another order gives the same interval.
    order = np.argsort(row_keys(rows), kind="stable")
    two_level = times.max() > 1
    if two_level:
        counts = draws.counts(questions)[:, np.argsort(order)[group]].astype(int)
        # A stream of its own, so that the draws of questions are those without repeats.
        random, means = np.random.default_rng([draws.seed, questions, len(own)]), 0.0
        for column, mine in enumerate(repeats):
            drawn = random.multinomial(
                counts[:, column] * len(mine), np.full(len(mine), 1 / len(mine))
            )
            means = means + drawn @ mine / len(mine)
        means = means / counts.sum(axis=1)
    else:
        sums = draws.totals(rows[order])
        means = sums[:, 0] / sums[:, 1]
    if np.ptp(means) < NEGLIGIBLE:  # what is left is how sums are rounded
        means = np.full(len(means), mean)
    equal = np.ptp(values) < NEGLIGIBLE
    method = (
        f"bootstrap of the mean, B = {draws.resamples}, n = {questions} of {questions} questions, "
        f"percentiles (type 7), seed {draws.seed}{'; two-level' if two_level else ''}"
        f"{'; no variation' if equal else ''}"
    )
    if questions < QUESTION_FLOOR or equal:
        why = TOO_FEW if questions < QUESTION_FLOOR else VALUES_EQUAL
        interval = without_interval(mean, why, method)
    else:
        tail = (1 - CONFIDENCE) / 2
        low, high = np.quantile(means, [tail, 1 - tail], method="linear")
        method += f"; approximate under {ADVISED}" if questions < ADVISED else ""
        interval = with_interval(mean, min(low, mean), max(high, mean), method)
    wilson = proportion(*rows.T) if np.isin(own, (0.0, 1.0)).all() else None
    return Bootstrap(len(own), questions, interval, wilson, means)


def _variance(means: np.ndarray) -> float:
    # The mean of equal numbers may be rounded, which leaves a variance that is not 0.
    return float(means.var(ddof=1)) if np.ptp(means) else 0.0


def another(draws: Draws) -> Draws:
    """Draws that are independent of these: for a second set, which shares no question."""
    return Draws(draws.resamples, draws.seed + 1)


NOTHING = reason("no_answer_with_value")


def mean(values: np.ndarray, cluster: np.ndarray, bounds: tuple[float, float]) -> Estimate:
    """The mean with its interval: Wilson's for numbers that are 0 or 1, else the jackknife's.

    `values` is (n,) one number per answer, without those that have none; limits do not go beyond
    `bounds`.

    Returns:
        The mean; no interval below 10 questions, nor where all questions have the same mean.
    """
    if not len(values):
        return undefined(NOTHING)
    questions, group = np.unique(cluster, return_inverse=True)
    size = len(questions)
    total = np.bincount(group, weights=values, minlength=size)
    base = np.bincount(group, minlength=size).astype(float)
    if np.isin(values, (0, 1)).all():
        return proportion(total, base)
    rows = np.stack([total, base], axis=-1)
    return jackknife(leave_out(rows, 1), lambda sums: sums[..., 0] / sums[..., 1], bounds=bounds)
