"""One-sided tests of a condition, in both directions, with the 95% CI that is shown.

A figure is tested against a limit by the question jackknife with Student's t, a share by Wilson's
score test at the effective n. Where few questions could move a figure neither has a usable standard
error; `exact_bound` serves there. Everything is an array over judges, and over simulated sheets
where there are any, so that a plan simulates the very tests that decide.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy import special

from concord.stats.core.clustered import effective_size
from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.wilson import limits

TAIL = (1 - CONFIDENCE) / 2
_FEW = 4 - 1e-9  # 20 answers of which .8 hit miss 3.9999999999999996
_DEGREES_AT_LEAST = 2.0
_TWO_THIRDS = 2 / 3


class Tested(NamedTuple):
    """A figure, or a difference, with its 95% CI and two p-values; all of one shape.

    Attributes:
        value: NaN where it is undefined.
        low: NaN where the interval is withheld; `high` likewise.
        above: p of "at most the limit": small where it is surely above.
        below: p of "at least the limit": small where it is surely below.
        questions: How many questions it rests on.
        exact: True where an exact bound made the interval and the p-values.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    above: np.ndarray
    below: np.ndarray
    questions: np.ndarray
    exact: np.ndarray

    def withheld(self) -> Self:
        """The same without a value, an interval or evidence."""
        none, one = np.full_like(self.value, np.nan), np.ones_like(self.value)
        return self._replace(value=none, low=none, high=none, above=one, below=one)


def untested(shape: tuple[int, ...]) -> Tested:
    """Return a test without a figure, and without a question that one could rest on."""
    none, zero = np.full(shape, np.nan), np.zeros(shape)
    one = Tested(none, none, none, zero, zero, zero, np.zeros(shape, bool))
    return one.withheld()


