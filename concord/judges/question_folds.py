"""Folds of questions: graded answers dealt out so that all answers to a question stay together."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

FOLDS, SEED = 10, 0


def deal(groups: Sequence[str], graded: Iterable[int]) -> dict[str, int]:
    """The fold of each group with graded items: largest first, to the fold with fewest items.

    `groups` has the group of each item, `graded` the places of the graded items. Which items are
    graded decides it, never how; groups of equal size are ordered by a hash.
    """
    sizes = Counter(groups[item] for item in set(graded))
    order = sorted(sizes, key=lambda group: (-sizes[group], _shuffled(group), group))
    loads = [0] * min(FOLDS, max(1, len(sizes)))
    folds = {}
    for group in order:
        folds[group] = loads.index(min(loads))
        loads[folds[group]] += sizes[group]
    return folds


def _shuffled(group: str) -> str:
    """A place in a random order that is the same on every machine."""
    return hashlib.sha256(f"{SEED}:{group}".encode()).hexdigest()
