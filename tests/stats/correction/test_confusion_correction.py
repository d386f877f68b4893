import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from concord.messages import message_of
from concord.stats.correction.confusion_correction import corrected, rates, spread

TABLE = np.array([[8, 2, 0, 0], [0, 7, 3, 0], [0, 0, 6, 4], [0, 0, 1, 9]], float)


def test_the_published_spread():
    found = corrected(TABLE, np.array([20, 25, 30, 25.0]))
    expected = (0.25, 0.285714, 0.335714, 0.128571)
    assert found.shares == pytest.approx(expected, abs=1e-6)
    assert found.condition < 20


@given(st.lists(st.floats(0.01, 1), min_size=4, max_size=4))
@settings(max_examples=50)
def test_it_undoes_what_the_matrix_does(shares):
    truth = np.array(shares) / sum(shares)
    found = corrected(TABLE, rates(TABLE) @ truth)
    assert found.shares == pytest.approx(truth, abs=1e-9)


def test_a_solution_with_a_share_below_zero_is_the_nearest_spread():
    matrix, judged = rates(TABLE), np.array([0.0, 0.1, 0.9, 0.0])
    assert np.linalg.solve(matrix, judged).min() < 0
    found = spread(matrix, judged)
    oracle = minimize(
        lambda x: ((matrix @ x - judged) ** 2).sum(),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert found == pytest.approx(oracle.x, abs=1e-5)
    assert found.sum() == pytest.approx(1)


def test_a_judge_that_hardly_tells_two_scores_apart_is_refused():
    table = np.array([[10, 10, 0], [9, 11, 0], [0, 0, 20]], float)
    found = corrected(table, np.array([5, 5, 5.0]))
    assert found.shares is None
    assert found.condition > 20
    assert "near singular" in message_of(found.why_none)


def test_a_judge_that_never_tells_is_refused_without_a_warning():
    found = corrected(np.full((3, 3), 10.0), np.ones(3))
    assert "near singular" in message_of(found.why_none)


def test_a_score_annotators_hardly_gave_is_refused():
    table = TABLE.copy()
    table[1] = 0
    assert "fewer than 10 answers" in message_of(corrected(table, np.ones(4)).why_none)


def test_the_true_mean_is_found_where_the_judge_is_lenient():
    """Quick simulation: the judge's own mean is .3 too high, the corrected one is right."""
    random = np.random.default_rng(5)
    matrix = np.array(
        [[0.7, 0.1, 0, 0], [0.2, 0.6, 0.1, 0], [0.1, 0.2, 0.6, 0.1], [0, 0.1, 0.3, 0.9]]
    )
    truth, scale = np.array([0.2, 0.3, 0.3, 0.2]), np.arange(4)
    means = []
    for _ in range(200):
        table = np.array([random.multinomial(100, column) for column in matrix.T], float)
        judged = random.multinomial(500, matrix @ truth)
        means.append(corrected(table, judged).shares @ scale)
    assert np.mean(means) == pytest.approx(1.5, abs=0.02)
    assert scale @ matrix @ truth > 1.65
