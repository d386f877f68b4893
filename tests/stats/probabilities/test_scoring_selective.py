import numpy as np
import pytest

from concord.stats.core.estimate import reason
from concord.stats.intervals.resampling import Draws
from concord.stats.probabilities.scoring import risk_coverage


def curve(confidence, wrong, weight=None, cluster=None):
    n = len(confidence)
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    cluster = np.arange(n) if cluster is None else np.asarray(cluster)
    return risk_coverage(np.asarray(confidence, float), np.asarray(wrong, float), weight, cluster)


def test_the_curve_and_its_area_are_those_by_hand():
    found = curve([0.6, 0.9, 0.8, 0.7], [1, 0, 1, 0])
    assert list(found.threshold) == pytest.approx([0.9, 0.8, 0.7, 0.6])
    assert list(found.coverage) == [0.25, 0.5, 0.75, 1]
    assert list(found.risk) == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found.area.value == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)


def test_the_area_is_geifman_and_el_yaniv_s_mean_of_selective_risks():
    random = np.random.default_rng(1)
    confidence, wrong = random.random(200), random.random(200) < 0.3
    ordered = wrong[np.argsort(-confidence)]
    risks = ordered.cumsum() / np.arange(1, 201)
    assert curve(confidence, wrong).area.value == pytest.approx(risks.mean())


def test_equal_confidence_is_accepted_together_and_rounding_does_not_part_it():
    found = curve([0.9, 0.1 + 0.2 + 0.6, 0.5], [1, 0, 0])
    assert list(found.coverage) == pytest.approx([2 / 3, 1])
    assert found.area.value == pytest.approx((0.5 + 0.5 + 1 / 3) / 3)
    constant = curve([0.5] * 4, [1, 0, 0, 0])
    assert (list(constant.risk), constant.area.value) == ([0.25], 0.25)


def test_an_answer_of_weight_2_is_two_answers():
    doubled = curve([0.9, 0.8, 0.8, 0.7], [0, 1, 1, 0])
    weighted = curve([0.9, 0.8, 0.7], [0, 1, 0], [1, 2, 1])
    assert weighted.area.value == pytest.approx(doubled.area.value)
    assert list(weighted.risk) == pytest.approx(list(doubled.risk))


def test_the_error_is_that_of_the_jackknife_done_one_by_one_and_of_the_bootstrap():
    random = np.random.default_rng(2)
    cluster = np.repeat(np.arange(150), 2)
    confidence = random.random(300)
    wrong = random.random(300) > 0.4 + 0.5 * confidence
    found = curve(confidence, wrong, cluster=cluster).area
    left = [
        curve(*(one[cluster != q] for one in (confidence, wrong))).area.value for q in range(150)
    ]
    error = np.sqrt(149 / 150 * ((np.array(left) - np.mean(left)) ** 2).sum())
    half = (found.high - found.low) / 2
    assert half == pytest.approx(1.976 * error, rel=0.05)
    drawn = Draws(400, 3).counts(150)
    means = [
        curve(
            *(np.repeat(one, times[cluster]) for one in (confidence, wrong, np.ones(300), cluster))
        ).area.value
        for times in drawn.astype(int)
    ]
    assert half == pytest.approx(1.976 * np.std(means), rel=0.15)


def test_without_answers_or_errors_the_curve_says_why():
    assert curve([], []).area.why_none == reason("nothing_to_compare")
    assert len(curve([], []).risk) == 0
    right = curve(np.linspace(0, 1, 20), np.zeros(20))
    assert (right.area.value, right.area.why_none) == (0, reason("questions_equal"))
    assert curve([0.1, 0.2], [0, 1]).area.why_none.code == "too_few_questions"
