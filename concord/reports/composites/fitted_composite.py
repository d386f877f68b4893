"""Fitted composite: weights fitted to the annotators' composite, evaluated out of fold."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from concord.reports.composites.composite_figures import NOBODY, arrays
from concord.reports.composites.composite_table import (
    CompositeTable,
)
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.correction import fitted_weights
from concord.stats.statistics import composite_figures


@dataclass(frozen=True)
class FittedWeight:
    """A metric's fitted weight: points from worst to best; `least` and `most` of the folds."""

    metric: str
    title: str
    judge: str
    weight: float
    least: float
    most: float


@dataclass(frozen=True)
class Fitted:
    """Weights fitted to the annotators' composite, evaluated on questions they were not fitted to.

    Attributes:
        n: Answers; `questions` counts theirs.
        spearman: Out of fold, as all figures here.
        mae: The mean absolute error in points of the scale.
        constant_mae: That of the annotators' mean alone.
        ahead: Spearman less that of the chosen weights.
        why_none: Why nothing was fitted.
    """

    n: int
    questions: int
    weights: tuple[FittedWeight, ...]
    intercept: float | None
    penalty: float | None
    folds: int | None
    spearman: Estimate
    mae: Estimate
    constant_mae: Estimate
    ahead: Estimate
    why_none: str | None


def report(held: CompositeTable, chosen: np.ndarray, given: Mapping) -> Fitted:
    """Fit weights to the annotators' composite; `chosen` (n,) is that by the chosen weights."""
    known = np.array([one in given for one in held.item.tolist()], bool)
    values = held.values[known]
    if not known.any():
        return _not_fitted(0, 0, NOBODY)
    annotators, cluster, weight = arrays(held.item[known].tolist(), given)
    questions = len(np.unique(cluster))
    if why := fitted_weights.too_few(values, annotators, cluster):
        return _not_fitted(len(annotators), questions, why)
    found = fitted_weights.fit(values, annotators, cluster, weight)
    out = found.out_of_fold
    return Fitted(
        n=len(annotators),
        questions=questions,
        weights=tuple(
            FittedWeight(
                *(one.metric.name, one.metric.title, one.judge),
                *(float(weight), float(folds.min()), float(folds.max())),
            )
            for one, weight, folds in zip(held.columns, found.weights, found.by_fold.T, strict=True)
        ),
        intercept=found.intercept,
        penalty=found.penalty,
        folds=fitted_weights.FOLDS,
        spearman=rank_correlation.spearman(out, annotators, cluster, weight),
        mae=_mae(out, annotators, cluster, weight),
        constant_mae=_mae(found.constant, annotators, cluster, weight),
        ahead=rank_correlation.lead(out, chosen[known], annotators, cluster, weight),
        why_none=None,
    )


def _not_fitted(n: int, questions: int, why: str) -> Fitted:
    return Fitted(n, questions, (), None, None, None, *[undefined(why)] * 4, why)


def _mae(
    value: np.ndarray, annotators: np.ndarray, cluster: np.ndarray, weight: np.ndarray
) -> Estimate:
    item = np.arange(len(annotators))
    return composite_figures(Pairs(value, annotators, weight, item, cluster))["mae"]
