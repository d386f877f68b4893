import numpy as np
import pytest
from scipy import stats

from concord.stats.agreement.coefficients import spearman
from concord.stats.comparison.bias_tests import (
    NO_LENGTHS,
    TOO_FEW_ITEMS,
    TOO_FEW_OF_EACH,
    TOO_FEW_QUESTIONS,
    halo,
    length_rank,
    length_slope,
    leniency,
    preference,
    slope,
    spread,
)
from concord.stats.core.pairs import Pairs

SCALE = (0, 1, 2, 3)
RANDOM = np.random.default_rng(11)
CLUSTER = np.repeat(np.arange(40), 3)
LENGTH = RANDOM.integers(1, 400, 120).astype(float)
ONES = np.ones(120)


def tables(person, judge):
    item = np.arange(len(person))
    return Pairs(judge, person, np.ones(len(item)), item, item // 3).tables(SCALE)


PERSON = RANDOM.integers(0, 4, 120)


def test_a_judge_one_point_up_wherever_it_can_be_is_lenient():
    found = leniency(tables(PERSON, np.minimum(PERSON + 1, 3)), SCALE)
    assert found.effect.value == pytest.approx((PERSON < 3).mean())
    assert found.effect.low > 0
    assert found.p < 0.001


def test_the_p_value_is_that_of_the_interval():
    judge = np.clip(PERSON + RANDOM.integers(-1, 2, 120), 0, 3)
    found = leniency(tables(PERSON, judge), SCALE)
    half = (found.effect.high - found.effect.low) / 2
    error = half / stats.t.ppf(0.975, 39)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.effect.value) / error, 39))


def test_spread_compares_standard_deviations_and_one_score_has_none():
    judge = np.where(PERSON < 2, 1, 2)
    found = spread(tables(PERSON, judge), SCALE)
    assert found.effect.value == pytest.approx(judge.std() / PERSON.std())
    assert found.effect.high < 1
    assert found.p < 0.001
    flat = spread(tables(PERSON, np.full(120, 2)), SCALE)
    assert flat.effect.value is flat.p is None


def sandwich(excess, length, cluster, weight):
    """The CR1 error by loops over questions and the whole design matrix."""
    x = np.stack([np.ones(len(length)), np.log2(1 + length)], axis=1)
    bread = np.linalg.inv(x.T @ (x * weight[:, None]))
    beta = bread @ x.T @ (weight * excess)
    residual = excess - x @ beta
    meat = np.zeros((2, 2))
    for one in np.unique(cluster):
        mine = cluster == one
        score = x[mine].T @ (weight[mine] * residual[mine])
        meat += np.outer(score, score)
    count, questions = len(excess), len(np.unique(cluster))
    factor = questions / (questions - 1) * (count - 1) / (count - 2)
    return beta[1], np.sqrt(factor * (bread @ meat @ bread)[1, 1])


@pytest.mark.parametrize("weight", [ONES, RANDOM.uniform(0.5, 3, 120)])
def test_the_length_slope_is_least_squares_with_the_cluster_sandwich(weight):
    excess = 0.2 * np.log2(1 + LENGTH) + RANDOM.normal(0, 0.5, 40)[CLUSTER]
    found = length_slope(excess, LENGTH, CLUSTER, weight)
    value, error = sandwich(excess, LENGTH, CLUSTER, weight)
    assert found.effect.value == pytest.approx(value)
    assert found.effect.high - value == pytest.approx(stats.t.ppf(0.975, 39) * error)
    assert found.p == pytest.approx(2 * stats.t.sf(value / error, 39))


def test_a_slope_is_points_per_doubling():
    assert slope(np.array([0.0, 0.3]), np.array([99, 199]), np.ones(2)) == pytest.approx(0.3)
    assert slope(np.array([0.0, 0.3]), np.array([5, 5]), np.ones(2)) is None


def test_a_probe_that_cannot_run_says_why():
    short = slice(0, 29)
    cells = LENGTH[short], CLUSTER[short], ONES[short]
    assert length_slope(ONES[short], *cells).effect.why_none == TOO_FEW_ITEMS
    few = CLUSTER % 19
    assert length_slope(ONES, LENGTH, few, ONES).effect.why_none == TOO_FEW_QUESTIONS
    assert length_rank(ONES, ONES, LENGTH, few, ONES).effect.why_none == TOO_FEW_QUESTIONS
    assert length_slope(LENGTH, ONES, CLUSTER, ONES).effect.why_none == NO_LENGTHS
    own = np.arange(120) < 29
    assert preference(LENGTH, own, CLUSTER, ONES).effect.why_none == TOO_FEW_OF_EACH


def test_the_rank_correlation_takes_out_what_annotators_explain():
    annotators = RANDOM.normal(size=120)
    judge = annotators + 0.6 * LENGTH / LENGTH.std()
    found = length_rank(judge, annotators, LENGTH, CLUSTER, ONES)
    ranks = [stats.rankdata(each) for each in (judge, LENGTH, annotators)]
    rest = [r - np.polyval(np.polyfit(ranks[2], r, 1), ranks[2]) for r in ranks[:2]]
    assert found.effect.value == pytest.approx(np.corrcoef(*rest)[0, 1])
    assert found.effect.low > 0


def test_halo_is_the_difference_of_the_correlations():
    other = RANDOM.integers(0, 4, 120)
    annotators, judge = tables(PERSON, other), tables(PERSON, PERSON)
    both = np.stack([judge, annotators], axis=1)[:, None]
    found = halo(both)
    assert found.effect.value == pytest.approx(1 - spearman(annotators.sum(axis=0)))
    assert found.effect.low > 0


def test_preference_is_neither_leniency_nor_a_better_family():
    own = np.arange(120) % 3 == 0
    noise = RANDOM.normal(0, 0.3, 120)
    assert preference(5 + noise, own, CLUSTER, ONES).effect.low < 0.1
    found = preference(5 + noise + 0.7 * own, own, CLUSTER, ONES)
    expected = (5 + noise + 0.7)[own].mean() - (5 + noise)[~own].mean()
    assert found.effect.value == pytest.approx(expected)
    assert found.effect.low > 0.4
    assert found.p < 0.001
