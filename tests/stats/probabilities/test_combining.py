"""Combining rules, by hand and by properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from concord.stats.core.estimate import reason, undefined
from concord.stats.correction import proportional_odds
from concord.stats.probabilities.combining import (
    Grades,
    LinearRule,
    cross_fitted,
    error_correlations,
    fit,
    majority,
    mean_rule,
)

SCALE = (0, 1, 2, 3)
RULES = ("weighted", "ordinal", "cut_points")


@pytest.mark.parametrize(
    ("scores", "found"),
    [
        ([2, 2, 0], 2),
        ([0, 3], 0),
        ([3, 0, 1], 1),
        ([0, 0, 3, 3, 1], 0),
        ([0, 0, 1, 1, 3, 3], 1),
        ([0, 1, 2, 3], 1),
        ([-1, -1, 2], -1),
        ([3], 3),
    ],
)
def test_the_majority_is_the_most_frequent_score_and_of_equals_their_lower_median(scores, found):
    assert majority(np.array([scores])).tolist() == [found]


@given(st.lists(st.integers(0, 10), min_size=1, max_size=30), st.integers(1, 7))
def test_the_majority_and_the_mean_of_identical_members_are_the_member(scores, members):
    own = np.array(scores)
    same = np.repeat(own[:, None], members, axis=1)
    assert (majority(same) == own).all()
    assert (mean_rule(members, range(11))(same) == own).all()


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=9))
def test_the_majority_does_not_depend_on_the_order_of_members(rows):
    found = np.array(rows)
    assert (majority(found) == majority(found[:, ::-1])).all()


def test_the_mean_goes_to_the_nearest_score_and_halfway_to_the_lower():
    rule = mean_rule(2, (0, 1, 3))
    features = np.array([[0, 1], [1, 1], [1, 3], [3, 3], [0.1, 1.0]])
    assert rule(features).tolist() == [0, 1, 1, 3, 1]


def test_weights_are_those_of_least_squares_on_the_simplex():
    """Scores 1 and 3 from (0, 2) and (2, 4): the mean of the two members is exact."""
    features = np.array([[0.0, 2.0], [4.0, 2.0]])
    rule = fit("weighted", features, Grades.of(np.arange(2), np.array([1, 3])), (0, 1, 2, 3, 4))
    assert rule.weights == approx([0.5, 0.5], abs=1e-6)
    assert rule(features).tolist() == [1, 3]


def test_a_member_that_only_misleads_has_no_weight():
    rng = np.random.default_rng(0)
    score = rng.integers(0, 4, 200)
    features = np.stack([score, 3.0 - score], axis=1)
    rule = fit("weighted", features, Grades.of(np.arange(200), score), SCALE)
    assert rule.weights == approx([1, 0], abs=1e-6)


def test_cut_points_undo_a_bias_of_the_expected_score():
    random = np.random.default_rng(5)
    score = random.integers(0, 4, 400)
    expected = 0.5 + 0.5 * score + random.uniform(-0.2, 0.2, 400)
    rule = fit("cut_points", expected[:, None], Grades.of(np.arange(400), score), SCALE)
    assert rule.weights.tolist() == [1.0]
    assert rule.points == approx([0.75, 1.25, 1.75], abs=0.06)
    assert (rule(expected[:, None]) == score).mean() > 0.95


def test_cut_points_never_reverse_a_scale():
    score = np.repeat([0, 1, 2, 2, 3], 20)
    rule = fit("cut_points", 3.0 - score[:, None], Grades.of(np.arange(100), score), SCALE)
    assert rule(np.array([[0.0], [1.5], [3.0]])).tolist() == [2, 2, 2]


def test_the_ordinal_rule_predicts_what_the_proportional_odds_model_does():
    rng = np.random.default_rng(3)
    features = np.column_stack([rng.normal(50, 9, 300), rng.uniform(size=300), np.ones(300)])
    score = np.clip(np.round((features[:, 0] - 40) / 7 + rng.normal(0, 0.6, 300)), 0, 3).astype(int)
    grades = Grades.of(np.arange(300), score)
    model = proportional_odds.fit(features, score, grades.weight)
    assert (
        fit("ordinal", features, grades, SCALE)(features)
        == proportional_odds.predict(model, features)
    ).all()


@pytest.mark.parametrize("rule", RULES)
def test_the_grades_of_a_question_do_not_change_its_own_prediction(rule):
    rng = np.random.default_rng(7)
    question = np.repeat(np.arange(30), 3)
    score = rng.integers(0, 4, 90)
    features = score[:, None] + rng.normal(0, 1, (90, 1 if rule == "cut_points" else 3))
    fold = question % 10
    before, _ = cross_fitted(rule, features, Grades.of(np.arange(90), score), fold, SCALE)
    for one in range(10):
        permuted = score.copy()
        permuted[fold == one] = 3 - permuted[fold == one]
        after, _ = cross_fitted(rule, features, Grades.of(np.arange(90), permuted), fold, SCALE)
        assert (after[fold == one] == before[fold == one]).all()


@pytest.mark.parametrize("rule", RULES)
def test_questions_without_grades_are_scored_by_the_fit_to_all(rule):
    rng = np.random.default_rng(8)
    score = rng.integers(0, 4, 60)
    features = (score + rng.normal(0, 0.5, 60))[:, None]
    grades = Grades.of(np.arange(40), score[:40])
    fold = np.where(np.arange(60) < 40, np.arange(60) % 10, -1)
    found, whole = cross_fitted(rule, features, grades, fold, SCALE)
    assert (found[40:] == whole(features[40:])).all()
    assert (whole.points == fit(rule, features, grades, SCALE).points).all()


@pytest.mark.parametrize("rule", RULES)
def test_the_order_of_grades_makes_no_difference(rule):
    rng = np.random.default_rng(9)
    score = rng.integers(0, 4, 50)
    features = (score + rng.normal(0, 0.8, 50))[:, None]
    order = rng.permutation(50)
    one = fit(rule, features, Grades.of(np.arange(50), score), SCALE)
    other = fit(rule, features, Grades.of(np.arange(50)[order], score[order]), SCALE)
    assert other.points == approx(one.points) and other.weights == approx(one.weights)


@pytest.mark.parametrize("rule", RULES)
def test_one_score_and_constant_features_are_defined(rule):
    features = np.ones((5, 1))
    found = fit(rule, features, Grades.of(np.arange(5), np.full(5, 2)), SCALE)
    assert np.isfinite(found.points).all() and len(found(features)) == 5


def test_an_answer_of_several_annotators_counts_once():
    assert Grades.of(np.array([0, 0, 1]), np.array([1, 2, 3])).weight.tolist() == [0.5, 0.5, 1.0]


def test_errors_that_rise_together_correlate_and_equal_ones_have_no_correlation():
    errors = np.array([[0, 0, 1], [1, 2, 1], [2, 4, 1], [np.nan, 9, 1]])
    found = error_correlations(errors, np.array([0, 0, 1, 2]))
    assert [one[:2] + one[3:] for one in found] == [(0, 1, 3, 2), (0, 2, 3, 2), (1, 2, 4, 3)]
    assert found[0].estimate.value == approx(1)
    assert found[1].estimate == undefined(reason("one_side_constant"))
    few = error_correlations(errors[:2, :2], np.arange(2))
    assert few[0].estimate == undefined(reason("too_few_answers_for_correlation", n=3))


def test_the_correlation_of_errors_has_the_interval_of_whole_questions():
    """Answers that repeat another one of their question add nothing; taken as new ones they do."""
    errors = np.random.default_rng(3).multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 40)
    (once,), (thrice,) = (
        error_correlations(np.repeat(errors, times, axis=0), np.repeat(np.arange(40), times))
        for times in (1, 3)
    )
    (as_new,) = error_correlations(np.repeat(errors, 3, axis=0), np.arange(120))
    assert once.estimate.value == approx(np.corrcoef(errors.T)[0, 1])
    assert once.estimate[:3] == approx(thrice.estimate[:3])
    assert (thrice.n, thrice.clusters) == (120, 40)
    assert as_new.estimate.low > thrice.estimate.low + 0.05


def test_a_sum_at_a_cut_point_has_not_passed_it():
    rule = LinearRule(np.array([0.1, 0.4]), np.array([0.5]), np.array([0, 1]))
    assert rule(np.array([[1.0, 1.0], [1.1, 1.0]])).tolist() == [0, 1]
