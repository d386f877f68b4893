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
from concord.stats.probabilities.reliability import (
    binned,
    calibration_error,
    confidence,
    diagram,
    said,
    sharpness,
)
from tests.stats.probabilities.sheets import pairs

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


def calibrated(random, questions, says=None, answers=2):
    """Answers whose annotators agree as often as the judge says, or as `says` makes of it."""
    own = random.uniform(0.3, 0.95, questions * answers)
    agree = random.random(len(own)) < own
    sheet = pairs(agree.astype(int), np.ones(len(own), int), np.arange(len(own)) // answers)
    return sheet, own if says is None else says(own)


def test_confidence_is_the_probability_of_the_score_that_was_read():
    rows = np.array([[0.2, 0.2, 0.4], [0.5, 0.25, 0.25]])  # the first is normalised to .25, .25, .5
    assert list(confidence(rows, np.array([3, 2]), (1, 2, 3))) == [0.5, 0.25]


def test_sharpness_is_the_mean_of_the_largest_probability():
    rows = np.array([[0.2, 0.2, 0.4], [0.5, 0.25, 0.25], [0, 0, 1]])
    assert sharpness(pairs([0, 1, 2]), rows).value == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_bins_have_equally_many_answers_and_never_part_equal_confidence():
    sheet = pairs(np.zeros(12, int))
    assert list(binned(sheet, np.linspace(0, 1, 12), 3)) == [0] * 4 + [1] * 4 + [2] * 4
    tied = np.array([0.5] * 7 + [0.6, 0.7, 0.8, 0.9, 1.0])
    assert list(binned(sheet, tied, 3)) == [0] * 7 + [1] * 5  # one answer between is no bin
    assert list(binned(sheet, np.full(12, 0.9), 3)) == [0] * 12
    rare = np.array([0.2] + [0.9] * 10 + [1.0])  # one answer is no bin
    assert list(binned(sheet, rare, 3)) == [0] * 12
    assert (
        list(binned(sheet, np.repeat([0.2, 0.9, 1.0], [2, 8, 2]), 3)) == [0] * 2 + [1] * 8 + [2] * 2
    )
    assert len(binned(pairs(np.zeros(0, int)), np.zeros(0))) == 0


def test_a_rare_confidence_does_not_leave_the_error_undefined():
    """Stated: 95 answers at .9, of which 70 agree, and one at .2, which alone has no variance."""
    agree = np.r_[np.arange(95) < 70, [True]].astype(int)
    found = calibration_error(pairs(agree, np.ones(96, int)), np.r_[np.full(95, 0.9), 0.2])
    gap = (71 - 95 * 0.9 - 0.2) / 96
    assert found.value == pytest.approx(abs(gap), abs=0.01)
    assert found.low is not None


def test_there_are_ten_questions_to_a_bin_and_ten_bins_at_most():
    random = np.random.default_rng(1)
    for questions, bins in ((9, 1), (29, 2), (30, 3), (100, 10), (400, 10)):
        sheet, own = calibrated(random, questions)
        assert len(diagram(sheet, own)) == bins


def test_a_bin_says_what_by_hand_is_in_it():
    """Answers 0-1 at .6: of two annotators one agrees, and one does. Answers 2-3 at .8 and .9."""
    sheet = pairs([1, 0, 1, 1, 0], [1] * 5, item=[0, 0, 1, 2, 3])
    found = diagram(sheet, np.array([0.6, 0.6, 0.6, 0.8, 0.9]), 2)
    low, high = found
    assert (low.confidence, low.lowest, low.highest) == pytest.approx((0.6, 0.6, 0.6))
    assert (low.agreed.value, low.answers, low.clusters) == (0.75, 2, 2)
    assert (high.confidence, high.lowest, high.highest) == pytest.approx((0.85, 0.8, 0.9))
    assert (high.agreed.value, high.agreed.low, high.answers) == (0.5, None, 2)


def test_the_error_takes_each_bin_s_variance_off_its_squared_gap():
    """One answer per question, two bins of 20: the variance of a share is p (1 - p) / (n - 1)."""
    own = np.repeat([0.5, 0.9], 20)
    agree = np.r_[np.arange(20) < 14, np.arange(20) < 12].astype(int)  # .7 and .6
    found = calibration_error(pairs(agree, np.ones(40, int)), own, 2)
    squares = 0.2**2 - 0.7 * 0.3 / 19, 0.3**2 - 0.6 * 0.4 / 19
    assert found.value == pytest.approx(np.sqrt(np.mean(squares)))
    assert found.low < found.value < found.high
    assert "2 bins" in found.method


def test_the_variance_of_a_bin_is_that_over_questions():
    sheet, own = calibrated(np.random.default_rng(5), 40, lambda p: p**3)
    gap = (sheet.judge == sheet.annotator) - own
    hits, base = np.bincount(sheet.cluster, gap), np.bincount(sheet.cluster)
    residuals = hits - base * gap.mean()
    expected = gap.mean() ** 2 - (residuals**2).sum() / len(gap) ** 2 * 40 / 39
    assert calibration_error(sheet, own, 1).value == pytest.approx(np.sqrt(expected))


def test_the_debiased_square_is_right_on_average_where_the_plain_one_is_not():
    """600 sheets of 50 questions with two answers that are both right or both wrong."""
    random, debiased, plain = np.random.default_rng(6), [], []
    for _ in range(600):
        own = np.repeat(random.choice([0.5, 0.8], 50), 2)
        agree = np.repeat(random.random(50) < own[::2], 2).astype(int)
        sheet = pairs(agree, np.ones(100, int), np.arange(100) // 2)
        found = calibration_error(sheet, own, 2).value
        debiased.append(found**2)
        gaps = [(agree[own == one].mean() - one) ** 2 * (own == one).mean() for one in (0.5, 0.8)]
        plain.append(sum(gaps))
    assert np.mean(plain) > 0.0075  # the true value is 0
    assert np.mean(debiased) < 0.6 * np.mean(plain)  # those below 0 are shown as 0


def test_a_calibrated_judge_has_an_error_whose_interval_reaches_0_and_an_overconfident_one_not():
    sheet, own = calibrated(np.random.default_rng(7), 300)
    assert calibration_error(sheet, own).low == 0
    sure = calibration_error(sheet, np.minimum(1, own + 0.15))
    assert sure.low > 0.05 and sure.low < 0.15 < sure.high


def test_the_interval_of_the_error_holds_the_true_value():
    """Overconfident by .2 and calibrated: 300 sheets of 40 questions each."""
    random = np.random.default_rng(8)
    for shift in (0.0, 0.2):
        held = 0
        for _ in range(300):
            sheet, own = calibrated(random, 40, lambda p, by=shift: p + by)
            found = calibration_error(sheet, own)
            held += found.low <= shift <= found.high
        assert held >= 0.93 * 300


def test_the_error_says_why_it_is_missing():
    none = pairs(np.zeros(0, int))
    assert calibration_error(none, np.zeros(0)).why_none == reason("nothing_to_compare")
    one = pairs([1, 1, 0], cluster=[0, 0, 0])
    assert calibration_error(one, np.full(3, 0.5)).why_none == reason("bin_of_one_question")
    few = calibration_error(pairs([1, 0, 1]), np.full(3, 0.5))
    assert few.low is None and few.why_none.code == "too_few_questions"
    right = calibration_error(pairs([1] * 20), np.ones(20))
    assert (right.value, right.why_none) == (0, reason("questions_equal"))


def test_when_it_says_90_percent_the_sure_answers_are_counted():
    own = np.repeat([0.95, 0.9, 0.7], [20, 20, 60])
    agree = np.r_[np.arange(40) < 28, np.ones(60)].astype(int)
    found = said(pairs(agree, np.ones(100, int)), own)
    assert (found.level, found.answers, found.clusters) == (0.9, 40, 40)
    assert found.within.confidence == pytest.approx(0.925)
    assert found.agreed.value == pytest.approx(0.7)
    assert found.agreed.low < 0.7 < found.agreed.high


def test_a_level_that_too_few_answers_reach_is_passed_over():
    own = np.repeat([0.95, 0.75, 0.4], [29, 20, 51])
    sheet = pairs(np.ones(100, int))
    assert said(sheet, own).level == 0.7
    alone = said(sheet, own, (0.9,))
    why = reason("too_few_confident", n=29, questions=29, least=30, least_questions=10)
    assert (alone.within, alone.agreed.why_none) == (None, why)
    assert said(sheet, np.full(100, 0.2)).level == 0.9
    clustered = pairs(np.ones(100, int), cluster=np.arange(100) // 12)  # nine questions
    assert said(clustered, np.ones(100)).agreed.value is None


def test_a_confidence_of_90_percent_in_floats_is_90_percent():
    almost = 0.3 * 3
    assert almost < 0.9
    assert said(pairs(np.ones(40, int)), np.full(40, almost)).level == 0.9
