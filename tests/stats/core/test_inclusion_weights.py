"""Unequal draws: chances by hand, and that reweighted figures are unbiased and covered."""

import numpy as np
import pytest

from concord.stats.core.inclusion_weights import chance, weights

EVERY = np.ones(4, bool)


def test_an_answer_of_two_draws_is_missed_only_where_both_miss_it():
    member = np.array([[1, 1, 0, 0], [0, 1, 1, 0]], bool)
    found = chance(np.array([[0.5] * 4, [0.2, 0.2, 0.8, 0.8]]), member, EVERY)
    assert found[:3] == pytest.approx([1 - 0.5 * 0.8, 1 - 0.5 * 0.8, 1 - 0.5 * 0.2])
    assert np.isnan(found[3])  # graded, but in neither draw


def test_a_draw_nobody_began_does_not_count_and_a_begun_one_counts_by_its_part():
    member = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], bool)
    chances = np.array([[0.5] * 4, [0.4, 0.4, 0.4, 0.8]])
    untouched = chance(chances, member, np.array([1, 1, 0, 0], bool))
    assert untouched[:2].tolist() == [0.5, 0.5]
    assert np.isnan(untouched[2:]).all()
    half = chance(chances, member, np.array([1, 1, 1, 0], bool))
    assert half == pytest.approx([1 - 0.5 * 0.8] * 3 + [1 - 0.5 * 0.6])


def test_what_is_unknown_of_one_draw_matters_unless_another_was_certain():
    member = np.array([[1, 1], [0, 1]], bool)
    chances = np.array([[1.0, 0.5], [np.nan, 0.5]])
    found = chance(chances, member, np.ones(2, bool))
    assert found.tolist() == [1.0, 0.75]
    assert np.isnan(chance(np.array([[0.9, 0.5], [np.nan, 0.5]]), member, np.ones(2, bool))[0])


def test_weights_are_one_over_the_chance_with_a_mean_of_one():
    found = weights(np.array([0.5, 0.25, np.nan]), np.array([True, True, False]))
    assert found == pytest.approx([2 / 3, 4 / 3, 0])


@pytest.mark.parametrize("figure", ["exact", "failure_recall", "qwk", "bias"])
def test_an_enriched_draw_gives_unbiased_figures_whose_intervals_cover(drawn, figure):
    truth, found = drawn
    estimates = [weighted[figure] for weighted, _ in found]
    error = np.array([one.value for one in estimates]) - truth[figure]
    assert abs(error.mean()) < 0.02
    covered = [one.low <= truth[figure] <= one.high for one in estimates]
    assert np.mean(covered) > 0.93


def test_without_weights_the_same_draw_would_be_biased(drawn):
    truth, found = drawn
    plain = np.mean([unweighted["failure_recall"].value for _, unweighted in found])
    assert plain - truth["failure_recall"] > 0.05
