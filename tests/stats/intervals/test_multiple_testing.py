import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.stats.intervals.multiple_testing import benjamini_hochberg, benjamini_yekutieli, holm

P_VALUES = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]
MANY = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("adjust", "expected"),
    [
        (holm, [0.01, 0.072, *[0.312] * 5, *[0.615] * 3]),
        (benjamini_hochberg, [0.01, 0.04, *[0.084] * 3, 0.1, 0.74 / 7, *[0.216] * 3]),
        (benjamini_yekutieli, [0.0292897, 0.1171587, 0.2460333, 0.2460333, 0.2460333]),
    ],
)
def test_the_published_p_values_are_adjusted_as_published(adjust, expected):
    assert adjust(P_VALUES)[: len(expected)] == pytest.approx(expected, abs=1e-6)
    assert adjust(P_VALUES[::-1])[::-1] == pytest.approx(adjust(P_VALUES))


@given(MANY)
def test_holm_and_yekutieli_are_never_below_hochberg_and_none_below_the_p_value(p_values):
    hochberg = benjamini_hochberg(p_values)
    for stricter in (holm(p_values), benjamini_yekutieli(p_values)):
        assert np.all(stricter >= hochberg - 1e-12) and np.all(stricter <= 1)
    assert np.all(hochberg >= np.array(p_values) - 1e-12)


@given(MANY)
def test_adjusting_keeps_the_order(p_values):
    order = np.argsort(p_values, kind="stable")
    for adjust in (holm, benjamini_hochberg, benjamini_yekutieli):
        assert np.all(np.diff(adjust(p_values)[order]) >= 0)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg, benjamini_yekutieli])
def test_one_test_needs_no_adjusting_and_none_gives_none(adjust):
    assert adjust([0.03]).tolist() == [0.03]
    assert adjust([]).tolist() == []
