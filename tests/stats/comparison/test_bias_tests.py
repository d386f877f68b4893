import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy import stats as scipy_stats

from benchmarks import equal_rates as benchmark
from concord.messages import message_of
from concord.stats.agreement.coefficients import spearman
from concord.stats.baselines import spread as score_spread_spread
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
from concord.stats.comparison.model_order import (
    TOO_FEW_DRAWN,
    above_each,
    model_means,
    model_sums,
    order_tau_b,
    rank_sets,
    swaps,
    tau_b_interval,
)
from concord.stats.core.estimate import reason, undefined, with_interval, without_interval
from concord.stats.core.pairs import Pairs
from concord.stats.correction.rogan_gladen import ONE_MODEL, TOO_FEW_GRADED, equal_rates
from concord.stats.intervals.resampling import Draws
from concord.stats.segments import difference

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


def made(random, rates, questions=80):
    """Every model answers every question; the judge is right in these shares of its answers."""
    models = len(rates)
    hard = random.normal(size=(questions, 1)) * 0.5 + random.normal(size=(questions, models))
    right = hard < np.quantile(hard, rates)[None]
    cluster, model = (grid.ravel() for grid in np.indices((questions, models)))
    passing = random.random(questions * models) < 0.6
    return passing, right.ravel(), model, cluster, np.ones(questions * models)


def test_equal_rates_are_rejected_about_as_often_as_the_level_says():
    random = np.random.default_rng(3)
    rejected = [equal_rates(*made(random, [0.8] * 4)).differ for _ in range(150)]
    assert np.mean(rejected) < 0.12


def test_rates_that_differ_are_found_with_how_far_they_do():
    random = np.random.default_rng(4)
    found = [equal_rates(*made(random, [0.9, 0.9, 0.6, 0.6], 200)) for _ in range(20)]
    assert np.mean([one.differ for one in found]) > 0.9
    varies = np.mean([one.sensitivity_varies for one in found])
    assert varies == pytest.approx(np.var([0.9, 0.9, 0.6, 0.6], ddof=1), rel=0.25)


def test_what_cannot_be_tested_says_why():
    random = np.random.default_rng(5)
    assert equal_rates(*made(random, [0.8])).why_none == ONE_MODEL
    assert equal_rates(*made(random, [0.8, 0.8], 9)).why_none == TOO_FEW_GRADED


def test_the_test_and_the_variance_make_intervals_hold_the_truth_more_often():
    """A small version of the benchmark; a spread of .5 on logits, 20 sheets of 4 models."""
    found = benchmark.covered(np.random.default_rng(1), 20, 150, 0.6, 0.5)
    assert found.held_before / found.before < 0.9
    assert 0 < found.given < found.every and found.held / found.given > 0.9


def test_evenly_used_scores_count_in_full():
    found = score_spread_spread(np.array([0, 1, 2, 3] * 5), range(4))
    assert (found.used, found.share, found.counts) == (4, 0.25, (5, 5, 5, 5))
    assert found.effective == pytest.approx(4)


def test_one_score_throughout_tells_nothing_apart():
    found = score_spread_spread(np.array([3.0, 3.0]), (1, 2, 3))
    assert found == ((0, 0, 2), 1, 3, 1.0, pytest.approx(1), 3)


def test_the_effective_number_is_the_exponential_of_the_entropy():
    found = score_spread_spread(np.array([0] * 7 + [1] * 2 + [5]), (0, 1, 5))
    entropy = -(0.7 * math.log(0.7) + 0.2 * math.log(0.2) + 0.1 * math.log(0.1))
    assert found.effective == pytest.approx(math.exp(entropy))
    assert found.commonest == 0


def test_without_scores_there_is_no_commonest():
    assert score_spread_spread(np.zeros(0), (0, 1)) == ((0, 0), 0, None, None, None, 2)


def test_a_score_off_the_scale_is_refused():
    with pytest.raises(ValueError, match="not on the scale"):
        score_spread_spread(np.array([4]), (0, 1, 2, 3))


def test_the_limits_add_in_squares_side_by_side():
    """By hand: 3-4-5 below, 6-8-10 above."""
    found = difference(with_interval(0.8, 0.77, 0.86, ""), with_interval(0.5, 0.42, 0.54, ""))
    assert (found.value, found.low, found.high) == pytest.approx((0.3, 0.25, 0.4))


