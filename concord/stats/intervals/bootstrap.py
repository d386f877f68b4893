"""Means of numbers: the bootstrap of a mean, its standard error and its confidence intervals.

VERA (2024) draws B samples of n values with replacement, takes the mean of each, and gives the mean
of the means, their variance (which is the squared standard error of the mean, not the spread of the
values) and their 2.5th and 97.5th percentiles. Here n is the number of values by default and whole
questions are resampled. Two gaps of that advice are closed: percentiles are too narrow near 0 and
1, where good systems lie, so a share has Wilson's interval too; and resampling stored values does
not show how a judge's values vary between repeats, which takes repeated requests.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import (
    CONFIDENCE,
    TOO_FEW,
    Estimate,
    Reason,
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
ALIKE = reason("no_variation")
ADVISED = 30  # VERA's own least number of values
STEPS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
_ANOTHER = 1  # what the second of two independent sets adds to the seed
_SETTLED = 0.05


class Bootstrap(NamedTuple):
    """The mean of a metric and its resamples.

    Attributes:
        drawn: Number of questions per resample.
        mean_of_means: M, the mean of the resamples' means.
        variance: Of the means, divided by B - 1: the squared standard error of a mean of `drawn`.
        from_repeats: The part of the squared error due to the judge's own noise: the variance of
            its repeats over n times their number; None without repeats.
        interval: The mean with the percentiles; no limits below 10 questions, nor where all values
            are equal.
        wilson: For values of 0 and 1 only: the share with Wilson's interval.
        convergence: (resamples so far, standard error), as B grows.
        flags: Caveats: `no variation`, `mean of n`, `two-level`.
        means: (B,) the resamples' means.
    """

    n: int
    questions: int
    drawn: int
    resamples: int
    mean: float | None
    mean_of_means: float | None
    variance: float | None
    from_repeats: float | None
    interval: Estimate
    wilson: Estimate | None
    convergence: tuple[tuple[int, float], ...]
    flags: tuple[Reason, ...]
    means: np.ndarray

    @property
    def error(self) -> float | None:
        """The standard error: the root of the variance."""
        return None if self.variance is None else float(np.sqrt(self.variance))

    @property
    def best(self) -> Estimate:
        """Wilson's interval where defined, else the percentile interval."""
        return self.wilson or self.interval

    @property
    def settled(self) -> int | None:
        """Number of resamples after which the standard error stays within 5% of its final value.

        None where only the final value itself does.
        """
        if not self.convergence:
            return None
        last = self.convergence[-1][1]
        away = [b for b, error in self.convergence if abs(error - last) > _SETTLED * last]
        return next((b for b, _ in self.convergence[:-1] if not away or b > away[-1]), None)


def of_mean(
    values: np.ndarray, cluster: np.ndarray, draws: Draws, item: np.ndarray | None = None
) -> Bootstrap:
    """The bootstrap of a mean.

    Where items have several numbers, a judge's repeats, each item's are drawn again within it
    (two levels); an item weighs the same however many it has.

    Args:
        values: (r,) the numbers.
        cluster: (r,) what tells the question of each from others.
        draws: B, the seed, and the questions each resample draws.
        item: (r,) what tells the item of each from others; None where every number is an item's
            only one.
    """
    values = np.asarray(values, float)
    if not len(values):
        return _nothing(draws)
    table = _Table.of(values, cluster, item)
    rows = table.rows()
    means = _means(table, rows, draws)
    flags, wilson = [], None
    drawn = len(rows) if draws.size is None else draws.size
    if drawn < len(rows):
        flags.append(reason("mean_of_n", n=drawn))
    if table.repeated:
        flags.append(reason("two_level"))
    if np.ptp(values) < NEGLIGIBLE:
        flags.append(ALIKE)
    if np.isin(table.means, (0.0, 1.0)).all():
        wilson = proportion(rows[:, 0], rows[:, 1])
    mean = float(table.means.mean())
    if np.ptp(means) < NEGLIGIBLE:  # what is left is how sums are rounded
        means = np.full(len(means), mean)
    return Bootstrap(
        n=len(table.means),
        questions=len(rows),
        drawn=drawn,
        resamples=draws.resamples,
        mean=mean,
        mean_of_means=float(means.mean()),
        variance=_variance(means),
        from_repeats=table.wavering(),
        interval=_interval(mean, means, len(rows), drawn, draws, flags),
        wilson=wilson,
        convergence=convergence(means),
        flags=tuple(flags),
        means=means,
    )


