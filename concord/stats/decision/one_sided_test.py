"""One-sided tests of a condition, in both directions, with the 95% CI that is shown.

A share is tested against a limit by Wilson's score at the effective n, every other figure and every
difference by the question jackknife with Student's t and a correction for rare losses. Everything
is an array over judges, and over simulated sheets where there are any, so that a plan simulates the
very tests that decide.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy import special

from concord.stats.core.clustered import clustered_variance, effective_number, share_of
from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.wilson import limits

TAIL = (1 - CONFIDENCE) / 2
_FEW = 4 - 1e-9  # 20 answers of which .8 hit miss 3.9999999999999996
_LEAN = 0.75


class Tested(NamedTuple):
    """A figure, or a difference, with its 95% CI and two p-values; all of one shape.

    Attributes:
        value: NaN where it is undefined.
        low: NaN where the interval is withheld; `high` likewise.
        above: p of "at most the limit": small where it is surely above.
        below: p of "at least the limit": small where it is surely below.
        questions: The effective number of questions it rests on.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    above: np.ndarray
    below: np.ndarray
    questions: np.ndarray

    def withheld(self, which: np.ndarray | bool = True) -> Self:
        """The same without a value, an interval or evidence, where `which` is true."""
        low, high, value = (
            np.where(which, np.nan, one) for one in (self.low, self.high, self.value)
        )
        above, below = (np.where(which, 1.0, one) for one in (self.above, self.below))
        return self._replace(value=value, low=low, high=high, above=above, below=below)


def untested(shape: tuple[int, ...]) -> Tested:
    """Return a test without a figure, and without a question that one could rest on."""
    return Tested(*[np.zeros(shape)] * len(Tested._fields)).withheld()


def share_test(
    hits: np.ndarray,
    base: np.ndarray,
    units: np.ndarray,
    limit: float,
    times: np.ndarray | float = 1.0,
) -> Tested:
    """Test a share by inverting its Wilson interval at the effective n.

    Args:
        hits: (..., G) summed weight of the answers that hit.
        base: (..., G) summed weight of all; questions without any are left out.
        units: (...) how many equally weighted scores `base` amounts to.
        limit: 0 to 1.
        times: (..., G) how often there is each question.
    """
    share, size, questions = share_of(hits, base, units, times)
    with np.errstate(invalid="ignore", divide="ignore"):
        quantile = special.stdtrit(questions - 1, 1 - TAIL)
        low, high = limits(share, size, quantile)
        standard = (
            np.sqrt(size / (limit * (1 - limit))) * (share - limit)
            if 0 < limit < 1
            else (np.where(share >= limit, np.inf, -np.inf))
        )
        above = special.stdtr(questions - 1, -standard)
        below = special.stdtr(questions - 1, standard)
    # The same exact limits as the interval, or interval and verdict could contradict each other.
    above, below = _exact_near_ends(share * size, (1 - share) * size, limit, above, below)
    return _withheld(Tested(share, low, high, above, below, questions))


def jackknife_test(
    value: np.ndarray,
    deleted: np.ndarray,
    weight: np.ndarray,
    differs: np.ndarray,
    worst: tuple[np.ndarray, np.ndarray],
    limit: float,
    times: np.ndarray | float = 1.0,
    fewest: np.ndarray | float = np.inf,
) -> Tested:
    """Test a figure by the delete-one-question jackknife and Student's t.

    The variance is that of `clustered_variance`, all answers of a question counting as alike, and
    the degrees of freedom are the effective number of questions - 1. A sheet with few losses has
    both a better figure and a smaller error, and one without any has none. So the error is that of
    a sheet with one loss more, in a question of the mean size of an answer's question, where an
    answer costs as much as in the questions lost so far and in one as bad as can be (RMS); and t is
    corrected for skewness towards losses. Towards gains it is the same the other way round.

    Args:
        value: (...) the figure.
        deleted: (..., G) the figure without each question.
        weight: (..., G) the weight of each question, 0 where it has no answer.
        differs: (..., G) which questions move it.
        worst: (...) what an answer costs at worst, times the weight of all.
        limit: What it is compared with.
        times: (..., G) how often there is each question.
        fewest: (...) effective number of questions in the least denominator of the figure, where
            that is not all answers; it bounds the degrees of freedom.

    Returns:
        p-values of 1 and no interval below 10 effective questions.
    """
    there = times * (weight > NEGLIGIBLE)
    number = there.sum(axis=-1)
    total = (times * weight).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (there * deleted).sum(axis=-1) / number
        moved = np.where(weight > NEGLIGIBLE, mean[..., None] - deleted, 0)
        # What the answers of a question add on the mean, and all of them together.
        moved = moved * (total * (number - 1) / number)[..., None]
        each = np.where(weight > NEGLIGIBLE, moved / weight, 0)
        variance = clustered_variance(moved, weight, times=times)
        questions = effective_number(weight, times)
        size = (times * weight**2).sum(axis=-1) / total
        # As in the variance, large questions are taken to be like small ones.
        third = (times * weight**3).sum(axis=-1) / total * (times * weight * each**3).sum(axis=-1)
        fewest = np.minimum(questions, fewest)
        quantile = special.stdtrit(fewest - 1, 1 - TAIL)
        sides = []
        for side in (1, -1):
            lost = times * weight * differs * (side * each < -NEGLIGIBLE)
            losses = questions * lost.sum(axis=-1) / total
            square, cube = (
                known + questions / total * (lost * np.abs(each) ** power).sum(axis=-1)
                for power, known in zip((2, 3), worst, strict=True)
            )
            error = np.sqrt(variance * total**2 + square / (1 + losses) * size**2)
            more = cube / (1 + losses) * size**3
            lean = _LEAN * (more + np.maximum(-side * third, 0)) / error**3
            standard, step = side * (value - limit) * total / error, lean * quantile**2 / 2
            p = special.stdtr(fewest - 1, -standard / np.sqrt(1 + lean * np.maximum(standard, 0)))
            away = (step + np.sqrt(step**2 + quantile**2)) * error / total
            sides.append((value - side * away, p))
    (low, above), (high, below) = sides
    found = Tested(value, low, high, above, below, fewest)
    return _withheld(found)._replace(questions=questions)


def _withheld(found: Tested) -> Tested:
    """No interval and no evidence where they cannot be had; a limit of 1e-13 is 0."""
    few = found.questions < QUESTION_FLOOR - NEGLIGIBLE
    unknown = few | np.isnan(found.low) | np.isnan(found.value)
    low, high = (np.where(np.abs(end) < NEGLIGIBLE, 0.0, end) for end in (found.low, found.high))
    return found._replace(low=low, high=high).withheld(unknown)._replace(value=found.value)


def _exact_near_ends(
    hits: np.ndarray, misses: np.ndarray, limit: float, above: np.ndarray, below: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The p-values, or Clopper and Pearson's where these are larger, as in `wilson.limits`."""
    near_one, near_none = (misses > 0) & (misses < _FEW), (hits > 0) & (hits < _FEW)
    at = min(max(limit, 0.0), 1.0)
    fewer = 1 - special.betainc(hits + 1, np.where(near_one, misses, 1), at)
    more = special.betainc(np.where(near_none, hits, 1), misses + 1, at)
    return (
        np.where(near_none, np.fmax(above, more), above),
        np.where(near_one, np.fmax(below, fewer), below),
    )
