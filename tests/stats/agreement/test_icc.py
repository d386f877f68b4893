import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.messages import message_of
from concord.stats.agreement.icc import icc
from concord.stats.core.estimate import TOO_FEW, reason

PUBLISHED = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
PERSON = [0, 1, 2, 3, 3, 2, 1, 0, 3, 3, 2, 1]
JUDGE = [0, 1, 3, 3, 2, 2, 1, 1, 3, 3, 1, 1]
MATRIX = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=3, max_size=12).map(np.array)


def values(found):
    return [one.value for one in found]


def test_shrout_and_fleiss_give_their_published_values():
    expected = [0.28976378, 0.62005055]
    assert values(icc(PUBLISHED)) == pytest.approx(expected, abs=1e-8)


def test_two_graders_of_whole_scores_give_the_published_values():
    found = icc(np.array([PERSON, JUDGE]).T)
    assert found.single.value == pytest.approx(0.859873, abs=1e-6)


def test_from_ten_questions_on_there_is_an_interval_and_that_of_the_mean_follows_from_it():
    found = icc(np.array([PERSON, JUDGE]).T)
    single, mean = found
    assert single.low < single.value < single.high <= 1
    assert mean.low == pytest.approx(2 * single.low / (1 + single.low))
    assert single.method.startswith("question jackknife, t(8.")
    by_question = icc(np.array([PERSON, JUDGE]).T, np.repeat(np.arange(6), 2)).single
    assert (by_question.value, by_question.low) == (pytest.approx(single.value), None)
    assert by_question.why_none == TOO_FEW


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


def test_two_pairs_of_one_answer_are_too_few():
    found = icc(np.array([[1, 2], [3, 2]]), np.zeros(2, int), np.array([0.5, 0.5])).single
    assert found.why_none == reason("too_few_graders_or_answers")


def test_identical_graders_agree_entirely_and_have_no_interval():
    found = icc(np.array([PERSON, PERSON]).T)
    assert values(found) == pytest.approx([1, 1])
    assert found.single.low is None and found.mean.low is None


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
        assert one.value is None and why in message_of(one.why_none)


def test_graders_in_exact_opposition_have_no_reliable_mean():
    found = icc(np.array([[0, 3], [1, 2], [2, 1], [3, 0]]))
    assert found.single.value == pytest.approx(-2)
    assert "no reliability" in message_of(found.mean.why_none)
