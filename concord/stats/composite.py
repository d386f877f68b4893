"""Agreement on the composite: a weighted mean of criteria, so a real number and not a score."""

import numpy as np

from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked, ratio


def question_moments(pairs: Pairs) -> np.ndarray:
    """(G, 8) weighted sums per question that the figures of composites are made of.

    Columns, with j and h the composites of judge and annotator taken from the annotators' mean: 1,
    |j - h|, j - h, j, h, j * j, h * h, j * h.
    """
    middle = np.average(pairs.annotator, weights=pairs.weight)
    judge, annotator = pairs.judge - middle, pairs.annotator - middle
    apart = judge - annotator
    one = np.ones(len(apart))
    terms = (one, np.abs(apart), apart, judge, annotator, judge**2, annotator**2, judge * annotator)
    _, group = ranked(pairs.cluster)
    return np.stack([np.bincount(group, weights=pairs.weight * term) for term in terms], axis=-1)


def mae(moments: np.ndarray) -> np.ndarray:
    """Mean absolute difference (...), 0 or more, from moments (..., 8)."""
    return ratio(moments[..., 1], moments[..., 0])


def bias(moments: np.ndarray) -> np.ndarray:
    """Mean of judge minus annotator, from moments (..., 8)."""
    return ratio(moments[..., 2], moments[..., 0])


def lin_ccc(moments: np.ndarray) -> np.ndarray:
    """Lin's CCC (...), -1 to 1, from moments (..., 8); NaN where neither side varies or differs."""
    scaled = ratio(moments, moments[..., :1])
    judge, annotator = scaled[..., 3], scaled[..., 4]
    spread = scaled[..., 5] - judge**2 + scaled[..., 6] - annotator**2
    return ratio(2 * (scaled[..., 7] - judge * annotator), spread + (judge - annotator) ** 2)
