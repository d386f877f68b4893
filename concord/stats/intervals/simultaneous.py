"""Simultaneous confidence intervals: limits of several differences that hold jointly.

Comparing many variants reads many limits at once, and the best of six equal judges looks better
than it is. One critical value serves the whole family, found by resampling questions: in every
resample each difference's deviation is divided by its standard error, the largest over the family
is kept (max-t), and the critical value is exceeded by these maxima in a share `level` of resamples
(Westfall and Young 1993; Hothorn, Bretz and Westfall 2008). It is carried over to Student's t with
effective questions - 1 degrees of freedom.

A difference that fewer than 5 questions can move, or that is the same on every question, has no
usable standard error: two identical judges differ by exactly 0 in every resample. Its limits come
from the exact binomial bound on the share of questions that would move it (Clopper and Pearson
1934), at the error level the family leaves to one difference, which is charged to the family's.

docs/statistics.md has the simulated coverage.

Adjusted p-values: so that one in twenty of many is not taken for more than chance. Each takes
p-values of 0 to 1 in any order and returns adjusted ones in the same order, at most 1; compare
these with the level (.05) as if there were one test.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from concord.stats.core.estimate import (
    TOO_FEW,
    Estimate,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import DISCORDANT_FLOOR, QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, clustered_variance, effective_number, ratio
from concord.stats.intervals.resampling import Draws

NOTHING = reason("nothing_to_compare")


class Difference(NamedTuple):
    """The mean of one variant minus that of another on the same answers, as sums per question.

    Attributes:
        apart: (G,) weighted sums of the differences of the answers of a question.
        weight: (G,) summed weights of these answers; 0 for a question without any.
    """

    apart: np.ndarray
    weight: np.ndarray

    @property
    def value(self) -> float:
        """The difference over all questions; NaN without answers."""
        return float(ratio(self.apart.sum(), self.weight.sum()))

    @property
    def questions(self) -> float:
        """Effective number of questions with answers."""
        return float(effective_number(self.weight))

    @property
    def standard_error(self) -> float:
        """Standard error over whole questions."""
        residuals = self.apart - self.weight * self.value
        return float(np.sqrt(clustered_variance(residuals, self.weight)))

    def moved(self, which: np.ndarray) -> float:
        """The effective number of questions among the (G,) that are marked."""
        return self.questions * float(self.weight[which].sum() / self.weight.sum())

    @property
    def exact(self) -> bool:
        """True where its limits are exact: resampled, it would seem to have hardly any error."""
        moved = self.moved(self.apart != 0) < DISCORDANT_FLOOR - NEGLIGIBLE
        return moved or self.standard_error < NEGLIGIBLE


class Family(NamedTuple):
    """Differences with simultaneous confidence limits.

    Attributes:
        estimates: One per difference.
        tail: The error level of one limit of one difference, after the adjustment for multiplicity.
    """

    estimates: list[Estimate]
    tail: float


def difference(one: np.ndarray, other: np.ndarray, weight: np.ndarray) -> Difference:
    """Return the mean of `one` minus that of `other`, from (G,) weighted sums."""
    apart = one - other
    return Difference(np.where(np.abs(apart) < NEGLIGIBLE, 0, apart), weight)


def simultaneous(differences: Sequence[Difference], level: float, draws: Draws) -> Family:
    """Return simultaneous confidence limits of differences over the same G questions.

    Args:
        differences: The family.
        level: Probability that any limit, on either side, is wrong.
        draws: The resamples of questions.

    Returns:
        No interval below 10 questions; an undefined difference says why. Neither is part of the
        family.
    """
    fixed = [_withheld(one) for one in differences]
    family = [one for one, known in zip(differences, fixed, strict=True) if known is None]
    regular = [one for one in family if not one.exact]
    tail = _tail(_largest(regular, draws), len(family) - len(regular), level)
    method = f"simultaneous over {len(family)} figures, each side at {level:g}"
    estimates = [
        known or _limits(one, tail, method) for one, known in zip(differences, fixed, strict=True)
    ]
    return Family(estimates, tail)


def _withheld(one: Difference) -> Estimate | None:
    """Return a withheld estimate where the difference cannot join the family; else None."""
    if not one.questions:
        return undefined(NOTHING)
    few = one.questions < QUESTION_FLOOR - NEGLIGIBLE
    return without_interval(one.value, TOO_FEW) if few else None


def _largest(differences: Sequence[Difference], draws: Draws) -> np.ndarray:
    """(resamples,) the largest deviation over its standard error among the differences."""
    if not differences:
        return np.full(draws.resamples, -np.inf)
    totals = draws.totals(np.stack([np.stack(one[:2], axis=1) for one in differences], axis=1))
    value = np.array([one.value for one in differences])
    error = np.array([one.standard_error for one in differences])
    away = np.abs(ratio(totals[..., 0], totals[..., 1]) - value)
    # A question without answers may be all that a resample draws: that is no deviation.
    return np.nan_to_num(away / error).max(axis=1)


def _tail(largest: np.ndarray, exact: int, level: float) -> float:
    """Return the error one limit may make so that the family as a whole makes `level`.

    Each of the `exact` differences with exact bounds adds its own error.
    """
    # Bisection: no critical value of a family lies below that of a single difference.
    low, high = -special.ndtri(level / 2), 20.0
    for _ in range(60):
        middle = (low + high) / 2
        spent = (largest > middle).mean() + 2 * exact * special.ndtr(-middle)
        low, high = (middle, high) if spent > level else (low, middle)
    return float(special.ndtr(-high))


def _limits(one: Difference, tail: float, method: str) -> Estimate:
    value, questions = one.value, one.questions
    if one.exact:
        # The shares of questions that can be worse, and better, at most, with the effective numbers
        # of these, as one moves the difference by at most its share of the answers.
        worse, better = one.moved(one.apart < 0), one.moved(one.apart > 0)
        low, high = -at_most(worse, questions, tail), at_most(better, questions, tail)
        method = f"exact bound, {worse + better:.3g} of {questions:.3g} questions differ, {method}"
        return with_interval(value, min(low, value), max(high, value), method)
    # The quantile is of t although the tail was found on the normal scale: the error is estimated
    # from the questions.
    step = -special.stdtrit(questions - 1, tail) * one.standard_error
    low, high = np.clip([value - step, value + step], -1, 1)
    return with_interval(value, float(low), float(high), f"max-t, {method}")


def at_most(hits: float, of: float, error: float) -> float:
    """Return the one-sided upper Clopper-Pearson limit of a share, 0 to 1.

    `hits` of `of` cases hit, and `error` is the probability that the share is above the limit. 1
    where all hit, or there is no case.
    """
    misses = of - hits
    return 1.0 if misses <= NEGLIGIBLE else float(special.betainccinv(hits + 1, misses, error))


def holm(p_values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Holm's method, which controls the family-wise error rate.

    For a few decisions. Valid under any dependence. Source: Holm (1979). Of more than one
    dimension, each row of the last one is a family.
    """
    values = np.asarray(p_values, float)
    order = np.argsort(values, axis=-1, kind="stable")
    left = np.arange(values.shape[-1], 0, -1)
    adjusted = np.maximum.accumulate(np.take_along_axis(values, order, -1) * left, axis=-1)
    found = np.empty_like(values)
    np.put_along_axis(found, order, np.minimum(1, adjusted), -1)
    return found


def benjamini_hochberg(p_values: Sequence[float]) -> np.ndarray:
    """Return p-values adjusted to control the false discovery rate.

    For exploration. Valid for independent or positively dependent tests. Source: Benjamini and
    Hochberg (1995).
    """
    values = np.asarray(p_values, float)
    order, ranks = np.argsort(values, kind="stable"), np.arange(1, len(values) + 1)
    scaled = values[order] * len(values) / ranks
    adjusted = np.empty(len(values))
    # The smallest of each and all that are larger in rank.
    adjusted[order] = np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1])
    return adjusted


def benjamini_yekutieli(p_values: Sequence[float]) -> np.ndarray:
    """Return p-values adjusted to control the false discovery rate under any dependence.

    Stricter than Benjamini and Hochberg. Source: Benjamini and Yekutieli (2001).
    """
    factor = (1 / np.arange(1, len(p_values) + 1)).sum()
    return benjamini_hochberg(np.asarray(p_values, float) * factor)
