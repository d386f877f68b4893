from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.messages import message_of
from concord.stats.comparison import sign_flip as module
from concord.stats.comparison.sign_flip import question_sums, sign_flip

SUMS = st.lists(st.integers(-3, 3), min_size=1, max_size=9)


def test_the_published_example_gives_its_p_value():
    found = sign_flip(np.array([3, 1, -1, 2, 0, 2, 1, -1]))
    assert found.p_value == pytest.approx(0.203125, abs=1e-12)
    assert (found.total, found.questions, found.method) == (
        7,
        8,
        "sign flip of question sums, exact",
    )


@given(SUMS)
@settings(max_examples=60)
def test_exact_p_values_equal_going_through_every_flip(sums):
    every = [abs(np.dot(signs, sums)) for signs in product((-1, 1), repeat=len(sums))]
    expected = np.mean(np.array(every) >= abs(sum(sums)))
    assert sign_flip(np.array(sums)).p_value == pytest.approx(expected)


@given(SUMS)
@settings(max_examples=60)
def test_it_is_symmetric_and_blind_to_order_and_scale(sums):
    values = np.array(sums, float)
    p_value = sign_flip(values).p_value
    for other in (-values, values[::-1], values / 3, np.append(values, 0)):
        assert sign_flip(other).p_value == pytest.approx(p_value)


def test_many_questions_with_few_kinds_of_sums_are_still_exact():
    sums = np.repeat([1.0, -1.0], [60, 40])
    found = sign_flip(sums)
    assert found.method.endswith("exact")
    assert found.p_value == pytest.approx(0.056887933640, abs=1e-9)


def test_random_flips_come_close_to_the_exact_p_value_and_repeat(monkeypatch):
    sums = np.repeat([1.0, -1.0, 2.0, -2.0], [30, 20, 9, 8])
    exact = sign_flip(sums)
    monkeypatch.setattr(module, "OUTCOMES_AT_MOST", 0)
    found = sign_flip(sums)
    assert exact.method.endswith("exact") and found.method.endswith("100000 flips, seed 20231")
    assert found.p_value == pytest.approx(exact.p_value, abs=0.005)
    assert found == sign_flip(sums)


def test_sums_that_all_differ_are_flipped_one_by_one(monkeypatch):
    sums = np.array([3.0, 1.1, -1.2, 2.3, 0.4, 2.5, 1.6, -1.7, 0.8])
    exact = sign_flip(sums).p_value
    monkeypatch.setattr(module, "OUTCOMES_AT_MOST", 0)
    monkeypatch.setattr(module, "_BITS_AT_ONCE", 90_000)
    assert sign_flip(sums).p_value == pytest.approx(exact, abs=0.005)


def test_random_flips_never_give_nought():
    sums = np.arange(1.0, 61.0)
    found = sign_flip(sums, flips=1000)
    assert found.p_value == pytest.approx(1 / 1001)


def test_thousands_of_different_sums_are_flipped_at_random():
    found = sign_flip(np.linspace(0.5, 1.5, 2000) * np.tile([1, -1], 1000), flips=200)
    assert found.method.startswith("sign flip of question sums, 200 flips")
    assert found.p_value > 0.5


def test_sums_without_any_difference_give_one():
    assert sign_flip(np.zeros(5)).p_value == 1


def test_no_question_is_undefined_with_its_reason():
    found = sign_flip(np.zeros(0))
    assert (found.p_value, found.questions) == (None, 0)
    assert message_of(found.why_none) == "there is no question to compare on"


def test_differences_are_summed_by_question_with_their_weights():
    difference, cluster = np.array([1, -1, 1, 1]), np.array([7, 2, 7, 2])
    assert question_sums(difference, cluster).tolist() == [0, 2]
    assert question_sums(difference, cluster, np.array([1, 1, 0.5, 0.5])).tolist() == [-0.5, 1.5]
    assert question_sums(np.zeros(0), np.zeros(0, int)).tolist() == []