def convergence(means: np.ndarray) -> tuple[tuple[int, float], ...]:
    """The standard error from the first b of the means, for rising b up to all of them."""
    steps = [b for b in STEPS if b < len(means)] + [len(means)]
    return tuple((b, _variance(means[:b]) ** 0.5) for b in steps if b > 1)


def _variance(means: np.ndarray) -> float:
    # The mean of equal numbers may be rounded, which leaves a variance that is not 0.
    return float(means.var(ddof=1)) if np.ptp(means) else 0.0


def another(draws: Draws) -> Draws:
    """Draws that are independent of these: for a second set, which shares no question."""
    return Draws(draws.resamples, draws.seed + _ANOTHER, draws.size)


class _Table(NamedTuple):
    """Items in rows: mean, group of the question, and the repeats of those that have several."""

    means: np.ndarray
    group: np.ndarray
    repeats: Sequence[np.ndarray]

    @classmethod
    def of(cls, values: np.ndarray, cluster: np.ndarray, item: np.ndarray | None) -> "_Table":
        if item is None:
            item = np.arange(len(values))
        _, first, place = np.unique(item, return_index=True, return_inverse=True)
        order, times = np.argsort(place, kind="stable"), np.bincount(place)
        repeats = np.split(values[order], np.cumsum(times)[:-1])
        _, group = np.unique(np.asarray(cluster)[first], return_inverse=True)
        return cls(np.array([one.mean() for one in repeats]), group, repeats)

    @property
    def repeated(self) -> bool:
        return any(len(one) > 1 for one in self.repeats)

    def rows(self) -> np.ndarray:
        """(G, 2) summed means and number of items, per question."""
        return np.stack([np.bincount(self.group, self.means), np.bincount(self.group)], axis=-1)

    def wavering(self) -> float | None:
        several = [one for one in self.repeats if len(one) > 1]
        if not several:
            return None
        return float(sum(one.var(ddof=1) / len(one) for one in several)) / len(self.means) ** 2


def _means(table: _Table, rows: np.ndarray, draws: Draws) -> np.ndarray:
    """(B,) the mean of each resample; questions in an order that does not depend on the sheet."""
    # Sorted by content: importing the same answers in another order gives the same interval.
    order = np.argsort(row_keys(rows), kind="stable")
    if not table.repeated:
        sums = draws.totals(rows[order])
        return sums[:, 0] / sums[:, 1]
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order))
    counts = draws.counts(len(rows))[:, place[table.group]].astype(int)
    # A stream of its own, so that the draws of questions are the same with and without repeats.
    random = np.random.default_rng([draws.seed, len(rows), len(table.means)])
    total = np.zeros(draws.resamples)
    for column, values in enumerate(table.repeats):
        times = len(values)
        drawn = random.multinomial(counts[:, column] * times, np.full(times, 1 / times))
        total += drawn @ values / times
    return total / counts.sum(axis=1)


# Flags in the line on the method.
_IN_METHOD = {
    "mean_of_n": "interval of a mean over {n} questions",
    "two_level": "two-level",
    "no_variation": "no variation",
}


def _interval(
    mean: float,
    means: np.ndarray,
    questions: int,
    drawn: int,
    draws: Draws,
    flags: Sequence[Reason],
) -> Estimate:
    method = f"bootstrap of the mean, B = {draws.resamples}, n = {drawn} of {questions} questions, "
    method += f"percentiles (type 7), seed {draws.seed}"
    method += "".join(f"; {_IN_METHOD[flag.code].format(n=drawn)}" for flag in flags)
    if questions < QUESTION_FLOOR:
        return without_interval(mean, TOO_FEW, method)
    if ALIKE in flags:
        return without_interval(mean, VALUES_EQUAL, method)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail], method="linear")
    method += f"; approximate under {ADVISED}" if questions < ADVISED else ""
    return with_interval(mean, min(low, mean), max(high, mean), method)


def _nothing(draws: Draws) -> Bootstrap:
    none, empty = undefined(NO_VALUES), np.zeros(0)
    return Bootstrap(0, 0, 0, draws.resamples, None, None, None, None, none, None, (), (), empty)


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
