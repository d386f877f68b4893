"""Pairs: the one weighted table that every agreement figure is computed from."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from concord.stats.core.tables import positions, ranked


class Pairs(NamedTuple):
    """Paired scores of the same items, one row per pair of graders.

    Attributes:
        judge: (n,) the judge's score (between annotators: one annotator's).
        annotator: (n,) the annotator's score (between annotators: another annotator's).
        weight: (n,) positive; the pairs of one item add up to the item's weight, which is 1 unless
            `weighing` says otherwise, so that an item graded by three annotators counts no more
            than an item graded by one.
        item: (n,) index of the item.
        cluster: (n,) index of the item's cluster (its question where no cluster is known).
    """

    judge: np.ndarray
    annotator: np.ndarray
    weight: np.ndarray
    item: np.ndarray
    cluster: np.ndarray

    def where(self, keep: np.ndarray) -> Self:
        """The pairs for which the boolean (n,) array `keep` is true, weights unchanged."""
        rows = np.flatnonzero(keep)
        return type(self)(*(column[rows] for column in self))

    def tables(self, scale: Sequence[int]) -> np.ndarray:
        """The joint distribution of scores, one table per question.

        The pairs of one item must share a cluster.

        Args:
            scale: The rubric's scores in rising order; they need not be contiguous or start at 0.

        Returns:
            (G, K, K) summed weights, rows = annotator, columns = judge; the G clusters in rising
            order of their index, only those that hold a pair.

        Raises:
            ValueError: A score is not on the scale.
        """
        size = len(scale)
        clusters, group = ranked(self.cluster)
        cell = positions(self.annotator, scale) * size + positions(self.judge, scale)
        flat = np.bincount(
            group * size**2 + cell, weights=self.weight, minlength=clusters * size**2
        )
        return flat.reshape(clusters, size, size)

    def weighing(self, weight: np.ndarray) -> Self:
        """Return the same pairs with each item's weight multiplied by its own of the (N,) `weight`.

        For unequal inclusion probabilities: their inverse, with a mean near 1 (only Krippendorff's
        alpha depends on the scale of the weights, and hardly).
        """
        return self._replace(weight=self.weight * weight[self.item])

    def item_weights(self) -> np.ndarray:
        """The summed weight of each item that has a pair."""
        weight = np.bincount(self.item, weights=self.weight)
        return weight[weight > 0]

    def on(self, items: np.ndarray) -> Self:
        """The pairs on these items: the judge's own figure on the items the ceiling is made of."""
        return self.where(np.isin(self.item, items))


def judge_pairs(
    judge_item: np.ndarray,
    judge_score: np.ndarray,
    item: np.ndarray,
    score: np.ndarray,
    cluster: np.ndarray,
) -> Pairs:
    """Return every pair (judge, annotator) on the same item, each item with total weight 1.

    With the annotators' consensus as (item, score) it gives the table of the `consensus` reference.

    Args:
        judge_item: (a,) items the judge scored, each at most once, in any order.
        judge_score: (a,) the judge's scores of them.
        item: (b,) items of the annotators' grades, one row per grade.
        score: (b,) the annotators' scores.
        cluster: (N,) cluster of every item; the item indices above point into it.

    Raises:
        ValueError: The judge has two scores for one item.
    """
    count = len(cluster)
    times = np.bincount(judge_item, minlength=count)
    if times.max(initial=0) > 1:
        raise ValueError("a judge has at most one score per item")
    by_item = np.zeros(count, dtype=np.asarray(judge_score).dtype)
    by_item[judge_item] = judge_score
    both = times[item] == 1
    shared, annotators = item[both], np.bincount(item, minlength=count)
    # Weight 1 per answer, not per pair: an answer that five annotators graded must not count five
    # times.
    return Pairs(by_item[shared], score[both], 1.0 / annotators[shared], shared, cluster[shared])


def annotators_pairs(item: np.ndarray, score: np.ndarray, cluster: np.ndarray) -> Pairs:
    """Return every ordered pair of annotators on the same item, each item with total weight 1.

    Items with one annotator are left out. Both orders of a pair are included, so neither annotator
    serves as the reference: statistics that distinguish judge and annotator become symmetric, and
    bias is zero by construction.

    The arguments are those of `judge_pairs`, with one row per annotator and item.
    """
    order = np.argsort(item, kind="stable")
    item, score = item[order], score[order]
    annotators = np.bincount(item, minlength=len(cluster))
    left = np.repeat(np.arange(len(item)), annotators[item])
    first_of_item = np.cumsum(annotators) - annotators
    first_of_row = np.cumsum(annotators[item]) - annotators[item]
    right = np.arange(len(left)) - first_of_row[left] + first_of_item[item[left]]
    left, right = left[left != right], right[left != right]
    shared = item[left]
    weight = 1.0 / (annotators[shared] * (annotators[shared] - 1.0))
    return Pairs(score[left], score[right], weight, shared, cluster[shared])


class Consensus(NamedTuple):
    """The items on which annotators have a consensus, and how many have none.

    Attributes:
        item: (c,) items with a consensus, rising.
        score: (c,) the consensus.
        left_out: Items with grades but no consensus.
    """

    item: np.ndarray
    score: np.ndarray
    left_out: int


def strict_majority(item: np.ndarray, score: np.ndarray) -> Consensus:
    """Return the score given by more than half of an item's annotators, else none.

    A single annotator is a majority of one; of two annotators, both must agree.

    Both are (b,), a row per annotator and item; items are indices from 0.
    """
    if len(item) == 0:
        return Consensus(item, score, 0)
    counts, scores = _counts(item, score)
    annotators = counts.sum(axis=-1)
    agreed = np.flatnonzero(2 * counts.max(axis=-1) > annotators)
    left_out = int((annotators > 0).sum()) - len(agreed)
    majority = scores[counts[agreed].argmax(axis=-1)]
    return Consensus(agreed, majority, left_out)


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
