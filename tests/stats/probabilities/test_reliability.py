import numpy as np
import pytest

from concord.stats.core.estimate import reason
from concord.stats.probabilities.reliability import (
    binned,
    calibration_error,
    confidence,
    diagram,
    said,
    sharpness,
)
from tests.stats.probabilities.sheets import pairs


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
