"""The best of several judges, with an interval that allows for picking it among them."""

from collections.abc import Sequence

import numpy as np

from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import Pairs
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import Difference, simultaneous
from concord.stats.statistics import figures


def best_exact(judges: Sequence[Pairs], scale: Sequence[int]) -> tuple[int, Estimate]:
    """Return which judge agrees exactly most often, and that with its simultaneous 95% CI.

    The limits are the usual ones at the level at which those of all judges hold together, by max-t
    over the question bootstrap: the best of many equal judges looks better than it is.

    Args:
        judges: The pairs of one judge or more with the annotators, none of them empty.
        scale: All scores of the rubric, rising.
    """
    clusters = np.unique(np.concatenate([pairs.cluster for pairs in judges]))
    shares = []
    for pairs in judges:
        place = np.searchsorted(clusters, pairs.cluster)
        hits = pairs.weight * (pairs.judge == pairs.annotator)
        shares.append(
            Difference(*(np.bincount(place, w, len(clusters)) for w in (hits, pairs.weight)))
        )
    best = max(range(len(judges)), key=lambda one: shares[one].value)
    level = CONFIDENCE
    if len(judges) > 1:
        level = 1 - 2 * simultaneous(shares, 1 - CONFIDENCE, Draws()).tail
    return best, figures(judges[best], scale, (), names=("exact",), confidence=level)["exact"]
