"""Consensus: the score more than half of an item's annotators gave."""

from typing import NamedTuple

import numpy as np

from concord.stats.core.pairs import Pairs


class Consensus(NamedTuple):
    """The items on which annotators have a consensus, and how many have none.

    Attributes:
        item: (c,) items with a consensus, rising.
        score: (c,) the consensus.
        left_out: Items with grades but no consensus.
        share_left_out: The same as a share of the items with grades; None where there are none.
    """

    item: np.ndarray
    score: np.ndarray
    left_out: int
    share_left_out: float | None


def strict_majority(item: np.ndarray, score: np.ndarray) -> Consensus:
    """Return the score given by more than half of an item's annotators, else none.

    A single annotator is a majority of one; of two annotators, both must agree.

    Both are (b,), a row per annotator and item; items are indices from 0.
    """
    if len(item) == 0:
        return Consensus(item, score, 0, None)
    counts, scores = _counts(item, score)
    annotators = counts.sum(axis=-1)
    agreed = np.flatnonzero(2 * counts.max(axis=-1) > annotators)
    graded = int((annotators > 0).sum())
    left_out = graded - len(agreed)
    majority = scores[counts[agreed].argmax(axis=-1)]
    return Consensus(agreed, majority, left_out, left_out / graded)


def others_pairs(item: np.ndarray, score: np.ndarray, cluster: np.ndarray) -> Pairs:
    """Pair annotators with the consensus of the others: the ceiling of a consensus reference.

    The annotator takes the role of judge and the others' strict majority that of annotator. Each
    item has total weight 1, shared by the annotators for whom the others have a consensus.

    `item` and `score` are (b,) as for `strict_majority`; `cluster` is (N,), of every item.
    """
    if len(item) == 0:
        return Pairs(score, score, np.zeros(0), item, cluster[item])
    counts, scores = _counts(item, score)
    others = counts[item]
    others[np.arange(len(item)), np.searchsorted(scores, score)] -= 1
    agreed = 2 * others.max(axis=-1) > others.sum(axis=-1)
    kept = item[agreed]
    weight = 1.0 / np.bincount(kept, minlength=len(cluster))[kept]
    majority = scores[others[agreed].argmax(axis=-1)]
    return Pairs(score[agreed], majority, weight, kept, cluster[kept])


def _counts(item: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) how often each item was given each score, and the scores rising."""
    scores, position = np.unique(score, return_inverse=True)
    items = int(item.max()) + 1
    flat = np.bincount(item * len(scores) + position, minlength=items * len(scores))
    return flat.reshape(items, len(scores)), scores
