"""Change: how a mean over some answers differs from the mean over others, such as later ones."""

import numpy as np

from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.resampling import jackknife, leave_out

ONE_SIDE = reason("one_side_empty")


def change(
    values: np.ndarray, weight: np.ndarray, later: np.ndarray, cluster: np.ndarray
) -> Estimate:
    """The weighted mean of the later values minus that of the earlier, with its question jackknife.

    A question may have answers on both sides; it is left out of both at once.

    All arguments are (n,); `weight` is positive.
    """
    later = np.asarray(later, bool)
    if later.all() or not later.any():
        return undefined(ONE_SIDE)
    questions, group = ranked(np.asarray(cluster))
    terms = [term * side for side in (~later, later) for term in (weight * values, weight)]
    rows = np.stack([np.bincount(group, term, minlength=questions) for term in terms], axis=-1)

    def statistic(sums: np.ndarray) -> np.ndarray:
        return ratio(sums[..., 2], sums[..., 3]) - ratio(sums[..., 0], sums[..., 1])

    return jackknife(leave_out(rows, 1, 3), statistic)
