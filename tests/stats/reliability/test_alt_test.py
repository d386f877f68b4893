import numpy as np
import pytest
from scipy import stats

from concord.messages import message_of
from concord.stats.reliability.alt_test import alt_test

ITEM = np.arange(35)
ANNOTATORS = np.array(
    [ITEM % 4, (ITEM + (ITEM % 3 == 0)) % 4, (ITEM - (ITEM % 5 == 0)) % 4], dtype=float
)
JUDGE = (ITEM + 2.0 * (ITEM % 7 == 3)) % 4
NAN = float("nan")


@pytest.mark.parametrize(
    ("alignment", "omega", "rho", "p_values"),
    [
        ("accuracy", 2 / 3, 0.8857142857142857, (0.17386047530827567, 0.000139698, 0.00396505)),
        ("rmse", 2 / 3, 0.8666666666666667, (0.039549239526536474, 0.00179324, 0.0115192)),
    ],
)
def test_a_worked_example_gives_the_published_result(alignment, omega, rho, p_values):
    (found,) = alt_test(ANNOTATORS, JUDGE, [0.2], alignment)
    assert (found.omega, found.rho) == pytest.approx((omega, rho))
    assert found.p_values == pytest.approx(p_values, abs=1e-6)
    assert (found.epsilon, found.annotators, found.items) == (0.2, 3, 35)
    assert found.why_none is None


def test_a_smaller_epsilon_is_a_harder_test():
    accuracy = alt_test(ANNOTATORS, JUDGE, [0.05], "accuracy")[0]
    assert accuracy.omega == pytest.approx(1 / 3)
    assert alt_test(ANNOTATORS, JUDGE, [0.1])[0].omega == 0
    assert [one.epsilon for one in alt_test(ANNOTATORS, JUDGE)] == [0, 0.1, 0.15, 0.2]


def test_without_variance_p_is_nought_or_one_and_never_nan():
    same = np.tile(ITEM % 4, (3, 1)).astype(float)
    none, some = alt_test(same, same[0], [0.0, 0.1])
    assert (none.p_values, none.omega, none.rho) == ((1, 1, 1), 0, 1)
    assert (some.p_values, some.omega, some.rho) == ((0, 0, 0), 1, 1)


def test_two_annotators_are_too_few():
    (found,) = alt_test(ANNOTATORS[:2], JUDGE, [0.1])
    assert (found.omega, found.rho, found.annotators, found.items) == (None, None, 2, 35)
    assert "3 annotators with 30 items" in message_of(found.why_none)


def test_a_person_with_too_few_items_is_not_compared_but_still_among_the_others():
    fourth = np.where(ITEM < 29, ITEM % 4, NAN)
    (found,) = alt_test(np.vstack([ANNOTATORS, fourth]), JUDGE, [0.2])
    assert found.annotators == 3
    assert found.p_values != alt_test(ANNOTATORS, JUDGE, [0.2])[0].p_values


def test_items_only_one_person_graded_do_not_enter():
    annotators = ANNOTATORS.copy()
    annotators[1:, :6] = NAN
    (found,) = alt_test(annotators, JUDGE, [0.2])
    assert (found.annotators, found.items) == (0, 0)


def test_items_without_a_judges_score_do_not_enter():
    judge = JUDGE.copy()
    judge[:5] = NAN
    assert alt_test(ANNOTATORS, judge, [0.2])[0].items == 30


def test_nobody_at_all_is_too_few():
    (found,) = alt_test(np.empty((0, 4)), np.arange(4.0), [0.2])
    assert (found.omega, found.annotators) == (None, 0)


def test_the_t_test_on_question_means_stands_beside_the_item_level_one():
    """Four answers to a question that are all alike are worth one: p is that of ten, not forty."""
    person = np.tile(np.repeat([0, 1, 2, 3, 3], 4), 2)
    judge = np.where(np.arange(40) % 20 < 4, person + 1, person)
    question = np.arange(40) // 4
    (found,) = alt_test(np.stack([person] * 3), judge, [0.5], cluster=question)
    advantage = np.array([1, 0, 0, 0, 0] * 2)
    expected = stats.ttest_1samp(advantage, 0.5, alternative="less").pvalue
    assert found.p_values_by_question == pytest.approx([expected] * 3)
    items = stats.ttest_1samp(np.repeat(advantage, 4), 0.5, alternative="less").pvalue
    assert found.p_values == pytest.approx([items] * 3)
    assert found.p_values_by_question[0] > found.p_values[0]


def test_without_clusters_there_is_nothing_by_question():
    (found,) = alt_test(np.tile(np.arange(35) % 4, (3, 1)), np.arange(35) % 4, [0.2])
    assert found.omega == 1
    assert found.omega_by_question is None
