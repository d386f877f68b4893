"""Intraclass correlation: how far the same answers get the same scores from all graders.

For scores that are nearly continuous, the composite above all, and a complete matrix: every grader
scored every answer. Source: McGraw and Wong (1996); ICC(A,1) is (2,1) of Shrout and Fleiss (1979).
"""

from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import (
    Estimate,
    Reason,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, ranked, ratio
from concord.stats.intervals.resampling import FISHER, jackknife, leave_out

ALL_EQUAL = reason("answers_and_scores_equal")
BEYOND = reason("no_reliability_of_mean")


class Icc(NamedTuple):
    """Intraclass correlations with question jackknife intervals; at most 1.

    `single` is ICC(A,1), one grader against another, who must give the same scores; `mean` is
    ICC(A,k), the mean of these k graders against that of k others.
    """

    single: Estimate
    mean: Estimate


def icc(
    ratings: np.ndarray, cluster: np.ndarray | None = None, weight: np.ndarray | None = None
) -> Icc:
    """Return the intraclass correlations of a complete matrix; undefined where scores are missing.

    Args:
        ratings: (n, k) scores, one row per answer and one column per grader, NaN where missing.
        cluster: (n,) index of each answer's cluster, or None for one cluster per answer.
        weight: (n,) weight of each row, summing to the number of answers, or None for 1 each. With
            both columns of `Pairs` and its weights the result is that of judge against annotators.
    """
    ratings = np.asarray(ratings, float)
    why = _why_none(ratings, weight)
    if why:
        return Icc(*[undefined(why)] * len(Icc._fields))
    left_out = leave_out(_moments(ratings, cluster, weight), 0)
    # Only the single form is resampled; the interval of the mean follows by a monotone map of its
    # ends.
    single = jackknife(left_out, _absolute, FISHER, why_none=ALL_EQUAL)
    return Icc(single, _of_mean(single, ratings.shape[1]))


def icc_of_pairs(pairs: Pairs) -> Estimate:
    """ICC(A,1) of one grader against another, at most 1, from weighted pairs.

    Undefined for fewer than two pairs and without variation; intervals as for `icc`.
    """
    scores = np.stack([pairs.annotator, pairs.judge], axis=1)
    return icc(scores, pairs.cluster, pairs.weight).single


def _why_none(ratings: np.ndarray, weight: np.ndarray | None) -> Reason | None:
    # Two pairs may be of one answer, and then weigh 1 together.
    one = weight is not None and weight.sum() < 1 + NEGLIGIBLE
    if min(ratings.shape) < 2 or one:
        return reason("too_few_graders_or_answers")
    missing = int(np.isnan(ratings).any(axis=1).sum())
    if missing:
        return reason("incomplete_scores", n=missing)
    return None


def _moments(
    ratings: np.ndarray, cluster: np.ndarray | None, weight: np.ndarray | None
) -> np.ndarray:
    """(G, 3 + k) sums per question: 1, squares, squared sum of an answer, each grader's scores."""
    # Centred first: sums of squares of scores far from 0 cancel and lose digits.
    centred = ratings - ratings.mean()
    terms = [np.ones(len(centred)), (centred**2).sum(axis=1), centred.sum(axis=1) ** 2, *centred.T]
    index = np.arange(len(centred)) if cluster is None else np.asarray(cluster)
    _, group = ranked(index)
    sums = [np.bincount(group, term if weight is None else weight * term) for term in terms]
    return np.stack(sums, axis=-1)


def _absolute(moments: np.ndarray) -> np.ndarray:
    """ICC(A,1) by two-way ANOVA without replication, from sums (..., 3 + k)."""
    n, k = moments[..., 0], moments.shape[-1] - 3
    common = moments[..., 3:].sum(axis=-1) ** 2 / (n * k)
    total = moments[..., 1] - common
    answers = moments[..., 2] / k - common
    graders = (moments[..., 3:] ** 2).sum(axis=-1) / n - common
    error = (total - answers - graders) / ((n - 1) * (k - 1))
    answers, graders = answers / (n - 1), graders / (k - 1)
    level = k / n * (graders - error)
    return ratio(answers - error, answers + (k - 1) * error + level)


def _of_mean(single: Estimate, graders: int) -> Estimate:
    """The k-grader form: Spearman and Brown's formula, which is exact here, ends included."""
    if single.value is None:
        return single
    value = _stepped_up(single.value, graders)
    if value is None:
        return undefined(BEYOND)
    low = None if single.low is None else _stepped_up(single.low, graders)
    if low is None:
        return without_interval(value, single.why_none or BEYOND, single.method)
    return with_interval(value, low, _stepped_up(single.high, graders), single.method)


def _stepped_up(single: float, graders: int) -> float | None:
    below = 1 + (graders - 1) * single
    # Spearman-Brown has a pole at single = -1 / (graders - 1).
    return graders * single / below if below > 1e-9 else None
