"""Spread: how much of its scale a grader uses. A judge that gives one score tells nothing apart."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.tables import positions


class Spread(NamedTuple):
    """Distribution of scores over a scale.

    Attributes:
        counts: (K,) frequency of each score.
        used: Number of the K scores that were given.
        commonest: The score given most often, the lowest of them on a tie; None without scores.
        share: The share of the commonest score, 0 to 1; None without scores.
        effective: The number of evenly used scores that would be as varied: the exponential of
            Shannon's entropy (Hill 1973), 1 to K; None without scores.
        of: K, the number of scores on the scale.
    """

    counts: tuple[int, ...]
    used: int
    commonest: int | None
    share: float | None
    effective: float | None
    of: int


def spread(scores: np.ndarray, scale: Sequence[int]) -> Spread:
    """The spread of (n,) scores over a scale.

    Raises:
        ValueError: A score is not on the scale.
    """
    counts = np.bincount(positions(np.asarray(scores), scale), minlength=len(scale))
    total = int(counts.sum())
    if total == 0:
        return Spread(tuple(counts.tolist()), 0, None, None, None, len(scale))
    shares = counts[counts > 0] / total
    top = int(counts.argmax())
    return Spread(
        counts=tuple(counts.tolist()),
        used=len(shares),
        commonest=int(scale[top]),
        share=float(counts[top] / total),
        effective=float(np.exp(-(shares * np.log(shares)).sum())),
        of=len(scale),
    )
