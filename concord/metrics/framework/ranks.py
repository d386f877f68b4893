"""Ranks: precision over the places of what is relevant in a ranked list. Pure."""

import math
from collections.abc import Sequence


def context_precision(relevant: Sequence[bool]) -> float:
    """The mean of precision at k over the ranks k that are relevant; 0 where none is.

    `relevant` is (K,), best rank first; K >= 1.
    """
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, 1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def average_precision(hits: Sequence[bool], relevant: int, k: int | None = None) -> float:
    """Precision at the ranks of what is relevant, over all that is relevant, found or not (TREC).

    What was not found counts with precision 0, which `context_precision` leaves out. `relevant` is
    at least 1; ranks below k do not count.
    """
    top = hits[:k]
    return context_precision(top) * sum(top) / relevant


def precision_at(hits: Sequence[bool], k: int) -> float:
    """The share of the first k places that hold what is relevant; empty places count as wrong."""
    return sum(hits[:k]) / k


def recall_at(hits: Sequence[bool], relevant: int, k: int | None = None) -> float:
    """Return recall at k: the share of all relevant that are among the first k; `relevant` >= 1."""
    return sum(hits[:k]) / relevant


def reciprocal_rank(hits: Sequence[bool], k: int | None = None) -> float:
    """One over the rank of the first that is relevant; 0 where none is among the first k."""
    return next((1 / rank for rank, hit in enumerate(hits[:k], 1) if hit), 0.0)


def ndcg(hits: Sequence[bool], relevant: int, k: int | None = None) -> float:
    """Discounted gain, each hit over log2(rank + 1), over that of the ideal order; 0 to 1.

    The ideal has all that is relevant on top, cut at k (Järvelin and Kekäläinen 2002, as in
    trec_eval). `relevant` is at least 1 and at least the number of hits.
    """
    ideal = relevant if k is None else min(relevant, k)
    return _gain(hits[:k]) / _gain([True] * ideal)


def _gain(hits: Sequence[bool]) -> float:
    return sum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits, 1) if hit)
