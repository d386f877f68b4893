"""Fitted weights of a composite of metrics, closest to annotators and tested out of fold.

A ridge regression with weights of at least 0, fitted to some questions and read on the others, so
that no answer is predicted by weights that were fitted to it or to another answer of its question.
Weights below 0 are ruled out because every metric is turned so that more of it is better: a
negative weight would mean that annotators prefer what the metric rates worse, which on few answers
is chance or collinearity, and could not be read as a weight.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from concord.stats.core.estimate import Reason, reason
from concord.stats.core.tables import NEGLIGIBLE

ANSWERS, QUESTIONS, PER_METRIC = 30, 20, 10
PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 5
SEED = 20231
NO_SPREAD = reason("composite_constant")


class Fitted(NamedTuple):
    """Weights fitted to annotators, and their out-of-fold predictions.

    Attributes:
        weights: (M,) of the fit to all answers: points of annotators' composite for a metric that
            goes from 0 to 1; 0 for a metric that does not vary.
        intercept: What the composite is where every metric is 0.
        by_fold: (F, M) the weights of each fold's fit, which show their uncertainty.
        penalty: Of the fit to all answers.
        out_of_fold: (n,) each answer's composite by the weights fitted to other questions.
        constant: (n,) the mean of the others' annotators, which is what no metric at all predicts.
    """

    weights: np.ndarray
    intercept: float
    by_fold: np.ndarray
    penalty: float
    out_of_fold: np.ndarray
    constant: np.ndarray


def too_few(values: np.ndarray, annotators: np.ndarray, cluster: np.ndarray) -> Reason | None:
    """Return why weights cannot be fitted; None where they can.

    `values` is (n, M); `annotators` and `cluster` are (n,).
    """
    answers, metrics = values.shape
    least = max(ANSWERS, PER_METRIC * metrics)
    if answers < least:
        return reason(
            "too_few_answers_for_weights",
            n=answers,
            least=least,
        )
    questions = len(np.unique(cluster))
    if questions < QUESTIONS:
        return reason(
            "too_few_questions_for_weights",
            least=QUESTIONS,
            n=questions,
        )
    return NO_SPREAD if np.ptp(annotators) < NEGLIGIBLE else None


def fit(
    values: np.ndarray,
    annotators: np.ndarray,
    cluster: np.ndarray,
    weight: np.ndarray | None = None,
) -> Fitted:
    """Fit weights to annotators, five folds by question; the penalty by folds within each fit.

    `values` is (n, M), each from 0 to 1 and more of it better; the others are (n,), annotators'
    composites on any scale.
    """
    weight = np.ones(len(annotators)) if weight is None else np.asarray(weight, float)
    out, constant, by_fold = np.empty(len(annotators)), np.empty(len(annotators)), []
    for train, test in _folds(cluster):
        known = values[train], annotators[train], cluster[train], weight[train]
        slopes, intercept, _ = _fitted(*known)
        out[test] = values[test] @ slopes + intercept
        constant[test] = np.average(annotators[train], weights=weight[train])
        by_fold.append(slopes)
    slopes, intercept, penalty = _fitted(values, annotators, cluster, weight)
    return Fitted(slopes, intercept, np.array(by_fold), penalty, out, constant)


def _folds(cluster: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    dealt = GroupKFold(FOLDS, shuffle=True, random_state=SEED)
    return dealt.split(np.zeros((len(cluster), 1)), groups=cluster)


def _fitted(
    values: np.ndarray, annotators: np.ndarray, cluster: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, float, float]:
    """Slopes, intercept and the penalty with the least squared error on questions left out."""
    errors = dict.fromkeys(PENALTIES, 0.0)
    for train, test in _folds(cluster):
        for penalty in PENALTIES:
            slopes, intercept = _ridge(values[train], annotators[train], weight[train], penalty)
            missed = annotators[test] - values[test] @ slopes - intercept
            errors[penalty] += float(weight[test] @ missed**2)
    penalty = min(PENALTIES, key=errors.get)
    return *_ridge(values, annotators, weight, penalty), penalty


def _ridge(
    values: np.ndarray, annotators: np.ndarray, weight: np.ndarray, penalty: float
) -> tuple[np.ndarray, float]:
    """Slopes of at least 0 on the metrics' own scale, penalised as if all spread alike."""
    middle = np.average(values, axis=0, weights=weight)
    spread = np.sqrt(np.average((values - middle) ** 2, axis=0, weights=weight))
    varies = spread > NEGLIGIBLE
    slopes = np.zeros(values.shape[1])
    if varies.any():
        scaled = (values - middle)[:, varies] / spread[varies]
        found = Ridge(penalty, positive=True).fit(scaled, annotators, weight)
        slopes[varies] = found.coef_ / spread[varies]
    return slopes, float(np.average(annotators, weights=weight) - middle @ slopes)
