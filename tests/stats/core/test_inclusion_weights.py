"""Unequal draws: chances by hand, and that reweighted figures are unbiased and covered."""

import numpy as np
import pytest

from concord.stats.core.inclusion_weights import chance, weights
from concord.stats.core.tables import clustered_variance, effective_number, share_of

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


VALUES = np.array([1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0], float)
QUESTION = np.repeat(np.arange(4), 3)


def residuals(values, question):
    """Sums, base and squares by question, of the values less their mean."""
    away = values - values.mean()
    return (np.bincount(question, one) for one in (away, np.ones(len(away)), away**2))


def test_the_published_example_gives_its_error():
    sums, base, squares = residuals(VALUES, QUESTION)
    assert clustered_variance(sums, base) == pytest.approx(0.20971762320196527**2, abs=1e-9)
    assert clustered_variance(sums, base, squares) == pytest.approx(0.20971762320196527**2)


def test_the_effective_number_of_questions_by_hand():
    """Four of one answer and one of four: 8 answers, 8^2 / (4 + 16)."""
    assert effective_number(np.array([1.0, 1, 1, 1, 4])) == pytest.approx(3.2)
    assert effective_number(np.array([1.0, 4]), np.array([4, 1])) == pytest.approx(3.2)
    assert effective_number(np.full(7, 0.5)) == pytest.approx(7)
    assert effective_number(np.zeros(0)) == 0


def test_large_questions_without_an_error_are_not_taken_for_free_of_errors():
    """45 questions with one answer, 5 of them wrong, and 5 with ten, all right.

    CR1: p = 5/95, and the residuals are 5 of 1 - p, 40 of p and 5 of 10 p. Answers of a question
    are all right or all wrong, so icc = 1, M = 545 / 95, and the variance is p (1 - p) M / 95: that
    of 95^2 / 545 = 16.6 answers.
    """
    base = np.repeat([1.0, 10.0], [45, 5])
    hits = base.copy()
    hits[:5] = 0
    share, size, questions = share_of(hits, base)
    p = 5 / 95
    assert share == pytest.approx(1 - p)
    assert size == pytest.approx(95**2 / 545) == pytest.approx(questions)
    cr1 = (5 * (1 - p) ** 2 + 40 * p**2 + 5 * (10 * p) ** 2) / 95**2 * 50 / 49
    assert p * (1 - p) / cr1 > 4 * size


def test_the_intraclass_correlation_is_that_of_the_analysis_of_variance():
    """One question of four answers, three of them right, and four of one, two of them right.

    p = 5/8. Between questions 1.125 / 4 = .28125, within .75 / 3 = .25, at a usual size of
    (8 - 20 / 8) / 4 = 1.375: icc = .03125 / .375 = 1/12. The mean size of an answer's question is
    20 / 8, so the variance is .234375 / 8 (1 + 1.5 / 12); CR1 has 1.3125 / 64 x 5/4 = .0256.
    """
    values, question = np.array([1, 1, 1, 0, 1, 1, 0, 0.0]), np.array([0, 0, 0, 0, 1, 2, 3, 4])
    found = clustered_variance(*residuals(values, question))
    assert found == pytest.approx(0.234375 / 8 * (1 + 1.5 / 12))
    assert found > 1.25 * 1.3125 / 64


def test_two_scores_of_an_answer_are_two_units_as_alike_as_they_are():
    """Ten answers by two annotators, who never differ, are worth ten; if they often do, more."""
    base, hits = np.ones(10), np.repeat([1.0, 0.0], 5)
    assert share_of(hits, base, units=20.0)[1] == pytest.approx(9)
    assert share_of(np.full(10, 0.5), base, units=20.0)[1] == pytest.approx(20)
