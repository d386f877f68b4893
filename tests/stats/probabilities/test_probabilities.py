"""Combining, reading and scoring probabilities, by hand and by simulation."""

import numpy as np
import pytest
from pytest import approx
from sklearn.metrics import brier_score_loss, log_loss

from concord.stats.core.estimate import reason
from concord.stats.core.pairs import Pairs
from concord.stats.probabilities.calibration import (
    base_rate_score,
    binned,
    calibration_error,
    diagram,
    mean,
    ranked_probability_score,
    risk_coverage,
    said,
    scores,
)
from concord.stats.probabilities.combining import (
    Grades,
    LinearRule,
    cross_fitted,
    fit,
    majority,
    mean_rule,
)
from concord.stats.probabilities.reading import expected, midpoints, normalised, read


def pairs(annotator, judge=None, cluster=None, item=None) -> Pairs:
    """One row per grade; by default each of its own answer and question."""
    annotator = np.asarray(annotator)
    item = np.arange(len(annotator)) if item is None else np.asarray(item)
    cluster = item if cluster is None else np.asarray(cluster)
    judge = annotator if judge is None else np.asarray(judge)
    return Pairs(judge, annotator, 1 / np.bincount(item)[item], item, cluster)


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


def test_cut_points_undo_a_bias_of_the_expected_score():
    random = np.random.default_rng(5)
    score = random.integers(0, 4, 400)
    expected = 0.5 + 0.5 * score + random.uniform(-0.2, 0.2, 400)
    rule = fit("cut_points", expected[:, None], Grades.of(np.arange(400), score), SCALE)
    assert rule.weights.tolist() == [1.0]
    assert rule.points == approx([0.75, 1.25, 1.75], abs=0.06)
    assert (rule(expected[:, None]) == score).mean() > 0.95


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
def test_one_score_and_constant_features_are_defined(rule):
    features = np.ones((5, 1))
    found = fit(rule, features, Grades.of(np.arange(5), np.full(5, 2)), SCALE)
    assert np.isfinite(found.points).all() and len(found(features)) == 5


def test_an_answer_of_several_annotators_counts_once():
    assert Grades.of(np.array([0, 0, 1]), np.array([1, 2, 3])).weight.tolist() == [0.5, 0.5, 1.0]


def test_a_sum_at_a_cut_point_has_not_passed_it():
    rule = LinearRule(np.array([0.1, 0.4]), np.array([0.5]), np.array([0, 1]))
    assert rule(np.array([[1.0, 1.0], [1.1, 1.0]])).tolist() == [0, 1]


