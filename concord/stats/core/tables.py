"""Tables of weighted counts by question, and how much whole questions of many or few answers say.

There is one K x K table per question, from which every resample is a sum.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

NEGLIGIBLE = 1e-12
_LOOKED_UP = 1000


class DistinctSums(NamedTuple):
    """Sums per question, those that are alike held once: of many questions few tables differ.

    Attributes:
        rows: (U, ...) the different sums.
        times: (U,) how many questions have each.
    """

    rows: np.ndarray
    times: np.ndarray


def positions(scores: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return the index of each score on the scale, from 0.

    Raises:
        ValueError: A score is not on the scale, or the scale is not in strictly rising order.
    """
    steps = np.asarray(scale)
    if np.any(np.diff(steps) <= 0):
        raise ValueError(f"the scale must rise: {list(scale)}")
    if steps.dtype.kind == "i" and steps[-1] - steps[0] < _LOOKED_UP:
        place = _looked_up(np.asarray(scores), steps)
    else:
        # searchsorted puts a score above the scale past its end; the check below refuses it.
        place = np.minimum(np.searchsorted(steps, scores), len(steps) - 1)
    if np.any(steps[place] != scores):
        raise ValueError(f"a score is not on the scale {list(scale)}")
    return place


def distinct(index: np.ndarray) -> int:
    """Return the number of distinct indices, for which `numpy.unique` takes ten times as long.

    `index` is as for `ranked`.
    """
    return int(np.count_nonzero(np.bincount(index)))


