"""Exact: the binomial bound on a share, which takes its cases to be independent."""

from scipy import stats


def at_most(hits: int, of: int, error: float) -> float:
    """The largest share that so many hits leave open (Clopper and Pearson, one-sided)."""
    return 1.0 if hits >= of else float(stats.beta.isf(error, hits + 1, of - hits))
