"""Comparisons of judges and orders of models, by hand, by published examples, by simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy import stats as scipy_stats

from concord.messages import message_of
from concord.stats.agreement.coefficients import spearman
from concord.stats.comparison import paired_tests as module
from concord.stats.comparison.bias_tests import (
    NO_LENGTHS,
    TOO_FEW_ITEMS,
    TOO_FEW_OF_EACH,
    TOO_FEW_QUESTIONS,
    halo,
    length_slope,
    leniency,
    preference,
    slope,
    spread,
)
from concord.stats.comparison.model_order import (
    can_be_ordered,
    model_mean,
    model_rows,
    model_sums,
    order_tau_b,
    pair_signs,
    rank_sets,
)
from concord.stats.comparison.paired_tests import Discordant, mcnemar, sign_flip
from concord.stats.comparison.recheck import (
    CANNOT_TELL,
    DOUBT_AT,
    LIFE_ERROR,
    NO_SCORE,
    RENEWED,
    VOID,
    VOID_AT_MOST,
    heartbeat,
    noticeable,
    verdict,
    void_at,
)
from concord.stats.core.estimate import undefined, with_interval, without_interval
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
    assert length_slope(LENGTH, ONES, CLUSTER, ONES).effect.why_none == NO_LENGTHS
    own = np.arange(120) < 29
    assert preference(LENGTH, own, CLUSTER, ONES).effect.why_none == TOO_FEW_OF_EACH


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


def test_the_limits_add_in_squares_side_by_side():
    """By hand: 3-4-5 below, 6-8-10 above."""
    found = difference(with_interval(0.8, 0.77, 0.86, ""), with_interval(0.5, 0.42, 0.54, ""))
    assert (found.value, found.low, found.high) == pytest.approx((0.3, 0.25, 0.4))


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


def crossed(questions, values):
    """Every model answers every question; `values` is (questions, models)."""
    models = values.shape[1]
    model = np.tile(np.arange(models), questions)
    cluster = np.repeat(np.arange(questions), models)
    return model_sums(values.ravel(), np.ones(values.size), model, cluster, models)


def test_the_mean_of_a_model_has_students_interval_over_questions():
    values = np.random.default_rng(0).random((30, 2)) * 3
    found = model_mean(crossed(30, values)[:, 1], (0, 3))
    half = 2.045229642132703 * values[:, 1].std(ddof=1) / np.sqrt(30)
    assert found.value == pytest.approx(values[:, 1].mean())
    assert found.low == pytest.approx(values[:, 1].mean() - half)


def test_a_model_has_rows_of_its_own_questions_alone():
    values = np.random.default_rng(0).random((30, 2))
    model, cluster = np.tile([0, 1], 30), np.repeat(np.arange(30), 2)
    kept = (model == 0) | (cluster < 19)
    parts = values.ravel()[kept], np.ones(kept.sum()), model[kept], cluster[kept]
    rows, sums = model_rows(*parts, 3), model_sums(*parts, 3)
    for own, dense in zip(rows[:2], (sums[:, 0], sums[:19, 1]), strict=True):
        assert (own == dense).all()
    assert [can_be_ordered(own) for own in rows] == [True, False, False]
    assert model_mean(rows[2], (0, 1)).value is None


def test_tau_b_of_two_orders_by_hand():
    """Of ten pairs one is in opposite orders; leaving out constants each resample is the same."""
    first, second = (
        crossed(24, np.tile(means, (24, 1))) for means in ([1, 2, 3, 4, 5], [1, 3, 2, 4, 5])
    )
    found = order_tau_b(first, second, Draws(50))
    assert (found.value, found.low) == (pytest.approx(0.8), pytest.approx(0.8))


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], "too_few_answering_models_for_tau"),
        ([1, 2, 3, 4, 5], [2, 2, 2, 2, 2], "models_tied"),
    ],
)
def test_orders_that_have_no_tau_b(first, second, code):
    sums = (crossed(24, np.tile(means, (24, 1))) for means in (first, second))
    found = order_tau_b(*sums, Draws(50))
    assert (found.value, found.why_none.code) == (None, code)


def test_pairs_in_opposite_order_have_opposite_signs_and_ties_none():
    pairs = np.stack(np.triu_indices(3, 1))
    assert pair_signs(np.array([3.0, 2, 1]), pairs).tolist() == [1, 1, 1]
    assert pair_signs(np.array([0.1 + 0.2, 0.3, 1]), pairs).tolist() == [0, -1, -1]


def held(random, questions=60, truth=(0.0, 0.2, 0.4, 0.5, 1.0, 1.1)):
    """Whether the rank sets and the interval of tau-b of one made sheet hold the truth."""
    truth = np.array(truth)
    judged = truth[[1, 0, 2, 3, 4, 5]]
    person = truth + random.normal(size=(questions, 1)) + random.normal(size=(questions, 6))
    judge = person - truth + judged + random.normal(size=(questions, 6)) * 0.5
    sums = [np.stack([scores, np.ones_like(scores)], axis=-1) for scores in (person, judge)]
    best, worst = np.array(rank_sets(sums[0], Draws(400))).T
    true = 6 - truth.argsort().argsort()
    inside = all(best <= true) and all(true <= worst)
    found = order_tau_b(*sums, Draws(400))
    tau_b = scipy_stats.kendalltau(truth, judged).statistic
    return inside, found.low <= tau_b <= found.high


def test_rank_sets_and_the_interval_of_tau_b_hold_the_truth_as_often_as_they_say():
    random = np.random.default_rng(8)
    ranks, tau_b = np.mean([held(random) for _ in range(150)], axis=0)
    assert ranks > 0.92 and tau_b > 0.92


QUESTIONS, CRITERIA, ROUNDS = 30, 3, 250
OF_REPLY = np.repeat(np.arange(QUESTIONS), CRITERIA)


def rows(*values):
    return np.array(values, float)


def replies(random, base, noise, times):
    """A judge whose every score is another one in a share `noise` of its replies."""
    flipped = random.random((len(base), times)) < noise[:, None]
    return np.where(flipped, (base[:, None] + 1) % 4, base[:, None])


@pytest.mark.parametrize("questions", [1, 2, 3])
def test_every_question_that_changed_as_a_whole_divides_p_by_three(questions):
    # Of the six ways to part (0, 0, 1, 1) in two and two, two have all four pairs differ.
    found = heartbeat(
        rows([0, 0]).repeat(questions, 0), rows([1, 1]).repeat(questions, 0), range_(questions)
    )
    assert found.p_value == pytest.approx(3.0**-questions)
    assert (found.scores, found.questions, found.expected, found.seen) == (
        questions,
        questions,
        0,
        questions,
    )


def range_(questions):
    return np.arange(questions)


def test_two_scores_of_one_reply_change_places_together():
    then, now = rows([0, 0], [3, 3]), rows([1, 1], [2, 2])
    assert heartbeat(then, now, np.array([0, 0])).p_value == pytest.approx(1 / 3)
    assert heartbeat(then, now, np.array([0, 1])).p_value == pytest.approx(1 / 9)


def test_flips_expected_and_seen_are_means_over_pairs_of_replies():
    found = heartbeat(rows([0, 1], [2, 2]), rows([0, 0], [2, 3]), range_(2))
    assert (found.expected, found.seen) == (1.0, 0.5 + 0.5)


def test_a_reply_without_a_score_is_a_flip_and_one_that_never_came_is_not_compared():
    lost = heartbeat(rows([2, 2]), rows([NO_SCORE, NO_SCORE]), range_(1))
    assert (lost.seen, lost.p_value) == (1.0, pytest.approx(1 / 3))
    partly = heartbeat(rows([2, 2], [1, 1]), rows([2, np.nan], [np.nan, np.nan]), range_(2))
    assert (partly.scores, partly.seen, partly.p_value) == (1, 0.0, 1.0)


def test_with_one_reply_then_every_question_that_changed_divides_p_by_four():
    then, now = rows([0]).repeat(3, 0), rows([1, 1, 1]).repeat(3, 0)
    assert heartbeat(then, now, range_(3)).p_value == pytest.approx(4.0**-3)


def test_without_a_reply_then_there_is_no_p_value_but_a_reason():
    found = heartbeat(rows([np.nan, np.nan]), rows([1]), range_(1))
    assert found.p_value is None and found.why_none.code == "too_few_replies"


@pytest.mark.parametrize(("then", "now", "share"), [(3, 3, 0.2), (1, 3, 0.05)])
def test_an_unchanged_judge_is_doubted_and_voided_no_more_often_than_said(then, now, share):
    random = np.random.default_rng(7)
    base = random.integers(0, 4, len(OF_REPLY))
    noise = share * 2 * random.random(len(OF_REPLY))  # some answers are harder than others
    found = [
        heartbeat(
            replies(random, base, noise, then),
            replies(random, base, noise, now),
            OF_REPLY,
        ).p_value
        for _ in range(ROUNDS)
    ]
    # Two standard errors of the simulation above the level.
    for level in (DOUBT_AT, VOID_AT_MOST):
        assert np.mean(np.array(found) <= level) <= level + 2 * np.sqrt(level / ROUNDS)


def test_a_change_as_large_as_said_is_noticed_four_times_in_five():
    random = np.random.default_rng(11)
    base = random.integers(0, 4, len(OF_REPLY))
    noise = np.full(len(OF_REPLY), 0.05)
    then = replies(random, base, noise, 3)
    smallest = noticeable(np.hstack([then, replies(random, base, noise, 3)]), 3, OF_REPLY)
    assert 0.02 <= smallest <= 0.15
    noticed = []
    for _ in range(ROUNDS):
        moved = np.where(random.random(len(base)) < smallest, (base + 2) % 4, base)
        then, now = replies(random, base, noise, 3), replies(random, moved, noise, 3)
        noticed.append(heartbeat(then, now, OF_REPLY).p_value <= DOUBT_AT)
    assert np.mean(noticed) >= 0.72


@pytest.mark.parametrize(
    ("p_value", "smallest", "whole", "said"),
    [
        (0.5, 0.05, True, RENEWED),
        (0.5, 0.05, False, CANNOT_TELL),
        (0.5, 0.2, True, CANNOT_TELL),
        (0.5, None, True, CANNOT_TELL),
        (0.03, 0.05, True, CANNOT_TELL),
        (0.01, 0.05, True, CANNOT_TELL),
        (0.0005, 0.05, True, VOID),
        (0.0005, None, False, VOID),
        (None, 0.05, True, CANNOT_TELL),
    ],
)
def test_the_verdict_needs_a_clear_p_value_all_replies_and_power(p_value, smallest, whole, said):
    assert verdict(p_value, smallest, 0.1, whole, void_at(1, 90)) == said


def test_the_rechecks_of_a_life_share_one_error_and_beyond_them_none_is_void():
    assert sum(void_at(number, 90) for number in range(1, 91)) == pytest.approx(LIFE_ERROR)
    assert void_at(91, 90) is None and void_at(1, 1) == VOID_AT_MOST
    assert verdict(1e-9, 0.05, 0.1, True, None) == CANNOT_TELL


NIGHTS = 90


def test_an_unchanged_judge_asked_every_night_is_ever_void_in_at_most_one_life_of_twenty():
    """At .01 each night 8 of these 15 lives had a void; benchmarks/recheck.py has more of them."""
    random, lives, ever = np.random.default_rng(90), 15, 0
    cluster, noise = np.repeat(np.arange(20), 2), np.full(40, 0.3)
    for _ in range(lives):
        base = random.integers(0, 4, 40)
        then = replies(random, base, noise, 8)
        nights = (replies(random, base, noise, 1) for _ in range(NIGHTS))
        ever += any(heartbeat(then, one, cluster).p_value <= void_at(1, NIGHTS) for one in nights)
    # Two standard errors of the simulation above the level.
    assert ever / lives <= LIFE_ERROR + 2 * np.sqrt(LIFE_ERROR / lives)


SUMS = st.lists(st.integers(-3, 3), min_size=1, max_size=9)


@given(SUMS)
@settings(max_examples=60)
def test_exact_p_values_equal_going_through_every_flip(sums):
    every = [abs(np.dot(signs, sums)) for signs in product((-1, 1), repeat=len(sums))]
    expected = np.mean(np.array(every) >= abs(sum(sums)))
    assert sign_flip(np.array(sums)).p_value == pytest.approx(expected)


def test_random_flips_come_close_to_the_exact_p_value_and_repeat(monkeypatch):
    sums = np.repeat([1.0, -1.0, 2.0, -2.0], [30, 20, 9, 8])
    exact = sign_flip(sums)
    monkeypatch.setattr(module, "OUTCOMES_AT_MOST", 0)
    found = sign_flip(sums)
    assert exact.method.endswith("exact") and found.method.endswith("100000 flips, seed 20231")
    assert found.p_value == pytest.approx(exact.p_value, abs=0.005)
    assert found == sign_flip(sums)


def test_random_flips_never_give_nought():
    sums = np.arange(1.0, 61.0)
    found = sign_flip(sums, flips=1000)
    assert found.p_value == pytest.approx(1 / 1001)


def test_sums_without_any_difference_give_one():
    assert sign_flip(np.zeros(5)).p_value == 1


def test_no_question_is_undefined_with_its_reason():
    found = sign_flip(np.zeros(0))
    assert (found.p_value, found.questions) == (None, 0)
    assert found.why_none.code == "no_shared_question"


def test_without_a_discordant_answer_mcnemar_is_undefined():
    assert message_of(mcnemar(Discordant(0, 0, 9)).why_none) == (
        "there is no item on which only one of the two is right"
    )


def test_judges_that_never_differ_still_have_an_interval():
    found, squared = module.difference(Discordant(0, 0, 50)), 1.959963984540054**2
    assert (found.low, found.value) == (pytest.approx(-squared / (50 + squared)), 0)
