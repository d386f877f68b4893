"""The one-sided test: skewness towards losses makes it stricter, symmetry leaves Student's t."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.decision.one_sided_test import jackknife_test

SYMMETRIC = np.tile([-1.0, 0.0, 0.0, 1.0], 10)
FEW_LOSSES = np.repeat([-1.0, 0.0], [8, 32])


def one_sided(gains, limit):
    """The test of a mean of so many questions."""
    total, number = gains.sum(), len(gains)
    deleted = (total - gains) / (number - 1)
    return jackknife_test(gains.mean(), deleted, np.ones(number, bool), limit)


def t_of(gains, limit):
    """Student's t, and as degrees of freedom the questions that carry the error."""
    off = gains - gains.mean()
    carry = (off**2).sum() ** 2 / (off**4).sum()
    return (gains.mean() - limit) / stats.sem(gains), min(len(gains) - 1, carry)


def test_without_skewness_it_is_students_t():
    t, degrees = t_of(SYMMETRIC, -0.2)
    found = one_sided(SYMMETRIC, -0.2)
    assert found.above == pytest.approx(stats.t.sf(t, degrees), rel=1e-9)
    assert found.low == pytest.approx(-found.high)


def test_few_losses_take_a_larger_t_by_hand():
    t, degrees = t_of(FEW_LOSSES, -0.4)
    # A share of .2 has skewness (1 - 2 * .8) / sqrt(.2 * .8) = -1.5, over sqrt(40) questions.
    shrunk = t / np.sqrt(1 + 2 / 3 * 1.5 / np.sqrt(40) * t)
    assert one_sided(FEW_LOSSES, -0.4).above == pytest.approx(stats.t.sf(shrunk, degrees), rel=1e-9)


def test_only_the_side_that_skewness_makes_too_lenient_is_corrected():
    t, degrees = t_of(FEW_LOSSES, 0.0)
    assert one_sided(FEW_LOSSES, 0.0).below == pytest.approx(stats.t.cdf(t, degrees), rel=1e-9)
    mirrored, found = one_sided(-FEW_LOSSES, 0.4), one_sided(FEW_LOSSES, -0.4)
    assert mirrored.below == pytest.approx(found.above, rel=1e-9)
    assert (mirrored.high, mirrored.low) == pytest.approx((-found.low, -found.high))


def test_a_limit_at_the_end_of_the_interval_has_half_of_its_error():
    low = float(one_sided(FEW_LOSSES, -0.4).low)
    assert one_sided(FEW_LOSSES, low).above == pytest.approx(0.025, rel=1e-6)
