import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.stats.agreement import coefficients

SCALE = (0, 1, 2, 3)
PERSON = [0, 1, 2, 3, 3, 2, 1, 0, 3, 3, 2, 1]
JUDGE = [0, 1, 3, 3, 2, 2, 1, 1, 3, 3, 1, 1]


def table(person, judge, scale=SCALE):
    cells = np.zeros((len(scale), len(scale)))
    for one, other in zip(person, judge, strict=True):
        cells[scale.index(one), scale.index(other)] += 1
    return cells


TABLE = table(PERSON, JUDGE)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (coefficients.mae(TABLE, SCALE), 4 / 12),
        (coefficients.bias(TABLE, SCALE), 0),
        (coefficients.lin_ccc(TABLE, SCALE), 0.8490566037735847),
        (coefficients.spearman(TABLE), 0.8584644148139161),
        (coefficients.tau_b(TABLE), 0.7849175082782228),
    ],
)
def test_a_worked_example_gives_the_published_figures(found, expected):
    assert found == pytest.approx(expected, abs=1e-9)


def test_distances_are_those_of_the_scores_not_of_their_places():
    scale = (1, 2, 6)
    cells = table([1, 2, 6, 6], [2, 2, 2, 6], scale)
    assert coefficients.mae(cells, scale) == pytest.approx(5 / 4)
    assert coefficients.bias(cells, scale) == pytest.approx(-3 / 4)
    observed = (1 + 16) / 4
    expected = (3 * (1 + 0 + 16 + 16) + (25 + 16 + 0 + 0)) / 16
    kappa = coefficients.cohen_kappa(cells, scale, "quadratic")
    assert kappa == pytest.approx(1 - observed / expected)


CORRECTED = [
    lambda t: coefficients.cohen_kappa(t, SCALE),
    lambda t: coefficients.cohen_kappa(t, SCALE, "quadratic"),
    lambda t: coefficients.gwet_ac2(t, SCALE),
    lambda t: coefficients.krippendorff_alpha(t, SCALE),
    lambda t: coefficients.lin_ccc(t, SCALE),
    coefficients.tau_b,
    coefficients.spearman,
]


@pytest.mark.parametrize("figure", CORRECTED)
def test_one_and_the_same_score_throughout_leaves_nothing_to_correct(figure):
    assert math.isnan(figure(1 / 3 * table([3] * 7, [3] * 7)))


@pytest.mark.parametrize("weights", ["none", "quadratic"])
def test_a_constant_judge_has_kappa_zero(weights):
    cells = table([0, 1, 2, 3, 3], [3] * 5)
    assert coefficients.cohen_kappa(cells, SCALE, weights) == pytest.approx(0)
    assert coefficients.lin_ccc(cells, SCALE) == 0


@pytest.mark.parametrize("figure", [coefficients.tau_b, coefficients.spearman])
def test_a_constant_judge_has_no_correlation(figure):
    assert math.isnan(figure(table([0, 1, 2, 3, 3], [3] * 5)))


@pytest.mark.parametrize("figure", CORRECTED)
def test_an_empty_table_is_undefined_and_warns_of_nothing(figure):
    assert math.isnan(figure(np.zeros((4, 4))))


scores = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


@given(scores)
def test_quadratic_kappa_on_scores_is_lins_concordance(pairs):
    cells = table(*zip(*pairs, strict=True))
    kappa = coefficients.cohen_kappa(cells, SCALE, "quadratic")
    assert coefficients.lin_ccc(cells, SCALE) == pytest.approx(kappa, abs=1e-9, nan_ok=True)


def test_a_stack_of_tables_gives_the_figures_of_each():
    stack = np.stack([TABLE, 2 * TABLE.T, table([3] * 4, [3] * 4)])
    for figure in CORRECTED:
        singly = [float(figure(cells)) for cells in stack]
        assert figure(stack).tolist() == pytest.approx(singly, nan_ok=True)
