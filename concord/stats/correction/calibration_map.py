"""Calibration maps of a judge's scores to the annotators' scores.

A map turns each score of the judge into the score annotators tend to give the same answers. `mean`
maps to the mean of the annotators' scores, made to rise with the judge's (isotonic regression): it
removes bias and feeds averages. `median` maps to their median, a score of the scale, for exact
agreement. Both are learnt on four fifths of the questions and read on the fifth, in turn, so that
every mapped score is out of fold; scores the judge gave to fewer than 10 learnt answers are pooled
with those next to them.

A map may raise exact agreement by mapping everything to the commonest score; that is called a
failure, however well it scores.

Source: isotonic regression by pooling adjacent violators (Ayer et al. 1955).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from concord.stats.core.estimate import Estimate, Reason, Why, reason
from concord.stats.core.minimums import STEP_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import positions
from concord.stats.intervals.cross_fitting import FOLDS, TOO_FEW, folds
from concord.stats.intervals.resampling import SEED
from concord.stats.statistics import composite_figures, figures

MEAN, MEDIAN = "mean", "median"
ONE_SCORE = reason("judge_constant")
TOO_RARE = reason("judge_scores_too_rare", n=STEP_FLOOR)
COLLAPSED = reason("map_constant")


class CalibrationMap(NamedTuple):
    """A map and the judge's statistics with it, out of fold.

    Attributes:
        kind: `mean` or `median`.
        mapped: (K,) mapped value of each score of the scale, fitted to all questions; NaN for
            scores the judge never gives. None without a map.
        distinct: Smallest number over folds of distinct mapped scores; means are rounded to the
            nearest score first.
        before: exact, mae, bias and qwk of the unmapped scores.
        after: The same of the mapped scores; of `mean`, exact and qwk after rounding.
        failure: Why the map must not be used: it collapses. None where it may.
        why_none: Why the map is undefined.
    """

    kind: str
    mapped: np.ndarray | None
    distinct: int | None
    before: dict[str, Estimate]
    after: dict[str, Estimate]
    failure: str | None
    why_none: Why | None = None


def calibration_map(
    pairs: Pairs, scale: Sequence[int], kind: str, seed: int = SEED
) -> CalibrationMap:
    """Fit a map and return the judge's statistics before and after it, out of fold.

    `kind` is `mean` or `median`; `scale` has all scores of the rubric, rising.
    """
    before = _figures(pairs, pairs.judge, scale)
    why = _refusal(pairs, scale)
    if why:
        return CalibrationMap(kind, None, None, before, {}, None, why)
    whole = learnt(pairs, scale, kind)
    used = np.bincount(positions(pairs.judge, scale), minlength=len(scale)) > 0
    # Folds are whole questions; answers to one question are alike, and would show the map its own
    # test.
    fold = folds(pairs.cluster, seed)
    held = [learnt(pairs.where(fold != one), scale, kind) for one in range(FOLDS)]
    # Over all folds: a map that collapses in one fold would do so on other questions as well.
    distinct = min(len(np.unique(nearest(m[used], scale))) for m in (whole, *held))
    after = _figures(pairs, out_of_fold(pairs, scale, kind, seed), scale)
    failure = COLLAPSED if distinct == 1 else None
    return CalibrationMap(kind, np.where(used, whole, np.nan), distinct, before, after, failure)


def learnt(pairs: Pairs, scale: Sequence[int], kind: str) -> np.ndarray:
    """Return (K,) the mapped value of each score of the scale, fitted to these pairs.

    Scores the judge gives to fewer than 10 answers are pooled with the next, scores it never gives
    belong to the pool above them (the topmost to that below).
    """
    place = positions(pairs.judge, scale)
    pool = pooled(place, pairs.item, len(scale))
    annotator, weight = pairs.annotator.astype(float), pairs.weight
    group = pool[place]
    if kind == MEDIAN:
        found = _by_group(group, annotator, weight, weighted_median)
        return np.array(found)[pool]
    means = _by_group(group, annotator, weight, lambda p, w: float(np.average(p, weights=w)))
    return isotonic(np.array(means), np.bincount(group, weights=weight))[pool]


def out_of_fold(pairs: Pairs, scale: Sequence[int], kind: str, seed: int = SEED) -> np.ndarray:
    """(n,) each pair's mapped score by a map that has not seen its question."""
    place, fold = positions(pairs.judge, scale), folds(pairs.cluster, seed)
    mapped = np.empty(len(place))
    for one in range(FOLDS):
        held = fold == one
        if held.any():
            mapped[held] = learnt(pairs.where(~held), scale, kind)[place[held]]
    return mapped


def isotonic(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return (n,) the non-decreasing sequence nearest to `values` by weighted least squares."""
    return isotonic_regression(values, weights=weights).x


def pooled(place: np.ndarray, item: np.ndarray, size: int) -> np.ndarray:
    """Return (K,) the pool of each score: neighbours are merged until each pool holds 10 answers.

    `place` is (n,) the index of the judge's scores on the scale, and `item` (n,) their answers; one
    graded by several annotators counts once. `size` is K.
    """
    first = np.unique(item, return_index=True)[1]
    count = np.bincount(place[first], minlength=size)
    pool, held, own = np.zeros(size, int), 0, 0
    for score in range(size):
        pool[score] = own
        held += int(count[score])
        # A pool closes only if what is left can fill another, else the last one would be too small.
        if held >= STEP_FLOOR and count[score + 1 :].sum() >= STEP_FLOOR:
            own, held = own + 1, 0
    return pool


def weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    """Return the lowest of (n,) values, n at least 1, with half of the weight at or below it."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    # The tolerance keeps the lower median where rounding pushes half of the weight just below.
    return float(values[order][np.searchsorted(reached, reached[-1] / 2 - 1e-12)])


def nearest(values: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return (n,) the score of the scale nearest to each value; the lower of two."""
    steps = np.asarray(scale)
    return steps[np.argmin(np.abs(np.asarray(values)[:, None] - steps[None, :]), axis=1)]


def _refusal(pairs: Pairs, scale: Sequence[int]) -> Reason | None:
    if len(np.unique(pairs.cluster)) < FOLDS:
        return TOO_FEW
    if len(np.unique(pairs.judge)) < 2:
        return ONE_SCORE
    pool = pooled(positions(pairs.judge, scale), pairs.item, len(scale))
    return None if pool.max() else TOO_RARE


def _figures(pairs: Pairs, judge: np.ndarray, scale: Sequence[int]) -> dict[str, Estimate]:
    """MAE and bias of the values as they are, exact and qwk of the scores nearest to them."""
    nearby = pairs._replace(judge=nearest(judge, scale))
    whole = figures(nearby, scale, failing=(), names=("exact", "qwk"))
    real = composite_figures(pairs._replace(judge=judge), names=("mae", "bias"))
    return whole | real


def _by_group(
    group: np.ndarray,
    annotator: np.ndarray,
    weight: np.ndarray,
    summary: Callable[[np.ndarray, np.ndarray], float],
) -> list[float]:
    members = [group == one for one in range(group.max() + 1)]
    return [summary(annotator[own], weight[own]) for own in members]
