"""The difference of a figure between two sets of questions."""

import numpy as np
import pytest

from concord.messages import message_of
from concord.stats.comparison.contrast import difference
from concord.stats.core.estimate import undefined, with_interval, without_interval


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
