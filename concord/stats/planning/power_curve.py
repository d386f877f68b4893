"""Power curves: made to rise with the number of questions, and where they reach 80 percent."""

from collections.abc import Sequence

import numpy as np

POWER = 0.8
AT_MOST = 100_000


def rising(shares: np.ndarray) -> np.ndarray:
    """(P, N) the closest shares that rise with the number of questions (isotonic regression)."""
    number = shares.shape[-1]
    sums = np.concatenate([np.zeros((len(shares), 1)), shares.cumsum(axis=-1)], axis=-1)
    first, last = np.meshgrid(np.arange(number), np.arange(number), indexing="ij")
    length = np.where(last >= first, last - first + 1, 1)
    means = (sums[:, last + 1] - sums[:, first]) / length
    means = np.where(last >= first, means, np.inf)
    least = np.minimum.accumulate(means[..., ::-1], axis=-1)[..., ::-1]  # over ends from here on
    least = np.where(last >= first, least, -np.inf)
    return np.diagonal(np.maximum.accumulate(least, axis=-2), axis1=-2, axis2=-1)


def crossing(sizes: Sequence[float], shares: np.ndarray) -> np.ndarray:
    """(P,) where rising (P, N) shares reach the power, on the scale of log n; inf for never."""
    at, places = np.log(sizes), np.arange(len(sizes))
    reached = shares >= POWER
    after = reached.argmax(axis=-1)
    before = np.maximum(after - 1, 0)
    rows = np.arange(len(shares))
    below, above = shares[rows, before], shares[rows, after]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(above > below, (POWER - below) / (above - below), 1.0)
    found = np.exp(at[before] + np.clip(part, 0, 1) * (at[after] - at[before]))
    found = np.where(after == places[0], sizes[0], found)
    return np.where(reached.any(axis=-1), found, np.inf)
