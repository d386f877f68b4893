import numpy as np
import pytest

from concord.stats.core.clustered import clustered_variance, effective_size

VALUES = np.array([1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0], float)
QUESTION = np.repeat(np.arange(4), 3)


def test_the_published_example_gives_its_error():
    sums, size = np.bincount(QUESTION, VALUES), np.bincount(QUESTION)
    assert clustered_variance(sums, size) == pytest.approx(0.20971762320196527**2, abs=1e-9)


def test_full_agreement_is_worth_the_heaviest_answers_that_weigh_as_much():
    base = np.array([1.0] * 20)
    assert effective_size(base, base, 20.0, heaviest=4.0) == 5
    assert effective_size(base, base, 20.0, heaviest=1.0) == 20


def test_one_missing_heavy_answer_is_allowed_for():
    hits, base = np.repeat([1.0, 0.0], [8, 2]), np.ones(10)
    variance = (8 * 0.2**2 + 2 * 0.8**2) / 100 * 10 / 9
    missing = 0.5 * (3 * 0.8 / 10) ** 2
    expected = 10 / ((variance + missing) / (0.8 * 0.2 / 10))
    assert effective_size(hits, base, 10.0, heaviest=3.0) == pytest.approx(expected)
