"""Means: the mean of a number over answers, with an interval by question."""

import numpy as np

from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.intervals.resampling import jackknife, leave_out
from concord.stats.intervals.wilson import proportion

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
