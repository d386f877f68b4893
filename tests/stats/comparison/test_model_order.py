import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from concord.messages import message_of
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
from concord.stats.core.estimate import reason
from concord.stats.intervals.resampling import Draws


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
