import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.stats.core.pairs import annotators_pairs, judge_pairs, others_pairs, strict_majority

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


def test_the_judges_own_figure_is_taken_on_the_items_annotators_share():
    shared = annotators_pairs(ITEM, SCORE, CLUSTER)
    judge = judge_pairs(np.array([0, 1, 2]), np.array([3, 1, 0]), ITEM, SCORE, CLUSTER)
    assert set(judge.on(shared.item).item.tolist()) == {0, 2}


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


def test_a_scale_that_does_not_rise_is_refused():
    pairs = annotators_pairs(ITEM, SCORE, CLUSTER)
    with pytest.raises(ValueError, match="must rise"):
        pairs.tables((3, 2, 1, 0))


def test_consensus_takes_more_than_half_and_says_how_many_it_leaves_out():
    found = strict_majority(ITEM, SCORE)
    assert found.item.tolist() == [1, 2]
    assert found.score.tolist() == [1, 0]
    assert (found.left_out, found.share_left_out) == (1, 1 / 3)


def test_two_against_two_is_no_consensus():
    found = strict_majority(np.zeros(4, int), np.array([1, 1, 2, 2]))
    assert (len(found.item), found.left_out) == (0, 1)


def test_nobody_graded_means_no_share_left_out():
    found = strict_majority(np.array([], int), np.array([], int))
    assert (len(found.item), found.left_out, found.share_left_out) == (0, 0, None)


def test_each_person_is_compared_with_the_majority_of_the_others():
    pairs = others_pairs(ITEM, SCORE, CLUSTER)
    # Item 2: each 0 faces (0, 2), which has no majority; the 2 faces (0, 0).
    assert rows(pairs) == [(2, 0, 2, 9, 1.0), (2, 3, 0, 7, 0.5), (3, 2, 0, 7, 0.5)]


def test_without_grades_there_are_no_pairs():
    nobody = np.array([], int)
    for pairs in (annotators_pairs(nobody, nobody, CLUSTER), others_pairs(nobody, nobody, CLUSTER)):
        assert len(pairs.item) == 0
