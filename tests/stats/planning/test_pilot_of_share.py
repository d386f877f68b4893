"""A pilot of a share forecasts by the rule its interval is made with."""

import numpy as np
import pytest

from concord.stats.core.estimate import TOO_FEW, reason, under
from concord.stats.intervals.wilson import proportion
from concord.stats.planning.pilot_of_share import (
    Shares,
    half_width,
    questions_for_half_width,
)
from concord.stats.planning.sample_size import for_share


def rows_of(hits, each):
    return np.stack([np.asarray(hits, float), np.full(len(hits), float(each))], axis=1)


def width(of):
    found = proportion(*of.rows.T, of.units)
    return (found.high - found.low) / 2


# Answers to a question less alike than chance would make them, by one annotator each or by two.
UNLIKE = Shares(rows_of([2] * 30 + [3] * 15, 3), 135)
TWO_EACH = UNLIKE._replace(units=270)
ALIKE = Shares(rows_of([3] * 30 + [0] * 15, 3), 135)
FEW_MISSES = Shares(rows_of([3] * 43 + [2] * 2, 3), 135)
NO_MISS = Shares(rows_of([3] * 45, 3), 135)


@pytest.mark.parametrize("of", [UNLIKE, TWO_EACH, ALIKE, FEW_MISSES, NO_MISS])
def test_at_its_own_size_the_likely_width_is_that_of_the_interval(of):
    found = half_width(of, len(of.rows))
    assert found.likely == pytest.approx(width(of))
    assert found.low <= width(of) * (1 + 1e-9) and found.high >= width(of) * (1 - 1e-9)


def test_weighted_answers_are_worth_what_the_interval_takes_them_for():
    weights = np.tile([1.0, 3.0], 30)
    of = Shares(np.stack([weights * (np.arange(60) % 5 > 0), weights], axis=1), 48)
    assert half_width(of, 60).likely == pytest.approx(width(of))


def test_the_forecast_agrees_with_the_formula_and_more_precision_takes_more():
    half = Shares(rows_of(np.tile([1, 0], 50), 1), 100)
    found = questions_for_half_width(half, 0.05)
    assert found.likely == pytest.approx(for_share(0.05, 0.5), rel=0.05)
    assert half_width(half, int(found.likely)).likely == pytest.approx(0.05, rel=0.03)
    assert questions_for_half_width(half, 0.025).likely > 3.5 * found.likely


def test_too_few_questions_forecast_nothing():
    few = Shares(rows_of([1] * 39, 1), 39)
    for found in (questions_for_half_width(few, 0.05), half_width(few, 40)):
        assert found.why_none == under(40, reason("no_forecast_from_pilot"))
    assert half_width(ALIKE, 9).why_none == TOO_FEW