def test_symmetric_limits_give_those_of_the_sum_of_variances():
    one, other = with_interval(1, 1 - 1.96 * 3, 1 + 1.96 * 3, ""), with_interval(0, -7.84, 7.84, "")
    found = difference(one, other)
    assert (found.low, found.high) == pytest.approx((1 - 9.8, 1 + 9.8))
    back = difference(other, one)
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low))


def test_what_is_missing_on_one_side_is_missing_in_the_difference():
    known = with_interval(0.8, 0.7, 0.9, "")
    assert message_of(difference(known, undefined("no grade")).why_none) == "no grade"
    found = difference(known, without_interval(0.5, "too few questions"))
    assert found.value == pytest.approx(0.3)
    assert (found.low, found.why_none) == (None, "too few questions")


def test_it_covers_the_true_difference_of_two_means():
    random = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        sides = []
        for mean, n in ((0.2, 30), (0.6, 60)):
            drawn = random.normal(mean, 1, n)
            half = 2.0 * drawn.std(ddof=1) / np.sqrt(n)
            sides.append(with_interval(drawn.mean(), drawn.mean() - half, drawn.mean() + half, ""))
        found = difference(*sides)
        held += found.low < -0.4 < found.high
    assert 0.93 < held / 400 < 0.98


def test_correlated_sides_take_twice_the_correlation_of_their_distances_off():
    """By hand: below sqrt(9 + 16 - 2 / 2 * 12), above sqrt(36 + 64 - 48)."""
    sides = with_interval(0.8, 0.77, 0.86, ""), with_interval(0.5, 0.42, 0.54, "")
    found = difference(*sides, correlation=0.5)
    assert (found.low, found.high) == pytest.approx((0.3 - 0.13**0.5 / 10, 0.3 + 0.52**0.5 / 10))
    assert "correlated 0.500" in found.method


def crossed(questions, values):
    """Every model answers every question; `values` is (questions, models)."""
    models = values.shape[1]
    model = np.tile(np.arange(models), questions)
    cluster = np.repeat(np.arange(questions), models)
    return model_sums(values.ravel(), np.ones(values.size), model, cluster, models)


def test_the_mean_of_a_model_has_students_interval_over_questions():
    values = np.random.default_rng(0).random((30, 2)) * 3
    first, second = model_means(crossed(30, values), (0, 3))
    assert first.value == pytest.approx(values[:, 0].mean())
    half = 2.045229642132703 * values[:, 1].std(ddof=1) / np.sqrt(30)
    assert second.low == pytest.approx(values[:, 1].mean() - half)


def test_answers_weigh_as_told_and_absent_models_are_undefined():
    sums = model_sums(
        np.array([3.0, 0.0]), np.array([3.0, 1.0]), np.array([0, 0]), np.array([4, 5]), 2
    )
    first, second = model_means(sums, (0, 3))
    assert (first.value, first.low) == (2.25, None)
    assert (second.value, second.why_none) == (None, reason("no_scored_answer"))


def test_a_model_that_answered_few_questions_is_held_to_its_own_number():
    values = np.random.default_rng(0).random((30, 2))
    model = np.tile([0, 1], 30)
    cluster = np.repeat(np.arange(30), 2)
    kept = (model == 0) | (cluster < 9)
    sums = model_sums(values.ravel()[kept], np.ones(kept.sum()), model[kept], cluster[kept], 2)
    first, second = model_means(sums, (0, 1))
    assert first.low is not None
    assert (second.value is not None, second.low) == (True, None)


def test_a_model_that_is_better_on_every_question_is_above_in_every_resample():
    values = np.random.default_rng(1).random((25, 1)) + np.array([0, 0.1, 0.1])
    (found,) = above_each([crossed(25, values)], Draws(resamples=200))
    assert found.share[1, 0] == 1
    assert found.share[0, 1] == 0
    assert found.share[1, 2] == found.share[2, 1] == 0.5
    assert np.isnan(found.share[0, 0])
    assert found.method == "question bootstrap, 200 resamples, seed 20231"


def test_two_models_of_the_same_quality_are_above_one_another_half_the_time():
    values = np.random.default_rng(2).random((60, 1)) * np.array([1, -1]) + np.array([0, 1])
    values -= values.mean(axis=0)
    (found,) = above_each([crossed(60, values)], Draws())
    assert found.share[0, 1] == pytest.approx(0.5, abs=0.05)
    assert found.share[0, 1] + found.share[1, 0] == 1


