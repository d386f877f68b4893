"""Probes: how a judge leans, as effects with question-clustered intervals and p-values.

Exploratory: many are looked at together, so their p-values are adjusted (Benjamini and Hochberg
1995) before any of them is called a finding. None is proof of a cause; answers that are longer may
be better in ways that annotators missed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from concord.stats.agreement import coefficients
from concord.stats.core.estimate import (
    Estimate,
    reason,
    t_quantile,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import APPROXIMATE_BELOW, BIAS_FLOOR
from concord.stats.core.tables import ranked, ratio, shares
from concord.stats.intervals.resampling import PLAIN, Stretch, jackknife, leave_out, p_value

TOO_FEW_ITEMS = reason("too_few_shared_answers", n=BIAS_FLOOR)
TOO_FEW_QUESTIONS = reason("too_few_questions_for_test", n=APPROXIMATE_BELOW)
TOO_FEW_OF_EACH = reason("too_few_own_or_other_answers", n=BIAS_FLOOR)
NO_LENGTHS = reason("lengths_equal")
LOG = Stretch("logarithm", np.log, np.exp, lambda values, _: np.log(values))


class Probe(NamedTuple):
    """An effect with its interval and a two-sided p-value against no effect.

    Attributes:
        p: 0 to 1; None where there is no interval.
    """

    effect: Estimate
    p: float | None = None


def leniency(tables: np.ndarray, scale: Sequence[int]) -> Probe:
    """Return the leniency: mean of judge minus annotator, in points; 0 without bias.

    `tables` is (G, K, K) per question, rows = annotator, columns = judge.
    """
    return _probe(tables, lambda t: coefficients.bias(t, scale), PLAIN, 0)


def spread(tables: np.ndarray, scale: Sequence[int]) -> Probe:
    """Standard deviation of the judge's scores over that of an annotator's; 1 is the same spread.

    Below 1 the judge keeps to the middle of the scale more than annotators do. Undefined where
    either gave one score throughout.
    """
    steps = np.asarray(scale, float)

    def statistic(found: np.ndarray) -> np.ndarray:
        joint, deviations = shares(found), []
        for axis in (-1, -2):
            used = joint.sum(axis=axis)
            variance = used @ steps**2 - (used @ steps) ** 2
            deviations.append(np.sqrt(np.maximum(variance, 0)))
        annotator, judge = deviations
        return ratio(np.where(judge > 0, judge, np.nan), annotator)

    return _probe(tables, statistic, LOG, 1)


def length_slope(
    excess: np.ndarray, length: np.ndarray, cluster: np.ndarray, weight: np.ndarray
) -> Probe:
    """Return the length bias: points per doubling of the length of what is scored.

    Weighted least squares of `excess` on log2(1 + length); standard error CR1 over questions
    (residual products summed per question, times G / (G - 1) * (n - 1) / (n - 2)), t with G - 1
    degrees. Undefined under 30 answers or 20 questions.

    All are (n,), one answer each: judge minus the mean of the annotators, length, cluster, and
    weight, 1 for equal inclusion probabilities.
    """
    questions, group = ranked(cluster)
    answers = len(excess)
    if answers < BIAS_FLOOR or questions < APPROXIMATE_BELOW:
        few = TOO_FEW_ITEMS if answers < BIAS_FLOOR else TOO_FEW_QUESTIONS
        return Probe(undefined(few))
    away = _away(length, weight)
    found = slope(excess, length, weight)
    if found is None:
        return Probe(undefined(NO_LENGTHS))
    residuals = excess - np.average(excess, weights=weight) - found * away
    sums = np.bincount(group, weights=weight * away * residuals)
    factor = questions / (questions - 1) * (answers - 1) / (answers - 2)
    error = float(np.sqrt((sums**2).sum() * factor) / (weight * away**2).sum())
    method = f"least squares, CR1 over {questions} questions, t({questions - 1})"
    if error < 1e-12:
        return Probe(without_interval(found, reason("exact_fit"), method))
    half = t_quantile(questions - 1) * error
    p = float(2 * stdtr(questions - 1, -abs(found) / error))
    return Probe(with_interval(found, found - half, found + half, method), p)


def slope(scores: np.ndarray, length: np.ndarray, weight: np.ndarray) -> float | None:
    """Return the slope of `scores` on log2(1 + length): points per doubling of the length.

    By weighted least squares; all are (n,). None for equal lengths.
    """
    away = _away(length, weight)
    squares = (weight * away**2).sum()
    return float((weight * away * scores).sum() / squares) if squares > 1e-9 else None


def halo(tables: np.ndarray) -> Probe:
    """Return the halo effect: how much more a judge's criteria correlate than an annotator's.

    Spearman's correlation between two criteria, the judge's minus that of single annotators,
    averaged over the pairs of criteria; -2 to 2, 0 where both keep the criteria apart equally.

    Args:
        tables: (G, P, 2, K, K) per question and pair of criteria, the joint scores of first the
            judge and then the annotators.
    """

    def statistic(found: np.ndarray) -> np.ndarray:
        each = coefficients.spearman(found)
        return (each[..., 0] - each[..., 1]).mean(axis=-1)

    return _probe(tables, statistic, PLAIN, 0, (0, 0))


def preference(
    excess: np.ndarray, own: np.ndarray, cluster: np.ndarray, weight: np.ndarray
) -> Probe:
    """Return self-preference: points a judge gives its own family's answers above other judges.

    A difference in differences: the mean of `excess` on the own family's answers minus its mean on
    all others, so neither a lenient judge nor a better family shows up as a preference. Undefined
    under 30 answers of either kind or 20 questions.

    All are (n,), one answer each: the judge's score minus that of judges of other families, and
    whether it comes from the judge's own family.
    """
    questions, group = ranked(cluster)
    if min(own.sum(), (~own).sum()) < BIAS_FLOOR:
        return Probe(undefined(TOO_FEW_OF_EACH))
    if questions < APPROXIMATE_BELOW:
        return Probe(undefined(TOO_FEW_QUESTIONS))
    terms = (own, own * excess, ~own, ~own * excess)
    sums = np.stack([np.bincount(group, weights=weight * term) for term in terms], axis=-1)

    def statistic(found: np.ndarray) -> np.ndarray:
        return ratio(found[..., 1], found[..., 0]) - ratio(found[..., 3], found[..., 2])

    return _probe(sums, statistic, PLAIN, 0, 0, 2)


def _probe(rows: np.ndarray, statistic, stretch: Stretch, null: float, *base) -> Probe:
    """An effect by the question jackknife, and its p from the same error."""
    left_out = leave_out(rows, *base)
    found = jackknife(left_out, statistic, stretch)
    return Probe(found, p_value(left_out, statistic, stretch, null))


def _away(length: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Doublings of the length, from their mean."""
    doublings = np.log2(1 + length)
    return doublings - np.average(doublings, weights=weight)