def ranked(index: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the number of distinct indices and the rank of each, from 0.

    `index` is (n,) whole numbers from 0, not much larger than n, so no sort is needed.
    """
    used = np.bincount(index) > 0
    number = int(used.sum())
    return number, index if number == len(used) else (np.cumsum(used) - 1)[index]


def alike(rows: np.ndarray) -> DistinctSums:
    """Return the distinct sums (G, ...) per question, and the frequency of each."""
    # By one number per row: sorting whole rows takes many times as long.
    _, first, times = np.unique(row_keys(rows), return_index=True, return_counts=True)
    return DistinctSums(rows[first], times)


def shares(tables: np.ndarray) -> np.ndarray:
    """Tables (..., K, K) scaled to sum to 1; all NaN where a table is empty."""
    return ratio(tables, tables.sum(axis=(-2, -1), keepdims=True))


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Divide; NaN where `below` is negligible, since fractional weights leave 1e-17 for 0."""
    above, below = np.asarray(above, float), np.asarray(below, float)
    with np.errstate(all="ignore"):
        found = np.divide(above, below)
    known = below > NEGLIGIBLE
    # All at once and corrected: a division of some cells only takes several times as long.
    return np.asarray(found) if known.all() else np.where(known, found, np.nan)


def row_keys(rows: np.ndarray) -> np.ndarray:
    """(G,) one number per question, the same for the same content: an irrational combination.

    It puts questions in an order that does not depend on how they were listed, and finds those that
    are alike, without comparing every cell.

    `rows` is (G, ...).
    """
    # Not -1, which numpy cannot infer for an array without rows.
    flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    return np.einsum("ij,j->i", flat, np.sqrt(np.arange(flat.shape[1]) + np.e))


def _looked_up(scores: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return the index of whole scores among whole steps; arbitrary for other scores."""
    place = np.zeros(steps[-1] - steps[0] + 1, np.intp)
    place[steps - steps[0]] = np.arange(len(steps))
    inside = np.fmax(np.fmin(scores, steps[-1]), steps[0])  # unlike clip, also of nan
    return place[inside.astype(np.intp) - steps[0]]


def commonest(weight: np.ndarray) -> np.ndarray:
    """Return (..., K) which score has the most of (..., K) summed weights; of equals the lowest."""
    # Shares are sums of weights: equal ones may differ by rounding.
    most = weight >= weight.max(axis=-1, keepdims=True) * (1 - NEGLIGIBLE)
    return most & (most.cumsum(axis=-1) == 1)


@np.errstate(invalid="ignore", divide="ignore")
def effective_number(weights: np.ndarray, times: np.ndarray | float = 1.0) -> np.ndarray:
    """Return how many equal weights say as much as these (..., G): (sum w)^2 / sum w^2 (Kish).

    Of the weights of questions it is the effective number of questions; 0 for no weight. Each is
    there `times` times.
    """
    squares = (times * weights**2).sum(axis=-1)
    return _over((times * weights).sum(axis=-1) ** 2, squares, 0.0)


@np.errstate(invalid="ignore", divide="ignore")
def clustered_variance(
    residuals: np.ndarray,
    base: np.ndarray,
    squares: np.ndarray | None = None,
    units: np.ndarray | float | None = None,
    times: np.ndarray | float = 1.0,
) -> np.ndarray:
    """Return the variance of sum(residuals) / sum(base), a weighted mean less its value.

    The larger of two. CR1 takes the squared residual sums of the questions, times G / (G - 1)
    (Liang and Zeger 1986). Where a few questions have most of the answers and none of these happens
    to show an error, it is far too small. The other one takes large questions to be like small
    ones: v / n (1 + icc (M - 1)), with the variance v of n answers, their intraclass correlation by
    ANOVA, from 0 to 1, and the mean size M of an answer's question. Without `squares` all answers
    of a question count as alike. Where questions weigh the same, the two hardly differ.

    Args:
        residuals: (..., G) summed weighted residuals of the answers, which add up to 0.
        base: (..., G) summed weights; a question without any is not counted.
        squares: (..., G) summed weighted squares of the answers' residuals.
        units: (...) how many equally weighted observations `base` amounts to; default as many as
            its sum.
        times: (..., G) number of questions each column represents.
    """
    number = (times * (base > NEGLIGIBLE)).sum(axis=-1)
    total = (times * base).sum(axis=-1)
    observed = _over((times * residuals**2).sum(axis=-1), total**2) * _over(number, number - 1)
    between = (times * _over(residuals**2, base, 0.0)).sum(axis=-1)
    share = _over((times * base**2).sum(axis=-1), total**2)
    if squares is None:
        return np.fmax(observed, _over(between, total) * share)
    units = total if units is None else units
    every = (times * squares).sum(axis=-1)
    size = np.maximum(1.0, share * units)
    among = _over(between, number - 1)
    within = np.where(units > number, _over(np.maximum(every - between, 0), units - number), 0.0)
    usual = _over(units - size, number - 1)
    alike = np.clip(_over(among - within, among + (usual - 1) * within, 1.0), 0, 1)
    return np.fmax(observed, _over(every, total * units) * (1 + alike * (size - 1)))


@np.errstate(invalid="ignore", divide="ignore")
def share_of(
    hits: np.ndarray,
    base: np.ndarray,
    units: np.ndarray | float | None = None,
    times: np.ndarray | float = 1.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a share, its effective sample size, and the effective number of its questions.

    The size is that of independent answers with the same variance. Where all or no answers hit the
    variance cannot be estimated, and it is the number of questions.

    Args:
        hits: (..., G) summed weight of the answers that hit.
        base: (..., G) summed weight of all.
        units: As of `clustered_variance`.
        times: As of `clustered_variance`.
    """
    total = (times * base).sum(axis=-1)
    # Sums of weights may exceed the base by a rounding error.
    share = np.clip(_over((times * hits).sum(axis=-1), total), 0, 1)
    one = np.asarray(share)[..., None]
    residuals, squares = hits - base * one, hits * (1 - 2 * one) + base * one**2
    variance = clustered_variance(residuals, base, squares, units, times)
    questions, spread = effective_number(base, times), share * (1 - share)
    return share, np.where(spread < NEGLIGIBLE, questions, _over(spread, variance)), questions


def _over(
    above: np.ndarray | float, below: np.ndarray | float, otherwise: float = np.nan
) -> np.ndarray:
    """Divide; `otherwise` where there is nothing to divide by."""
    return np.where(np.abs(below) > NEGLIGIBLE**2, np.divide(above, below), otherwise)