def test_under_twenty_questions_no_order_is_drawn_again():
    (found,) = above_each([crossed(19, np.random.default_rng(3).random((19, 2)))], Draws())
    assert found.share is None
    assert "fewer than 20 questions" in message_of(found.why_none)


def test_tau_b_of_two_orders_by_hand():
    found = order_tau_b([1, 2, 3, 4, 5], [1, 3, 2, 4, 5])
    assert (found.value, found.low) == (pytest.approx(0.8), None)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], "requires 5"),
        ([1, 2, 3, 4, 5], [1, 2, None, 4, 5], "requires 5"),
        ([1, 2, 3, 4, 5], [2, 2, 2, 2, 2], "ties all models"),
    ],
)
def test_orders_that_have_no_tau_b(first, second, why):
    found = order_tau_b(first, second)
    assert found.value is None
    assert why in message_of(found.why_none)


def test_swaps_name_the_pairs_in_opposite_order_and_no_ties():
    assert swaps([3, 2, 1], [3, 1, 2]) == [(1, 2)]
    assert swaps([3, 2, 1], [2, 2, 3]) == [(0, 2), (1, 2)]
    assert swaps([0.1 + 0.2, 0.3, 1], [1, 2, 3]) == []
    assert swaps([None, 2, 1], [9, 1, 2]) == [(1, 2)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=5, max_size=9))
def test_tau_b_equals_scipy_and_swaps_are_its_discordant_pairs(means):
    first, second = zip(*means, strict=True)
    found = order_tau_b(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found.value is None
        return
    assert found.value == pytest.approx(scipy_stats.kendalltau(first, second).statistic)
    discordant = sum(
        (first[a] - first[b]) * (second[a] - second[b]) < 0
        for a in range(len(first))
        for b in range(a)
    )
    assert len(swaps(first, second)) == discordant


def held(random, questions=60, truth=(0.0, 0.2, 0.4, 0.5, 1.0, 1.1)):
    """Whether the rank sets and the interval of tau-b of one made sheet hold the truth."""
    truth = np.array(truth)
    judged = truth[[1, 0, 2, 3, 4, 5]]
    person = truth + random.normal(size=(questions, 1)) + random.normal(size=(questions, 6))
    judge = person - truth + judged + random.normal(size=(questions, 6)) * 0.5
    sums = [np.stack([scores, np.ones_like(scores)], axis=-1) for scores in (person, judge)]
    ranks = rank_sets(sums[0], Draws(400))
    true = 6 - truth.argsort().argsort()
    inside = all(np.array(ranks.best) <= true) and all(true <= np.array(ranks.worst))
    found = order_tau_b(*(scores.mean(axis=0).tolist() for scores in (person, judge)))
    found = tau_b_interval(found, *sums, Draws(400))
    tau_b = scipy_stats.kendalltau(truth, judged).statistic
    return inside, found.low <= tau_b <= found.high


def test_rank_sets_and_the_interval_of_tau_b_hold_the_truth_as_often_as_they_say():
    random = np.random.default_rng(8)
    ranks, tau_b = np.mean([held(random) for _ in range(150)], axis=0)
    assert ranks > 0.92 and tau_b > 0.92


def test_few_questions_have_no_ranks_and_tau_b_no_interval():
    sums = crossed(19, np.random.default_rng(3).random((19, 5)))
    assert rank_sets(sums, Draws()).why_none == TOO_FEW_DRAWN
    found = tau_b_interval(order_tau_b([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), sums, sums, Draws())
    assert (found.value, found.low, found.why_none) == (1, None, TOO_FEW_DRAWN)


def test_a_model_scored_on_few_questions_is_surely_above_or_below_none():
    """One question shows no error at all, so its model would stand alone on top."""
    scores = np.random.default_rng(5).normal([2.0, 1.0, 0.0], 0.3, (25, 3))
    sums = crossed(25, scores)
    sums[1:, 0] = 0
    ranks = rank_sets(sums, Draws())
    assert (ranks.best, ranks.worst) == ([1, 1, 2], [3, 2, 3])
    ranks = rank_sets(sums[:, :2], Draws())
    assert (ranks.best, ranks.worst) == ([1, 1], [2, 2])
