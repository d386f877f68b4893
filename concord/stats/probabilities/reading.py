"""Reading rules: from a probability for each score of the scale to one score.

`argmax` takes the most probable score, `median` the lowest score that has at least half of the
probability at or below it, and `rounded_mean` the score nearest to the expected score. Of two
scores that are equally good, each takes the lower. Cut points divide the range of the expected
score in another way, fitted to annotators' grades.

Probabilities and expected scores are compared to nine decimals: .1 + .4 is half, however computers
add it up.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from concord.stats.core.tables import positions

Rule = Literal["argmax", "rounded_mean", "median"]
_DECIMALS = 9
_TIE = 1e-9  # share of all weight under which two sets of cut points agree equally often
_BEYOND = 1.0  # how far outside the scale the outermost cut point can lie


def read(rule: Rule, probabilities: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return (n,) scores of the scale.

    Args:
        rule: `argmax`, `rounded_mean` or `median`.
        probabilities: (n, K) as for `normalised`.
        scale: The K scores, rising; they need not be contiguous.

    Raises:
        ValueError: No such rule, or as `normalised`.
    """
    shares = normalised(probabilities)
    if rule == "rounded_mean":
        return cut(shares @ np.asarray(scale), midpoints(scale), scale)
    if rule == "argmax":
        place = np.round(shares, _DECIMALS).argmax(axis=1)
    elif rule == "median":
        place = (np.round(shares.cumsum(axis=1), _DECIMALS) >= 0.5).argmax(axis=1)
    else:
        raise ValueError(f"there is no reading rule {rule}")
    return np.asarray(scale)[place]


def expected(probabilities: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return (n,) expected scores, from the lowest to the highest score of the scale.

    `probabilities` is (n, K) as for `normalised`, `scale` the K scores, rising.
    """
    return normalised(probabilities) @ np.asarray(scale)


def normalised(probabilities: np.ndarray) -> np.ndarray:
    """Return (n, K) probabilities with rows that sum to 1: what fell outside the scale is left out.

    Raises:
        ValueError: A row has a number that is negative or not finite, or nothing above 0.
    """
    found = np.asarray(probabilities, float)
    total = found.sum(axis=1, keepdims=True)
    if not (np.isfinite(found).all() and (found >= 0).all() and (total > 0).all()):
        raise ValueError("each row takes finite probabilities, none negative and one above 0")
    return found / total


def cut(expected: np.ndarray, points: Sequence[float], scale: Sequence[int]) -> np.ndarray:
    """Return (n,) scores: the lowest of the scale, and one step up for each point passed.

    An expected score equal to a point has not passed it. `expected` is (n,); `points` are the K - 1
    cut points, not falling; `scale` has the K scores, rising.

    Raises:
        ValueError: The number of points is not K - 1, or they fall.
    """
    if len(points) != len(scale) - 1 or np.any(np.diff(points) < 0):
        raise ValueError(f"{len(scale)} scores take {len(scale) - 1} cut points that do not fall")
    return np.asarray(scale)[np.searchsorted(points, np.round(expected, _DECIMALS))]


def midpoints(scale: Sequence[int]) -> np.ndarray:
    """Return the (K - 1,) cut points of the rounded mean: halfway between neighbouring scores."""
    steps = np.asarray(scale, float)
    return (steps[:-1] + steps[1:]) / 2


def fit_cut_points(
    expected: np.ndarray,
    grades: np.ndarray,
    scale: Sequence[int],
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Return the (K - 1,) cut points, not falling, that agree exactly with most of the grades.

    The best of all sets of cut points is found, by dynamic programming over the distinct expected
    scores. A cut point lies at the midpoint of two scores, as in the rounded mean, where no grade
    speaks against it; else halfway between two expected scores, or at most 1 outside the scale. Of
    sets that agree equally often the one nearest to the midpoints is taken, then the one with the
    lowest points. The order of the rows makes no difference. Without rows, the midpoints.

    Args:
        expected: (n,) expected scores; a row per grade.
        grades: (n,) annotators' scores.
        scale: The K scores, rising; one score takes no cut point.
        weights: (n,) positive; 1 each by default.

    Raises:
        ValueError: A grade is not on the scale, or an expected score is not finite.
    """
    if not np.isfinite(expected).all():
        raise ValueError("expected scores must be finite")
    if not len(expected):
        return midpoints(scale)
    weights = np.ones(len(expected)) if weights is None else np.asarray(weights, float)
    place = positions(np.asarray(grades), scale)
    # In an order of their own, so that sums of fractional weights do not depend on the rows'.
    order = np.lexsort([weights, place, expected])
    values, code = np.unique(np.round(expected, _DECIMALS)[order], return_inverse=True)
    below = np.zeros((len(values) + 1, len(scale)))
    np.add.at(below, (code + 1, place[order]), weights[order])
    return _best(below.cumsum(axis=0), _candidates(values, scale), midpoints(scale))


def _candidates(values: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """(D + 1, K - 1) where each cut point lies with 0, 1, ... of the D expected scores below it."""
    ends = (min(values[0], scale[0]) - _BEYOND, max(values[-1], scale[-1]) + _BEYOND)
    edges = np.concatenate([ends[:1], values, ends[1:]])
    low, high, middle = edges[:-1, None], edges[1:, None], midpoints(scale)[None, :]
    return np.where((low <= middle) & (middle < high), middle, (low + high) / 2)


def _best(below: np.ndarray, candidates: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """The best cut points, from (D + 1, K) the weight of each grade among the first 0, 1, ..., D.

    `reached[d]` is the most that the first d expected scores can agree with the levels so far. Each
    step adds a level, which begins after the first e <= d of them, `starts[level][d]`.
    """
    away = np.abs(candidates - middle)
    # Too little to outweigh a grade, and enough to decide between sets that are equally good.
    away *= _TIE * below[-1].sum() / max(1.0, away.sum())
    order, reached, starts = np.arange(len(below)), below[:, 0], []
    for level in range(1, below.shape[1]):
        begun = reached - below[:, level] - away[:, level - 1]
        best = np.maximum.accumulate(begun)
        better = np.concatenate([[True], best[1:] > best[:-1]])
        starts.append(np.maximum.accumulate(np.where(better, order, 0)))
        reached = best + below[:, level]
    points, last = np.empty(len(middle)), len(below) - 1
    for level in reversed(range(len(middle))):
        last = starts[level][last]
        points[level] = candidates[last, level]
    # Two levels that begin together may have candidates in falling order.
    return np.maximum.accumulate(points)
