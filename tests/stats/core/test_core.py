"""Pairs and weights by hand; unequal draws whose reweighted figures are unbiased and covered."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.stats.core.inclusion_weights import chance, weights
from concord.stats.core.pairs import annotators_pairs, judge_pairs, others_pairs, strict_majority
from concord.stats.core.tables import clustered_variance, effective_number, share_of
from concord.stats.statistics import figures

CLUSTER = np.array([7, 7, 9, 9])
ITEM = np.array([0, 0, 1, 2, 2, 2])
SCORE = np.array([3, 2, 1, 0, 0, 2])


def rows(pairs):
    columns = (pairs.judge, pairs.annotator, pairs.item, pairs.cluster, pairs.weight)
    return sorted(tuple(float(value) for value in row) for row in zip(*columns, strict=True))


def test_the_annotators_of_an_item_share_its_weight_and_ungraded_items_drop_out():
    pairs = judge_pairs(np.array([2, 0, 3]), np.array([1, 3, 2]), ITEM, SCORE, CLUSTER)
    assert np.array(rows(pairs)) == pytest.approx(
        np.array(
            sorted(
                [
                    (3, 3, 0, 7, 1 / 2),
                    (3, 2, 0, 7, 1 / 2),
                    (1, 0, 2, 9, 1 / 3),
                    (1, 0, 2, 9, 1 / 3),
                    (1, 2, 2, 9, 1 / 3),
                ]
            )
        )
    )


def test_a_judge_with_two_scores_for_an_item_is_refused():
    with pytest.raises(ValueError, match="at most one score"):
        judge_pairs(np.array([0, 0]), np.array([1, 1]), ITEM, SCORE, CLUSTER)


def test_annotators_meet_in_both_orders_on_items_with_two_or_more():
    pairs = annotators_pairs(ITEM, SCORE, CLUSTER)
    assert np.array(rows(pairs)) == pytest.approx(
        np.array(
            sorted(
                [(3, 2, 0, 7, 1 / 2), (2, 3, 0, 7, 1 / 2)]
                + [(0, 0, 2, 9, 1 / 6), (0, 0, 2, 9, 1 / 6)]
                + [(0, 2, 2, 9, 1 / 6), (2, 0, 2, 9, 1 / 6)] * 2
            )
        )
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=40))
def test_every_item_weighs_one_whoever_is_compared(grades):
    item, score = np.array(grades).T
    cluster = np.arange(6) // 2
    judge = judge_pairs(np.arange(6), np.zeros(6, int), item, score, cluster)
    for pairs in (
        judge,
        annotators_pairs(item, score, cluster),
        others_pairs(item, score, cluster),
    ):
        weights = np.bincount(pairs.item, weights=pairs.weight)
        assert weights[weights > 0] == pytest.approx(1)
    annotators = annotators_pairs(item, score, cluster)
    tables = annotators.tables(range(4)).sum(axis=0)
    assert tables == pytest.approx(tables.T)


def test_tables_are_one_per_question_that_holds_a_pair():
    pairs = judge_pairs(np.array([0, 2]), np.array([3, 0]), ITEM, SCORE, CLUSTER)
    tables = pairs.tables((0, 1, 2, 3))
    assert tables.shape == (2, 4, 4)
    assert tables[0, 3, 3] == tables[0, 2, 3] == 1 / 2
    assert tables[1, 0, 0] == pytest.approx(2 / 3)
    assert tables[1, 2, 0] == pytest.approx(1 / 3)


@pytest.mark.parametrize("scale", [(0, 1, 2), (1, 2, 3), (0, 2, 3)])
def test_a_score_off_the_scale_is_refused(scale):
    pairs = judge_pairs(np.arange(4), np.array([0, 1, 2, 3]), np.arange(4), np.arange(4), CLUSTER)
    with pytest.raises(ValueError, match="not on the scale"):
        pairs.tables(scale)


def test_consensus_takes_more_than_half_and_says_how_many_it_leaves_out():
    found = strict_majority(ITEM, SCORE)
    assert found.item.tolist() == [1, 2]
    assert found.score.tolist() == [1, 0]
    assert found.left_out == 1


def test_each_person_is_compared_with_the_majority_of_the_others():
    pairs = others_pairs(ITEM, SCORE, CLUSTER)
    # Item 2: each 0 faces (0, 2), which has no majority; the 2 faces (0, 0).
    assert rows(pairs) == [(2, 0, 2, 9, 1.0), (2, 3, 0, 7, 0.5), (3, 2, 0, 7, 0.5)]


def test_without_grades_there_are_no_pairs():
    nobody = np.array([], int)
    for pairs in (annotators_pairs(nobody, nobody, CLUSTER), others_pairs(nobody, nobody, CLUSTER)):
        assert len(pairs.item) == 0


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


SCALE, FIGURES = (0, 1, 2, 3), ("exact", "failure_recall", "qwk", "bias")
QUESTIONS, EACH = 400, 2


@cache
def drawn():
    """Errors and coverage of 300 draws: two thirds at random, one third where a judge suspects."""
    random = np.random.default_rng(20231)
    person, judge = _sheet(random)
    suspected = (judge <= 1).any(axis=1)
    truth = {
        "exact": (person == judge).mean(),
        "failure_recall": (judge <= 1)[person <= 1].mean(),
        "qwk": figures(_pairs(person, judge, np.ones(QUESTIONS)), SCALE, (0, 1))["qwk"].value,
        "bias": (judge - person).mean(),
    }
    return truth, [_drawn(random, person, judge, suspected) for _ in range(300)]


def _sheet(random):
    """Grades 12 percent failing and alike within a question; the judge catches three quarters."""
    person = random.choice(4, (QUESTIONS, EACH), p=[0.04, 0.08, 0.38, 0.5])
    person[:, 1] = np.where(random.random(QUESTIONS) < 0.4, person[:, 0], person[:, 1])
    agrees = random.random(person.shape) < 0.75
    return person, np.where(agrees, person, random.choice(4, person.shape, p=[0.1, 0.1, 0.4, 0.4]))


def _drawn(random, person, judge, suspected):
    base, more = np.zeros((2, QUESTIONS), bool)
    base[random.choice(QUESTIONS, 80, replace=False)] = True
    more[random.choice(np.flatnonzero(suspected), 40, replace=False)] = True
    known = 1 - (1 - 80 / QUESTIONS) * (1 - suspected * 40 / suspected.sum())
    weight = np.where(base | more, 1 / known, 0)
    pairs = _pairs(person, judge, weight / weight[weight > 0].mean())
    return figures(pairs, SCALE, (0, 1), names=FIGURES)


def _pairs(person, judge, weight):
    """The pairs on questions of positive weight."""
    cluster = np.repeat(np.arange(QUESTIONS), EACH)
    item = np.flatnonzero(np.repeat(weight > 0, EACH))
    made = judge_pairs(item, judge.ravel()[item], item, person.ravel()[item], cluster)
    return made.weighing(np.repeat(weight, EACH))


@pytest.mark.parametrize("figure", FIGURES)
def test_an_enriched_draw_gives_unbiased_figures_whose_intervals_cover(figure):
    truth, found = drawn()
    estimates = [weighted[figure] for weighted in found]
    error = np.array([one.value for one in estimates]) - truth[figure]
    assert abs(error.mean()) < 0.02
    covered = [one.low <= truth[figure] <= one.high for one in estimates]
    assert np.mean(covered) > 0.93


def residuals(values, question):
    """Sums, base and squares by question, of the values less their mean."""
    away = values - values.mean()
    return (np.bincount(question, one) for one in (away, np.ones(len(away)), away**2))


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
