"""Ranks: precision over the places of what is relevant in a ranked list. Pure."""

from collections.abc import Sequence


def context_precision(relevant: Sequence[bool]) -> float:
    """The mean of precision at k over the ranks k that are relevant; 0 where none is.

    Args:
        relevant: (K,) whether each retrieved passage is relevant, best rank first; K >= 1.
    """
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, 1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0
