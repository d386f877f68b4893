"""Calibration maps of a judge's scores to the annotators' scores.

A map turns each score of the judge into the score annotators tend to give the same answers. `mean`
maps to the mean of the annotators' scores, made to rise with the judge's (isotonic regression): it
removes bias and feeds averages. `median` maps to their median, a score of the scale, for exact
agreement. Both are learnt on four fifths of the questions and read on the fifth, in turn, so that
every mapped score is out of fold; scores the judge gave to fewer than 10 learnt answers are pooled
with those next to them. The intervals repeat the fits (`cross_fitting`).

A map may raise exact agreement by mapping everything to the commonest score; that is called a
failure, however well it scores.

Source: isotonic regression by pooling adjacent violators (Ayer et al. 1955).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from concord.stats import cross_fitted_scores
from concord.stats.core.estimate import Estimate, Reason, Why, reason
from concord.stats.core.minimums import STEP_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import positions
from concord.stats.cross_fitted_scores import moments_of, tables_of
from concord.stats.intervals.cross_fitting import (
    FOLDS,
    TOO_FEW,
    cross_fit,
    groups,
)
from concord.stats.intervals.resampling import SEED
from concord.stats.statistics import composite_figures, figures

SCORES, VALUES = ("exact", "qwk"), ("mae", "bias")
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
        out_of_fold: (n,) mapped value of each pair, by a map that has not seen its question.
        distinct: Smallest number over folds of distinct mapped scores; means are rounded to the
            nearest score first.
        before: exact, mae, bias and qwk of the unmapped scores.
        after: The same of the mapped scores; of `mean`, exact and qwk after rounding.
        failure: Why the map must not be used: it collapses. None where it may.
        why_none: Why the map is undefined.
    """

    kind: str
    mapped: np.ndarray | None
    out_of_fold: np.ndarray | None
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
        return CalibrationMap(kind, None, None, None, before, {}, None, why)
    group, place = groups(pairs.cluster, seed), positions(pairs.judge, scale)
    tables, answers = pairs._replace(cluster=group).tables(scale), _answers(pairs, group, scale)

    def fitted(these: np.ndarray) -> np.ndarray:
        return learnt(tables[these].sum(axis=0), answers[these].sum(axis=0), scale, kind)

    fold = np.arange(len(tables)) % FOLDS
    whole, held = fitted(fold >= 0), [fitted(fold != one) for one in range(FOLDS)]
    used = answers.sum(axis=0) > 0
    # Over all folds: a map that collapses in one fold would do so on other questions as well.
    distinct = min(len(np.unique(nearest(one[used], scale))) for one in (whole, *held))
    failure = COLLAPSED if distinct == 1 else None

    def made(these: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return fitted(these)[place[rows]]

    def rounded(these: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return nearest(made(these, rows), scale)

    values = cross_fit(pairs, group, made, moments_of(pairs))
    scores = cross_fit(pairs, group, rounded, tables_of(pairs, scale))
    after = cross_fitted_scores.figures(pairs, scores, scale, SCORES)
    after |= cross_fitted_scores.composite_figures(pairs, values, VALUES)
    mapped = np.where(used, whole, np.nan)
    return CalibrationMap(kind, mapped, values.values, distinct, before, after, failure)


def learnt(table: np.ndarray, answers: np.ndarray, scale: Sequence[int], kind: str) -> np.ndarray:
    """Return (K,) the mapped value of each score of the scale, fitted to some pairs.

    Scores the judge gives to fewer than 10 answers are pooled with the next, scores it never gives
    belong to the pool above them (the topmost to that below).

    Args:
        table: (K, K) weight of the pairs: rows = annotator, columns = judge.
        answers: (K,) how many answers have each score of the judge.
        scale: All scores of the rubric, rising.
        kind: `mean` or `median`.
    """
    pool, steps = pooled(answers), np.asarray(scale)
    weight = np.zeros((pool.max() + 1, len(steps)))
    np.add.at(weight, pool, table.T)
    if kind == MEDIAN:
        return np.array([weighted_median(steps, own) for own in weight])[pool]
    base = weight.sum(axis=1)
    return isotonic(weight @ steps / base, base)[pool]


def isotonic(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return (n,) the non-decreasing sequence nearest to `values` by weighted least squares."""
    return isotonic_regression(values, weights=weights).x


def pooled(answers: np.ndarray) -> np.ndarray:
    """Return (K,) the pool of each score: neighbours are merged until each pool holds 10 answers.

    `answers` is (K,) how many have each score of the judge; one graded by several annotators counts
    once.
    """
    size = len(answers)
    pool, held, own = np.zeros(size, int), 0, 0
    for score in range(size):
        pool[score] = own
        held += int(answers[score])
        # A pool closes only if what is left can fill another, else the last one would be too small.
        if held >= STEP_FLOOR and answers[score + 1 :].sum() >= STEP_FLOOR:
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
    answers = _answers(pairs, np.zeros(len(pairs.item), int), scale)
    return None if pooled(answers[0]).max() else TOO_RARE


def _answers(pairs: Pairs, group: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """(G, K) how many answers of each group have each score of the judge."""
    first = np.unique(pairs.item, return_index=True)[1]
    number, size = int(group.max()) + 1, len(scale)
    cell = group[first] * size + positions(pairs.judge[first], scale)
    return np.bincount(cell, minlength=number * size).reshape(number, size)


def _figures(pairs: Pairs, judge: np.ndarray, scale: Sequence[int]) -> dict[str, Estimate]:
    """MAE and bias of the values as they are, exact and qwk of the scores nearest to them."""
    nearby = pairs._replace(judge=nearest(judge, scale))
    whole = figures(nearby, scale, failing=(), names=SCORES)
    return whole | composite_figures(pairs._replace(judge=judge), names=VALUES)
