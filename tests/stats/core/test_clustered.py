import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.stats.core.clustered import clustered, weighted_size

VALUES = np.array([1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0], float)
QUESTION = np.repeat(np.arange(4), 3)
ANSWERS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=2, max_size=25)


def test_the_published_example_gives_every_number():
    found = clustered(VALUES, QUESTION)
    assert found.mean == pytest.approx(0.583333, abs=1e-6)
    assert found.naive == pytest.approx(0.148647, abs=1e-6)
    assert found.cr0 == pytest.approx(0.18162078891419473, abs=1e-6)
    assert found.cr1 == pytest.approx(0.20971762320196527, abs=1e-6)
    assert found.intracluster == pytest.approx(0.419355, abs=1e-6)
    assert found.design_effect == pytest.approx(1.838710, abs=1e-6)
    assert found.effective_n == pytest.approx(6.526316, abs=1e-6)
    assert found.why_none is None


def test_answers_to_questions_of_unequal_size_are_weighed_by_their_number():
    # Questions (1, 3) and (4): between 8/3, within 2, typical size 3 - 5/3 = 4/3.
    found = clustered(np.array([1.0, 3.0, 4.0]), np.array([5, 5, 2]))
    expected = (8 / 3 - 2) / (8 / 3 + (4 / 3 - 1) * 2)
    assert found.intracluster == pytest.approx(expected)
    assert found.design_effect == pytest.approx(1 + 0.5 * expected)


def test_questions_whose_answers_are_all_alike_count_once_each():
    found = clustered(np.repeat([0.0, 1.0, 1.0, 0.0], 3), QUESTION)
    assert (found.intracluster, found.design_effect, found.effective_n) == pytest.approx((1, 3, 4))


def test_one_answer_per_question_needs_no_correction():
    found = clustered(np.array([0.0, 1, 1, 2]), np.arange(4))
    assert (found.design_effect, found.effective_n, found.intracluster) == (1, 4, None)
    assert found.cr1 == pytest.approx(found.naive)
    assert found.why_none == "every question has one answer"


@pytest.mark.parametrize(
    ("values", "cluster", "why"),
    [
        ([1.0, 2.0], [0, 0], "one question cannot show how questions differ"),
        ([1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1], "no variation: all answers are alike"),
    ],
)
def test_what_cannot_be_told_is_none_with_its_reason(values, cluster, why):
    found = clustered(np.array(values), np.array(cluster))
    assert (found.intracluster, found.design_effect, found.effective_n) == (None, None, None)
    assert found.why_none == why


@given(ANSWERS, st.floats(-5, 5), st.floats(0.5, 3))
@settings(max_examples=60)
def test_shifting_moves_the_mean_alone_and_stretching_the_errors_alike(answers, shift, factor):
    values, cluster = np.array(answers, float).T
    before = clustered(values, cluster.astype(int))
    after = clustered(values * factor + shift, cluster.astype(int))
    assert after.mean == pytest.approx(before.mean * factor + shift)
    assert after.cr0 == pytest.approx(before.cr0 * factor, abs=1e-9)
    if before.intracluster is not None and after.intracluster is not None:
        assert after.intracluster == pytest.approx(before.intracluster, abs=1e-6)
        assert before.intracluster <= 1 + 1e-9 and before.design_effect >= 1


def test_full_agreement_is_worth_the_heaviest_answers_that_weigh_as_much():
    base = np.array([1.0] * 20)
    assert weighted_size(base, base, 20.0, 4.0) == 5
    assert weighted_size(base, base, 20.0, 1.0) == 20


def test_one_missing_heavy_answer_is_allowed_for():
    hits, base = np.repeat([1.0, 0.0], [8, 2]), np.ones(10)
    variance = (8 * 0.2**2 + 2 * 0.8**2) / 100 * 10 / 9
    missing = 0.5 * (3 * 0.8 / 10) ** 2
    expected = 10 / ((variance + missing) / (0.8 * 0.2 / 10))
    assert weighted_size(hits, base, 10.0, 3.0) == pytest.approx(expected)
