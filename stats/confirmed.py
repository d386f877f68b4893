"""Confirmed: the share of a judge's refutations that people find right, its precision."""

import numpy as np

from stats.clustered import kish
from stats.estimate import Estimate, undefined, with_interval, without_interval
from stats.wilson import QUESTION_FLOOR, TOO_FEW, limits, proportion
from words.said import said

NONE_SAID = said("nobody has confirmed or overturned one yet")
_QUANTILE = 1.959964


def confirmed(right: np.ndarray, cluster: np.ndarray) -> Estimate:
    """The share that is right, with Wilson's interval.

    Where every refutation stands in a question of its own they are independent, and the interval is
    Wilson's (Wilson 1927) at their number; else it is that of `stats.wilson.proportion`, at the
    number that they are worth by question.

    Args:
        right: (N,) whether each refutation was confirmed.
        cluster: (N,) the question, or document, of each.

    Returns:
        0 to 1; undefined where N is 0, no interval below 10 questions.
    """
    if len(right) == 0:
        return undefined(NONE_SAID)
    _, place = np.unique(cluster, return_inverse=True)
    base = np.bincount(place).astype(float)
    hits = np.bincount(place, weights=right.astype(float))
    if len(base) < len(right):
        return proportion(hits, base, kish(np.ones(len(right))))
    share = float(right.mean())
    if len(base) < QUESTION_FLOOR:
        return without_interval(share, TOO_FEW)
    low, high = map(float, limits(share, len(right), _QUANTILE))
    return with_interval(share, low, high, f"Wilson at n {len(right)}, a question each")
