"""Means and rank correlations of metrics: hand arithmetic, scipy as the oracle, and intervals."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from concord.messages import message_of
from concord.stats.agreement import rank_correlation
from concord.stats.comparison.similarity_baseline import unrelated
from concord.stats.core.confidence import t_quantile
from concord.stats.intervals.means import mean
from concord.stats.intervals.wilson import wilson


def test_a_mean_of_zeros_and_ones_has_wilsons_interval():
    values, cluster = np.array([1] * 15 + [0] * 5), np.arange(20)
    found = mean(values, cluster, (0, 1))
    low, high = wilson(0.75, 19, t_quantile(19))
    assert (found.value, found.low, found.high) == pytest.approx((0.75, low, high))
    assert found.method.startswith("Wilson")


def test_a_mean_of_numbers_has_the_jackknife_of_its_questions():
    values = np.linspace(0.1, 0.9, 12)
    found = mean(values, np.arange(12), (0, 1))
    half = t_quantile(11) * values.std(ddof=1) / np.sqrt(12)  # one answer each: the usual error
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half))


def test_two_answers_to_a_question_that_are_alike_say_no_more_than_one():
    values, once = np.linspace(0.1, 0.9, 12), np.arange(12)
    twice = mean(np.repeat(values, 2), np.repeat(once, 2), (0, 1))
    alone = mean(values, once, (0, 1))
    assert (twice.low, twice.high) == pytest.approx((alone.low, alone.high))


def test_nothing_few_questions_and_no_spread_are_said():
    assert mean(np.zeros(0), np.zeros(0), (0, 1)).value is None
    few = mean(np.array([0.2, 0.4]), np.array([0, 1]), (0, 1))
    assert (few.value, few.low) == (pytest.approx(0.3), None)
    flat = mean(np.full(12, 0.5), np.arange(12), (0, 1))
    assert flat.value == 0.5 and flat.low is None and "no variation" in message_of(flat.why_none)


def some(n=60, seed=1):
    random = np.random.default_rng(seed)
    target = random.integers(0, 4, n).astype(float)
    return target + random.normal(0, 1, n), random.normal(0, 1, n), target


def test_spearman_is_scipys_with_ties():
    near, _, target = some()
    found = rank_correlation.spearman(near, target, np.arange(60))
    assert found.value == pytest.approx(scipy_stats.spearmanr(near, target).statistic)
    assert found.low < found.value < found.high
    assert rank_correlation.point(near, target) == pytest.approx(found.value)


def test_a_weight_of_two_is_the_answer_twice():
    near, _, target = some()
    weight = np.where(np.arange(60) < 20, 2.0, 1.0)
    again = np.concatenate([np.arange(60), np.arange(20)])
    found = rank_correlation.spearman(near, target, np.arange(60), weight)
    assert found.value == pytest.approx(scipy_stats.spearmanr(near[again], target[again]).statistic)


def test_the_lead_is_the_difference_of_both_and_covers_zero_where_they_are_one():
    near, far, target = some()
    found = rank_correlation.lead(near, far, target, np.arange(60))
    apart = rank_correlation.point(near, target) - rank_correlation.point(far, target)
    assert found.value == pytest.approx(apart) and found.low > 0
    same = rank_correlation.lead(near, near + 0.0, target, np.arange(60))
    assert same.value == 0 and same.low is None


def test_few_answers_and_a_constant_side_have_no_correlation():
    near, _, target = some(29)
    assert (
        rank_correlation.spearman(near, target, np.arange(29)).why_none == rank_correlation.TOO_FEW
    )
    assert rank_correlation.point(near, target) is None
    near, _, target = some(30)
    assert (
        rank_correlation.spearman(near, np.ones(30), np.arange(30)).why_none
        == rank_correlation.CONSTANT
    )
    assert rank_correlation.point(near, np.ones(30)) is None


def test_the_interval_of_spearman_covers():
    """200 samples of 40 answers with correlation .5: about 95 in 100 intervals hold the truth."""
    random, truth = np.random.default_rng(7), 6 / np.pi * np.arcsin(0.25)
    held = 0
    for _ in range(200):
        pairs = random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 40)
        found = rank_correlation.spearman(pairs[:, 0], pairs[:, 1], np.arange(40))
        held += found.low <= truth <= found.high
    assert 180 <= held <= 199


def test_unrelated_texts_are_those_of_other_clusters_and_a_value_has_its_percentile():
    vectors = np.array([[1.0, 0], [0, 1.0], [1.0, 1.0], [1.0, 0]])
    found = unrelated(vectors, np.array([0, 1, 2, 0]))
    half = np.sqrt(0.5)  # pairs: 0-1, 0-2, 1-2, 1-3, 2-3; 0-3 are of one cluster
    assert found.cosines.tolist() == pytest.approx([0, 0, half, half, half])
    assert found.percentile(0.5) == 2 / 5
    assert found.percentile(0.0) == 1 / 5  # both ties count half
    assert found.auc([0.9, 0.5]) == pytest.approx((1 + 2 / 5) / 2)
    assert found.quantiles()[1] == pytest.approx(half)


def test_one_cluster_or_vectors_without_length_have_no_pair():
    assert unrelated(np.eye(2), np.array([3, 3])) is None
    assert unrelated(np.zeros((2, 2)), np.array([0, 1])) is None
    assert unrelated(np.zeros((0, 2)), np.zeros(0)) is None
