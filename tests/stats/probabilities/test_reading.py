import numpy as np
import pytest

from concord.stats.probabilities.reading import (
    cut,
    expected,
    midpoints,
    normalised,
    read,
)

SCALE = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("row", "argmax", "rounded_mean", "median"),
    [
        ((0.1, 0.2, 0.3, 0.4), 3, 2, 2),  # expected 2.0; .1, .3, .6: half is reached at 2
        ((0.45, 0.0, 0.0, 0.55), 3, 2, 3),  # expected 1.65
        ((0.4, 0.25, 0.2, 0.15), 0, 1, 1),  # expected 1.1
        ((0.0, 0.0, 0.0, 1.0), 3, 3, 3),
        ((0.25, 0.25, 0.25, 0.25), 0, 1, 1),  # ties everywhere: mode 0, mean 1.5, half at 1
        ((0.5, 0.0, 0.0, 0.5), 0, 1, 0),
        ((0.0, 0.5, 0.5, 0.0), 1, 1, 1),
        ((0.3, 0.2, 0.2, 0.3), 0, 1, 1),
        ((0.04, 0.0, 0.38, 0.38), 2, 2, 2),  # does not sum to 1; 1.9 / .8 = 2.375
    ],
)
def test_each_rule_reads_a_row_as_by_hand(row, argmax, rounded_mean, median):
    found = [read(rule, [row], SCALE)[0] for rule in ("argmax", "rounded_mean", "median")]
    assert found == [argmax, rounded_mean, median]


def test_a_tie_made_of_rounding_errors_is_a_tie():
    thirds = np.array([[1 / 3, 1 / 3 + 1e-16, 1 / 3]])
    assert read("argmax", thirds, (1, 2, 3)) == [1]
    tenths = np.array([[0.1 + 0.2, 0.2, 0.1, 0.4]])  # .30000000000000004 + .2 is half
    assert read("median", tenths, SCALE) == [1]
    half = [0.7, 0.1, 0.1 + 0.1 + 1e-16]  # expected .5, a little more in floats
    assert read("rounded_mean", [half], (0, 1, 2)) == [0]
    assert read("rounded_mean", [[0.7, 0.1, 0.2 + 1e-6]], (0, 1, 2)) == [1]


def test_scores_need_not_be_contiguous():
    rows = [[0.5, 0.2, 0.3], [0.2, 0.2, 0.6]]  # expected .5 + .4 + 3 = 3.9 and 6.6
    assert expected(rows, (1, 2, 10)) == pytest.approx([3.9, 6.6])
    assert list(read("rounded_mean", rows, (1, 2, 10))) == [2, 10]  # halfway is 6
    assert list(midpoints((1, 2, 10))) == [1.5, 6.0]


def test_normalised_leaves_out_what_fell_outside_the_scale():
    assert normalised([[0.2, 0.6], [2, 0]]) == pytest.approx(np.array([[0.25, 0.75], [1, 0]]))


@pytest.mark.parametrize("row", [(0.5, -0.1), (0.0, 0.0), (np.nan, 1.0), (np.inf, 1.0)])
def test_a_row_that_is_no_distribution_is_refused(row):
    with pytest.raises(ValueError, match="finite probabilities"):
        normalised([row])


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="no reading rule mode"):
        read("mode", [[1.0]], (1,))


def test_a_score_is_one_step_up_for_each_point_passed():
    values = np.array([0.0, 1.2, 1.2000000001, 1.3, 2.9, 3.0])
    assert list(cut(values, [1.2, 1.25, 2.9], SCALE)) == [0, 0, 0, 2, 2, 3]
    assert list(cut(values, [0.5, 0.5, 9.0], SCALE)) == [0, 2, 2, 2, 2, 2]


@pytest.mark.parametrize("points", [(1.0, 2.0), (2.0, 1.0, 3.0)])
def test_cut_points_must_be_one_fewer_than_scores_and_not_fall(points):
    with pytest.raises(ValueError, match="4 scores take 3 cut points"):
        cut(np.zeros(1), points, SCALE)
