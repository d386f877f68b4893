"""Reading rules: from a probability for each score of the scale to one score.

`argmax` takes the most probable score, `median` the lowest score that has at least half of the
probability at or below it, and `rounded_mean` the score nearest to the expected score. Of two
scores that are equally good, each takes the lower. Cut points divide the range of the expected
score in another way, fitted to annotators' grades (`combining.fit`).

Probabilities and expected scores are compared to nine decimals: .1 + .4 is half, however computers
add it up.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

Rule = Literal["argmax", "rounded_mean", "median"]
_DECIMALS = 9


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