def calibrated(random, questions, says=None, answers=2):
    """Answers whose annotators agree as often as the judge says, or as `says` makes of it."""
    own = random.uniform(0.3, 0.95, questions * answers)
    agree = random.random(len(own)) < own
    sheet = pairs(agree.astype(int), np.ones(len(own), int), np.arange(len(own)) // answers)
    return sheet, own if says is None else says(own)


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


def test_a_confidence_of_90_percent_in_floats_is_90_percent():
    almost = 0.3 * 3
    assert almost < 0.9
    assert said(pairs(np.ones(40, int)), np.full(40, almost)).level == 0.9


@pytest.mark.parametrize(
    ("row", "argmax", "rounded_mean", "median"),
    [
        ((0.1, 0.2, 0.3, 0.4), 3, 2, 2),  # expected 2.0; .1, .3, .6: half is reached at 2
        ((0.45, 0.0, 0.0, 0.55), 3, 2, 3),  # expected 1.65
        ((0.4, 0.25, 0.2, 0.15), 0, 1, 1),  # expected 1.1
        ((0.0, 0.0, 0.0, 1.0), 3, 3, 3),
        ((0.25, 0.25, 0.25, 0.25), 0, 1, 1),  # ties everywhere: mode 0, mean 1.5, half at 1
        ((0.5, 0.0, 0.0, 0.5), 0, 1, 0),
        ((0.0, 0.5, 0.5, 0.0), 1, 1, 1),
        ((0.3, 0.2, 0.2, 0.3), 0, 1, 1),
        ((0.04, 0.0, 0.38, 0.38), 2, 2, 2),  # does not sum to 1; 1.9 / .8 = 2.375
    ],
)
def test_each_rule_reads_a_row_as_by_hand(row, argmax, rounded_mean, median):
    found = [read(rule, [row], SCALE)[0] for rule in ("argmax", "rounded_mean", "median")]
    assert found == [argmax, rounded_mean, median]


def test_a_tie_made_of_rounding_errors_is_a_tie():
    thirds = np.array([[1 / 3, 1 / 3 + 1e-16, 1 / 3]])
    assert read("argmax", thirds, (1, 2, 3)) == [1]
    tenths = np.array([[0.1 + 0.2, 0.2, 0.1, 0.4]])  # .30000000000000004 + .2 is half
    assert read("median", tenths, SCALE) == [1]
    half = [0.7, 0.1, 0.1 + 0.1 + 1e-16]  # expected .5, a little more in floats
    assert read("rounded_mean", [half], (0, 1, 2)) == [0]
    assert read("rounded_mean", [[0.7, 0.1, 0.2 + 1e-6]], (0, 1, 2)) == [1]


def test_scores_need_not_be_contiguous():
    rows = [[0.5, 0.2, 0.3], [0.2, 0.2, 0.6]]  # expected .5 + .4 + 3 = 3.9 and 6.6
    assert expected(rows, (1, 2, 10)) == pytest.approx([3.9, 6.6])
    assert list(read("rounded_mean", rows, (1, 2, 10))) == [2, 10]  # halfway is 6
    assert list(midpoints((1, 2, 10))) == [1.5, 6.0]


@pytest.mark.parametrize("row", [(0.5, -0.1), (0.0, 0.0), (np.nan, 1.0), (np.inf, 1.0)])
def test_a_row_that_is_no_distribution_is_refused(row):
    with pytest.raises(ValueError, match="finite probabilities"):
        normalised([row])


def made_up(seed=1, n=60):
    random = np.random.default_rng(seed)
    grades = random.integers(0, 4, n)
    return pairs(grades, cluster=np.arange(n) // 2), random.dirichlet(np.ones(4), n)


@pytest.mark.parametrize(
    ("row", "grade", "score"),
    [
        # cumulative .1, .3, .6 against 0, 0, 1: (.01 + .09 + .16) / 3
        ((0.1, 0.2, 0.3, 0.4), 2, 0.26 / 3),
        ((0.1, 0.2, 0.3, 0.4), 0, (0.81 + 0.49 + 0.16) / 3),
        ((0, 0, 0, 1), 3, 0.0),
        ((1, 0, 0, 0), 3, 1.0),
        ((0, 1, 0, 0), 3, 2 / 3),  # certain: the distance over the range of the scale
        ((0.25, 0.25, 0.25, 0.25), 0, (0.5625 + 0.25 + 0.0625) / 3),
    ],
)
def test_the_ranked_probability_score_is_that_by_hand(row, grade, score):
    assert ranked_probability_score(np.array([row]), np.array([grade])) == pytest.approx([score])


def test_the_scores_are_those_of_sklearn_or_by_hand():
    sheet, rows = made_up()
    found = scores(sheet, rows, SCALE)
    assert found.rps.value == pytest.approx(ranked_probability_score(rows, sheet.annotator).mean())
    assert found.log_score.value == pytest.approx(log_loss(sheet.annotator, rows, labels=SCALE))
    brier = brier_score_loss(sheet.annotator, rows, labels=SCALE, scale_by_half=False)
    assert found.brier.value == pytest.approx(brier)
    skill = 1 - found.rps.value / found.rps_base_rate.value
    assert found.rps_skill.value == pytest.approx(skill)
    assert all(one.low < one.value < one.high for one in found)


def test_an_answer_of_two_annotators_is_compared_with_both_and_counts_once():
    sheet = pairs([0, 2, 1], item=[0, 0, 1])
    rows = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0]])
    found = scores(sheet, rows, (0, 1, 2))
    assert found.rps.value == pytest.approx((0 + 1) / 2 / 2)  # answer 0: 0 and 1; answer 1: 0


def test_the_base_rate_of_a_question_is_that_of_the_others():
    """Questions with grades 0, 0; 1; 2: the others of the first are 1 and 2, half each."""
    sheet = pairs([0, 0, 1, 2], cluster=[0, 0, 1, 2])
    first = 0.5 * ((0 - 1) ** 2 + (0.5 - 1) ** 2)  # cumulative 0, .5 against 1, 1
    second = 0.5 * ((2 / 3) ** 2 + (2 / 3 - 1) ** 2)  # 2/3, 2/3 against 0, 1
    third = 0.5 * ((2 / 3) ** 2 + 1)  # 2/3, 1 against 0, 0
    found = base_rate_score(sheet, (0, 1, 2))
    assert found == pytest.approx([first, first, second, third])


