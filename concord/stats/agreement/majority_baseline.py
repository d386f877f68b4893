"""Majority-class baseline: agreement of always giving one score."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.agreement import coefficients


class Constant(NamedTuple):
    """The commonest score as a judge, and the score with the most annotators within one.

    Attributes:
        score: The commonest score; the lowest of them where several are.
        exact: Share of annotators' scores it equals, 0 to 1.
        within_one: Share it is within one point of.
        best_within_one: The most any constant has within one point.
        best_within_one_score: The constant that has it; the lowest of them where several do.
        bias: The commonest score minus the mean of annotators' scores, in points.
        mae: Its mean distance from annotators' scores, in points.
    """

    score: int
    exact: float
    within_one: float
    best_within_one: float
    best_within_one_score: int
    bias: float
    mae: float


def constant(annotators: np.ndarray, scale: Sequence[int]) -> Constant | None:
    """Return the majority-class baseline of a criterion.

    `annotators` is (K,) summed weights of their scores, `tables.sum(axis=(0, 2))`.

    Returns:
        None where annotators gave no score.
    """
    if annotators.sum() <= 0:
        return None
    share = annotators / annotators.sum()
    within = (coefficients.differences(scale) <= 1) @ share
    commonest, best = _first_largest(share), _first_largest(within)
    return Constant(
        score=int(scale[commonest]),
        exact=float(share[commonest]),
        within_one=float(within[commonest]),
        best_within_one=float(within[best]),
        best_within_one_score=int(scale[best]),
        bias=float(scale[commonest] - share @ np.asarray(scale, float)),
        mae=float(coefficients.differences(scale)[commonest] @ share),
    )


def median(values: np.ndarray, weight: np.ndarray) -> float:
    """Return the weighted median, the constant with the least mean distance; the lower of two.

    Both are (n,), n at least 1; the weights are positive.
    """
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[order])
    # The tolerance keeps the lower median where rounding pushes half of the mass just below.
    return float(values[order][np.searchsorted(mass, mass[-1] / 2 - 1e-9)])


def _first_largest(shares: np.ndarray) -> int:
    # Shares are sums of weights: equal ones may differ by rounding, and the lowest score wins.
    return int(np.argmax(shares > shares.max() - 1e-12))
