"""Repeatability of metric values: variation when all requests behind them are repeated. Pure.

Repeated values of one answer differ only by the judge, so the variation is the judge's own noise;
resampling answers cannot show it.
"""

from typing import NamedTuple

import numpy as np


class AskedAgain(NamedTuple):
    """Repeatability of metric values on the same answers.

    Attributes:
        answers: Number of answers with at least two values.
        repeats: Largest number of values of one answer.
        moved: Number of answers whose values are not all equal.
        sd: The standard deviation within an answer, pooled over answers by degrees of freedom.
        means: The mean of each repeat, over the answers with a value in every one.
    """

    answers: int
    repeats: int
    moved: int
    sd: float
    means: tuple[float, ...]


def asked_again(item: np.ndarray, repeat: np.ndarray, value: np.ndarray) -> AskedAgain | None:
    """Return the repeatability of metric values; None where no answer has two.

    Args:
        item: (b,) the answers, from 0; one row per value.
        repeat: (b,) which of the repeats each is from, from 1; each at most once for an answer.
        value: (b,) the values.
    """
    times = np.bincount(item)
    if not len(item) or times.max() < 2:
        return None
    grid = np.full((len(times), int(repeat.max())), np.nan)
    grid[item, repeat - 1] = value
    grid = grid[times > 1]
    squares = np.nansum((grid - np.nanmean(grid, axis=1, keepdims=True)) ** 2)
    whole = grid[:, ~np.isnan(grid).all(axis=0)]
    whole = whole[~np.isnan(whole).any(axis=1)]
    return AskedAgain(
        answers=len(grid),
        repeats=int(times.max()),
        moved=int((np.nanmax(grid, axis=1) > np.nanmin(grid, axis=1)).sum()),
        sd=float(np.sqrt(squares / (times[times > 1] - 1).sum())),
        means=tuple(map(float, whole.mean(axis=0))) if len(whole) else (),
    )
