import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.stats.agreement.icc import icc
from concord.stats.core.estimate import TOO_FEW

PUBLISHED = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
PERSON = [0, 1, 2, 3, 3, 2, 1, 0, 3, 3, 2, 1]
JUDGE = [0, 1, 3, 3, 2, 2, 1, 1, 3, 3, 1, 1]
MATRIX = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=3, max_size=12).map(np.array)


def values(found):
    return [one.value for one in found]


def test_shrout_and_fleiss_give_their_published_values():
    expected = [0.16574177, 0.28976378, 0.71484071, 0.62005055, 0.90931554]
    assert values(icc(PUBLISHED)) == pytest.approx(expected, abs=1e-8)


def test_two_graders_of_whole_scores_give_the_published_values():
    found = icc(np.array([PERSON, JUDGE]).T)
    assert values(found)[:3] == pytest.approx([0.860759, 0.859873, 0.849057], abs=1e-6)


def test_from_ten_questions_on_there_is_an_interval_and_that_of_the_mean_follows_from_it():
    found = icc(np.array([PERSON, JUDGE]).T)
    single, mean = found.absolute, found.absolute_mean
    assert single.low < single.value < single.high <= 1
    assert mean.low == pytest.approx(2 * single.low / (1 + single.low))
    assert single.method.startswith("question jackknife, t(8)")
    by_question = icc(np.array([PERSON, JUDGE]).T, np.repeat(np.arange(6), 2)).absolute
    assert (by_question.value, by_question.low) == (pytest.approx(single.value), None)
    assert by_question.why_none == TOO_FEW


@given(MATRIX, st.tuples(*[st.integers(-3, 3)] * 3))
@settings(max_examples=60)
def test_consistency_does_not_mind_a_stricter_grader(matrix, shifts):
    before, after = icc(matrix), icc(matrix + np.array(shifts))
    for one, other in ((before.consistent, after.consistent), (before[4], after[4])):
        assert other.value == (None if one.value is None else pytest.approx(one.value, abs=1e-9))


@given(MATRIX)
@settings(max_examples=60)
def test_no_form_minds_the_order_of_graders_or_answers(matrix):
    for other in (matrix[:, ::-1], matrix[::-1]):
        for one, two in zip(icc(matrix), icc(other), strict=True):
            assert two.value == (None if one.value is None else pytest.approx(one.value, abs=1e-9))


def test_a_row_of_weight_two_counts_as_two():
    twice = np.repeat(PUBLISHED, [2, 1, 1, 1, 1, 1], axis=0)
    weighted = icc(PUBLISHED, weight=np.array([2.0, 1, 1, 1, 1, 1]))
    assert values(weighted) == pytest.approx(values(icc(twice)))


def test_cronbachs_alpha_is_the_consistency_of_the_mean():
    items, total = PUBLISHED.var(axis=0, ddof=1).sum(), PUBLISHED.sum(axis=1).var(ddof=1)
    assert icc(PUBLISHED).consistent_mean.value == pytest.approx(4 / 3 * (1 - items / total))


def test_identical_graders_agree_entirely_and_have_no_interval():
    found = icc(np.array([PERSON, PERSON]).T)
    assert values(found) == pytest.approx([1] * 5)
    assert found.absolute.low is None and found.absolute_mean.low is None


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        (np.ones((5, 3)), "no variation"),
        (np.array([[1.0, 2], [np.nan, 2], [3, 3]]), "answers that lack one: 1"),
        (np.ones((5, 1)), "two graders and two answers"),
        (np.ones((1, 5)), "two graders and two answers"),
    ],
)
def test_degenerate_matrices_are_undefined_with_their_reason(ratings, why):
    for one in icc(ratings):
        assert one.value is None and why in one.why_none


def test_graders_in_exact_opposition_have_no_reliable_mean():
    found = icc(np.array([[0, 3], [1, 2], [2, 1], [3, 0]]))
    assert found.consistent.value == pytest.approx(-1)
    assert "no reliability" in found.consistent_mean.why_none
