"""Precision of a judge's refutations: the share that annotators confirmed."""

import numpy as np

from concord.stats.core.clustered import kish
from concord.stats.core.estimate import (
    QUESTION_FLOOR,
    TOO_FEW,
    Estimate,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.reasons import reason
from concord.stats.intervals.wilson import limits, proportion

NONE_SAID = reason("no_checked_verdict")
_QUANTILE = 1.959964


def refutation_precision(right: np.ndarray, cluster: np.ndarray) -> Estimate:
    """Return the share of refutations that are right, with Wilson's interval.

    With one refutation per question they are independent, and the interval is Wilson's (1927) at
    their number; otherwise it is that of `wilson.proportion` at the effective number.

    Args:
        right: (N,) True where the refutation was confirmed.
        cluster: (N,) the question, or document, of each.

    Returns:
        0 to 1; undefined where N is 0, the interval is withheld below 10 questions.
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
