"""Tables of weighted counts: one K x K table per question, from which every resample is a sum."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

NEGLIGIBLE = 1e-12
_LOOKED_UP = 1000


class DistinctSums(NamedTuple):
    """Sums per question, those that are alike held once: of many questions few tables differ.

    Attributes:
        rows: (U, ...) the different sums.
        times: (U,) how many questions have each.
    """

    rows: np.ndarray
    times: np.ndarray


def positions(scores: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return the index of each score on the scale, from 0.

    Raises:
        ValueError: A score is not on the scale, or the scale is not in strictly rising order.
    """
    steps = np.asarray(scale)
    if np.any(np.diff(steps) <= 0):
        raise ValueError(f"the scale must rise: {list(scale)}")
    if steps.dtype.kind == "i" and steps[-1] - steps[0] < _LOOKED_UP:
        place = _looked_up(np.asarray(scores), steps)
    else:
        # searchsorted puts a score above the scale past its end; the check below refuses it.
        place = np.minimum(np.searchsorted(steps, scores), len(steps) - 1)
    if np.any(steps[place] != scores):
        raise ValueError(f"a score is not on the scale {list(scale)}")
    return place


def distinct(index: np.ndarray) -> int:
    """Return the number of distinct indices, for which `numpy.unique` takes ten times as long.

    `index` is as for `ranked`.
    """
    return int(np.count_nonzero(np.bincount(index)))


def ranked(index: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the number of distinct indices and the rank of each, from 0.

    `index` is (n,) whole numbers from 0, not much larger than n, so no sort is needed.
    """
    used = np.bincount(index) > 0
    number = int(used.sum())
    return number, index if number == len(used) else (np.cumsum(used) - 1)[index]


def alike(rows: np.ndarray) -> DistinctSums:
    """Return the distinct sums (G, ...) per question, and the frequency of each."""
    # By one number per row: sorting whole rows takes many times as long.
    _, first, times = np.unique(row_keys(rows), return_index=True, return_counts=True)
    return DistinctSums(rows[first], times)


def shares(tables: np.ndarray) -> np.ndarray:
    """Tables (..., K, K) scaled to sum to 1; all NaN where a table is empty."""
    return ratio(tables, tables.sum(axis=(-2, -1), keepdims=True))


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Divide; NaN where `below` is negligible, since fractional weights leave 1e-17 for 0."""
    above, below = np.asarray(above, float), np.asarray(below, float)
    with np.errstate(all="ignore"):
        found = np.divide(above, below)
    known = below > NEGLIGIBLE
    # All at once and corrected: a division of some cells only takes several times as long.
    return np.asarray(found) if known.all() else np.where(known, found, np.nan)


def row_keys(rows: np.ndarray) -> np.ndarray:
    """(G,) one number per question, the same for the same content: an irrational combination.

    It puts questions in an order that does not depend on how they were listed, and finds those that
    are alike, without comparing every cell.

    `rows` is (G, ...).
    """
    # Not -1, which numpy cannot infer for an array without rows.
    flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    return np.einsum("ij,j->i", flat, np.sqrt(np.arange(flat.shape[1]) + np.e))


def _looked_up(scores: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return the index of whole scores among whole steps; arbitrary for other scores."""
    place = np.zeros(steps[-1] - steps[0] + 1, np.intp)
    place[steps - steps[0]] = np.arange(len(steps))
    inside = np.fmax(np.fmin(scores, steps[-1]), steps[0])  # unlike clip, also of nan
    return place[inside.astype(np.intp) - steps[0]]


def commonest(weight: np.ndarray) -> np.ndarray:
    """Return (..., K) which score has the most of (..., K) summed weights; of equals the lowest."""
    # Shares are sums of weights: equal ones may differ by rounding.
    most = weight >= weight.max(axis=-1, keepdims=True) * (1 - NEGLIGIBLE)
    return most & (most.cumsum(axis=-1) == 1)
