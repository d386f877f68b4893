"""Weights to explore with: whole percents that always sum to 100."""

from fractions import Fraction

import pytest

from concord.ui.screens.ranking import percents, rebalanced


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        (["3/5", "1/5", "1/5"], [60, 20, 20]),
        (["1/3", "1/3", "1/3"], [34, 33, 33]),
        (["1/8", "7/8"], [13, 87]),
        (["1"], [100]),
    ],
)
def test_whole_percents_are_the_nearest_that_sum_to_100(weights, shares):
    assert percents([Fraction(weight) for weight in weights]) == shares


@pytest.mark.parametrize(
    ("shares", "place", "share", "then"),
    [
        ([60, 20, 20], 0, 80, [80, 10, 10]),
        ([60, 20, 20], 1, 60, [30, 60, 10]),
        ([60, 20, 20], 0, 100, [100, 0, 0]),
        ([100, 0, 0], 0, 50, [50, 25, 25]),
        ([60, 20, 20], 2, 20, [60, 20, 20]),
        ([50, 50], 1, 33, [67, 33]),
    ],
)
def test_moving_one_weight_moves_the_others_in_proportion(shares, place, share, then):
    assert rebalanced(shares, place, share) == then