def share_test(
    hits: np.ndarray,
    base: np.ndarray,
    answers: np.ndarray | float,
    limit: float,
    annotators: float = 1.0,
    heaviest: float | None = None,
    times: np.ndarray | None = None,
) -> Tested:
    """Test a share by inverting its Wilson interval at the effective n.

    Args:
        hits: (..., G) summed weight of the answers that hit.
        base: (..., G) summed weight of all; questions without any are left out.
        answers: (...) number of equally weighted answers `base` amounts to.
        limit: 0 to 1.
        annotators: Per answer; the least design effect is one over it.
        heaviest: The largest weight of an answer where weights differ.
        times: (..., G) how often there is each question; default once.
    """
    present = _counted(base > NEGLIGIBLE, times)
    questions = present.sum(axis=-1)
    size = effective_size(
        hits, base, answers, times=present, annotators=annotators, heaviest=heaviest
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        weighed = (present * one for one in (hits, base))
        share = np.clip(np.divide(*(one.sum(axis=-1) for one in weighed)), 0, 1)
        quantile = special.stdtrit(questions - 1.0, 1 - TAIL)
        low, high = limits(share, size, quantile)
        standard = (
            np.sqrt(size / (limit * (1 - limit))) * (share - limit)
            if 0 < limit < 1
            else (np.where(share >= limit, np.inf, -np.inf))
        )
        above = special.stdtr(questions - 1.0, -standard)
        below = special.stdtr(questions - 1.0, standard)
    # The same exact limits as the interval, or interval and verdict could contradict each other.
    above, below = _exact_near_ends(share * size, (1 - share) * size, limit, above, below)
    return _withheld(Tested(share, low, high, above, below, questions, np.zeros(share.shape, bool)))


def jackknife_test(
    value: np.ndarray,
    deleted: np.ndarray,
    present: np.ndarray,
    limit: float,
    stretch: str = "",
    times: np.ndarray | None = None,
) -> Tested:
    """Test a figure by the delete-one-question jackknife and Student's t.

    Args:
        value: (...) the figure.
        deleted: (..., G) the figure without each question.
        present: (..., G) which questions it rests on.
        limit: What it is compared with.
        stretch: `fisher`, or `root` of a distance with its sign turned: the scale it is tested on.
        times: (..., G) how often there is each question; default once.

    Returns:
        p-values of 1 and no interval below 10 questions, or where the questions do not differ.
    """
    present = _counted(present, times).astype(float)
    questions = present.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread, degrees, lean = _spread(value, deleted, present, questions, stretch)
        middle, edge = _forward(np.stack([value, np.full_like(value, limit)]), stretch)
        standard = (middle - edge) / spread
        quantile = special.stdtrit(degrees, 1 - TAIL)
        # A figure on its own scale has little skewness left; what few errors show of it is noise.
        to_losses, to_gains = (0, 0) if stretch else (np.fmax(-lean, 0), np.fmax(lean, 0))
        low = _backward(middle - _reached(quantile, to_losses) * spread, stretch)
        high = _backward(middle + _reached(quantile, to_gains) * spread, stretch)
        above = special.stdtr(degrees, -_shrunk(standard, to_losses))
        below = special.stdtr(degrees, -_shrunk(-standard, to_gains))
    # Without variation between questions there is no error to test against: p stays 1, not 0.
    known = spread > NEGLIGIBLE
    found = [np.where(known, one, np.nan) for one in (low, high, above, below)]
    return _withheld(Tested(value, *found, questions, np.zeros(np.shape(value), bool)))


def padded_test(
    value: np.ndarray,
    deleted: np.ndarray,
    differs: np.ndarray,
    times: np.ndarray,
    questions: np.ndarray,
    wanted: int,
    limit: float,
    usual: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Test what a difference would be with as many differing questions as the jackknife takes.

    Those that are missing are added for the worse, each moving the figure by as much as the one
    that moves it most, and at least by `usual`. The judge itself is better than that, so what holds
    of this one holds of it.

    Args:
        value: (P,) the difference.
        deleted: (P, G) the same without each question.
        differs: (P, G) on which questions they differ.
        times: (P, G) how often there is each question.
        questions: (P,) how many there are.
        wanted: How many must differ.
        limit: What it is compared with.
        usual: (P,) how much an error of the judge usually moves the figure.

    Returns:
        Lower limits of the 95% CI, and p of "at most the limit"; NaN and 1 where no question moves
        it.
    """
    there = differs * times
    number = there.sum(axis=-1)
    moved = (
        np.where(there > 0, value[:, None] - deleted, 0) * ((questions - 1) / questions)[:, None]
    )
    most = np.maximum(np.abs(moved).max(axis=-1), usual)
    missing = np.maximum(wanted - number, 0)
    squares = (there * moved**2).sum(axis=-1) + missing * most**2
    mean = ((there * moved).sum(axis=-1) - missing * most) / questions
    fourths = (there * (moved**2) ** 2).sum(axis=-1) + missing * most**4
    worse = value - missing * most
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(questions / (questions - 1) * (squares - questions * mean**2))
        degrees = np.fmax(_DEGREES_AT_LEAST, squares**2 / fourths)
        low = worse - special.stdtrit(degrees, 1 - TAIL) * spread
        above = special.stdtr(degrees, -(worse - limit) / spread)
    known = (most > NEGLIGIBLE) & (spread > NEGLIGIBLE)
    return np.where(known, low, np.nan), np.where(known, above, 1.0)


def _counted(present: np.ndarray, times: np.ndarray | None) -> np.ndarray:
    """(..., G) how often there is each question, 0 where it is absent."""
    return present.astype(int) if times is None else present * times


def _withheld(found: Tested) -> Tested:
    """No interval and no evidence where they cannot be had; a limit of 1e-13 is 0."""
    known = (found.questions >= QUESTION_FLOOR) & ~np.isnan(found.low) & ~np.isnan(found.value)
    low, high = (np.where(known, _clean(end), np.nan) for end in (found.low, found.high))
    above, below = (np.where(known & ~np.isnan(p), p, 1.0) for p in (found.above, found.below))
    return found._replace(low=low, high=high, above=above, below=below)


def _clean(limits: np.ndarray) -> np.ndarray:
    return np.where(np.abs(limits) < NEGLIGIBLE, 0.0, limits)


def _spread(
    value: np.ndarray,
    deleted: np.ndarray,
    present: np.ndarray,
    questions: np.ndarray,
    stretch: str,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard error, as degrees of freedom how many questions carry it, and skewness / sqrt(G).

    That is (sum of squares)^2 / sum of fourth powers of what each moves the figure by, a third of
    the questions where these are normal. With one and a half times as many, as the intervals of
    single figures have, a judge just not good enough passed in up to .058 of sheets.
    """
    if stretch == "fisher":
        deleted = deleted / (1 - value**2)[..., None]
    elif stretch == "root":
        deleted = _forward(deleted, stretch)
    there = present > 0
    mean = (present * np.where(there, deleted, 0)).sum(axis=-1) / questions
    moved = np.where(there, mean[..., None] - deleted, 0)
    # By products: numpy takes powers above the second from a logarithm, ten times as slowly.
    squares = moved * moved
    weighted = present * squares
    total = weighted.sum(axis=-1)
    carry = total**2 / (weighted * squares).sum(axis=-1)
    # `fmin` ignores NaN: where all questions move the figure alike, `carry` is 0 / 0.
    degrees = np.fmin(questions - 1, np.maximum(_DEGREES_AT_LEAST, carry))
    lean = (weighted * moved).sum(axis=-1) / total**1.5
    return np.sqrt((questions - 1) / questions * total), degrees, lean


def _shrunk(standard: np.ndarray, lean: np.ndarray | float) -> np.ndarray:
    """Return a t statistic without the error that skewness away from it makes.

    Where losses are rarer and larger than gains, a sample with few of them has both a better figure
    and a smaller standard error, so t is too large too often. Johnson (1978) takes lean / 3 t^2
    off; so does this for small t, and for large t it keeps rising, as Wilson's score does.
    """
    return standard / np.sqrt(1 + _TWO_THIRDS * lean * np.maximum(standard, 0))


def _reached(quantile: np.ndarray, lean: np.ndarray | float) -> np.ndarray:
    """Return the t statistic that `_shrunk` makes the quantile of."""
    half = _TWO_THIRDS * lean * quantile**2 / 2
    return half + np.sqrt(half**2 + quantile**2)


def _forward(values: np.ndarray, stretch: str) -> np.ndarray:
    if stretch == "fisher":
        return np.arctanh(np.where(np.abs(values) < 1 - NEGLIGIBLE, values, np.nan))
    return -np.sqrt(np.maximum(-values, 0)) if stretch == "root" else values


def _backward(values: np.ndarray, stretch: str) -> np.ndarray:
    if stretch == "fisher":
        return np.tanh(values)
    return -np.square(np.minimum(values, 0)) if stretch == "root" else values


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
