"""Multiple tests: p-values adjusted for how many there are, so that one in twenty is not chance.

Each takes p-values of 0 to 1 in any order and returns adjusted ones in the same order, at most 1;
compare these with the level (.05) as if there were one test.
"""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Holm's method, which controls the family-wise error rate.

    For a few decisions. Valid under any dependence. Source: Holm (1979). Of more than one
    dimension, each row of the last one is a family.
    """
    values = np.asarray(p_values, float)
    order = np.argsort(values, axis=-1, kind="stable")
    left = np.arange(values.shape[-1], 0, -1)
    adjusted = np.maximum.accumulate(np.take_along_axis(values, order, -1) * left, axis=-1)
    found = np.empty_like(values)
    np.put_along_axis(found, order, np.minimum(1, adjusted), -1)
    return found


def benjamini_hochberg(p_values: Sequence[float]) -> np.ndarray:
    """Return p-values adjusted to control the false discovery rate.

    For exploration. Valid for independent or positively dependent tests. Source: Benjamini and
    Hochberg (1995).
    """
    values, order, ranks = _ranked(p_values)
    return _back(_down(values[order] * len(values) / ranks), order)


def benjamini_yekutieli(p_values: Sequence[float]) -> np.ndarray:
    """Return p-values adjusted to control the false discovery rate under any dependence.

    Stricter than Benjamini and Hochberg. Source: Benjamini and Yekutieli (2001).
    """
    values, order, ranks = _ranked(p_values)
    return _back(_down(values[order] * len(values) * (1 / ranks).sum() / ranks), order)


def _ranked(p_values: Sequence[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values = np.asarray(p_values, float)
    return values, np.argsort(values, kind="stable"), np.arange(1, len(values) + 1)


def _down(scaled: np.ndarray) -> np.ndarray:
    """The smallest of each and all that are larger in rank."""
    return np.minimum.accumulate(scaled[::-1])[::-1]


def _back(scaled: np.ndarray, order: np.ndarray) -> np.ndarray:
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(1, scaled)
    return adjusted