def test_a_grade_without_probability_has_no_log_score_and_says_how_many():
    sheet = pairs([0, 1, 1, 1], item=[0, 1, 1, 2])
    rows = np.array([[1, 0], [1, 0], [1, 0], [1e-300, 1]])
    found = scores(sheet, rows, (0, 1))
    assert found.log_score.value is None
    assert found.log_score.why_none == reason("probability_zero", n=1)
    assert found.brier.value == pytest.approx(2 / 3)


def test_what_falls_outside_the_scale_is_left_out_of_the_scores():
    sheet, rows = made_up()
    assert scores(sheet, rows * 0.6, SCALE).rps == scores(sheet, rows, SCALE).rps
    outside = mean(sheet, np.linspace(0, 0.3, 60), bounds=(0, 1))
    assert outside.value == pytest.approx(0.15)
    assert mean(sheet, np.zeros(60)).why_none == reason("questions_equal")


def test_degenerate_sheets_say_why():
    none = pairs(np.zeros(0, int))
    assert {one.why_none for one in scores(none, np.zeros((0, 4)), SCALE)} == {
        reason("nothing_to_compare")
    }
    one = scores(pairs([0, 1], cluster=[5, 5]), np.full((2, 4), 0.25), SCALE)
    assert one.rps.value is not None
    assert one.rps_skill.why_none == reason("base_rate_needs_questions")
    same = scores(pairs([2] * 20), np.full((20, 4), 0.25), SCALE)
    assert same.rps_base_rate.value == 0
    assert same.rps_skill.why_none == reason("one_score_annotated")


def curve_of_scoring(confidence, wrong, weight=None, cluster=None):
    n = len(confidence)
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    cluster = np.arange(n) if cluster is None else np.asarray(cluster)
    return risk_coverage(np.asarray(confidence, float), np.asarray(wrong, float), weight, cluster)


def test_the_curve_and_its_area_are_those_by_hand():
    found = curve_of_scoring([0.6, 0.9, 0.8, 0.7], [1, 0, 1, 0])
    assert list(found.threshold) == pytest.approx([0.9, 0.8, 0.7, 0.6])
    assert list(found.coverage) == [0.25, 0.5, 0.75, 1]
    assert list(found.risk) == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found.area.value == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)


def test_equal_confidence_is_accepted_together_and_rounding_does_not_part_it():
    found = curve_of_scoring([0.9, 0.1 + 0.2 + 0.6, 0.5], [1, 0, 0])
    assert list(found.coverage) == pytest.approx([2 / 3, 1])
    assert found.area.value == pytest.approx((0.5 + 0.5 + 1 / 3) / 3)
    constant = curve_of_scoring([0.5] * 4, [1, 0, 0, 0])
    assert (list(constant.risk), constant.area.value) == ([0.25], 0.25)


def test_the_error_is_that_of_the_jackknife_done_one_by_one():
    random = np.random.default_rng(2)
    cluster = np.repeat(np.arange(150), 2)
    confidence = random.random(300)
    wrong = random.random(300) > 0.4 + 0.5 * confidence
    found = curve_of_scoring(confidence, wrong, cluster=cluster).area
    left = [
        curve_of_scoring(*(one[cluster != q] for one in (confidence, wrong))).area.value
        for q in range(150)
    ]
    error = np.sqrt(149 / 150 * ((np.array(left) - np.mean(left)) ** 2).sum())
    half = (found.high - found.low) / 2
    assert half == pytest.approx(1.976 * error, rel=0.05)


def test_without_answers_or_errors_the_curve_says_why():
    assert curve_of_scoring([], []).area.why_none == reason("nothing_to_compare")
    assert len(curve_of_scoring([], []).risk) == 0
    right = curve_of_scoring(np.linspace(0, 1, 20), np.zeros(20))
    assert (right.area.value, right.area.why_none) == (0, reason("questions_equal"))
    assert curve_of_scoring([0.1, 0.2], [0, 1]).area.why_none.code == "too_few_questions"
