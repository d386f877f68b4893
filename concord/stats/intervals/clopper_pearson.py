"""Exact: the binomial bound on a share, which takes its cases to be independent."""

from scipy import stats


def at_most(hits: int, of: int, error: float) -> float:
    """Return the one-sided upper Clopper-Pearson limit of a share, 0 to 1.

    `hits` of `of` cases hit, and `error` is the probability that the share is above the limit. 1
    where all hit, or there is no case.
    """
    return 1.0 if hits >= of else float(stats.beta.isf(error, hits + 1, of - hits))
