import numpy as np
import pytest

from concord.stats.agreement import coefficients
from concord.stats.core.reasons import under
from concord.stats.planning.pilot import Range, questions_for_power
from concord.stats.planning.sample_size import for_non_inferiority

SCALE = (0, 1, 2, 3)


def share(sums):
    return np.divide(sums[..., 0], sums[..., 1])


def qwk(tables):
    return coefficients.cohen_kappa(tables, SCALE, "quadratic")


def rows_of(values):
    values = np.asarray(values, float)
    return np.stack([values, np.ones(len(values))], axis=-1)


LEVEL = rows_of(np.repeat([1, -1, 0], [10, 10, 80]))


def within(found, expected, tolerance):
    assert found.low <= expected * (1 + tolerance) and found.high >= expected * (1 - tolerance)
    assert found.likely == pytest.approx(expected, rel=tolerance)


def test_the_forecast_of_a_difference_agrees_with_the_formula():
    within(questions_for_power(LEVEL, share, -0.1), for_non_inferiority(0.1, 0.2), 0.12)


def test_more_power_takes_more_questions_in_the_ratio_of_the_formula():
    likely = questions_for_power(LEVEL, share, -0.1, wanted=0.8).likely
    surer = questions_for_power(LEVEL, share, -0.1, wanted=0.95).likely
    assert surer / likely == pytest.approx((1.645 + 1.645) ** 2 / (1.645 + 0.842) ** 2, rel=0.02)


def test_planning_with_the_observed_difference_makes_the_range_wider():
    random = np.random.default_rng(4)
    pilot = rows_of(random.choice([-1, 0, 1], 30, p=[0.1, 0.8, 0.1]))
    planned = questions_for_power(pilot, share, -0.1)
    observed = questions_for_power(pilot, share, -0.1, truth=None)
    assert observed.high is None or observed.high / observed.low > planned.high / planned.low


def test_the_range_narrows_as_the_pilot_grows():
    small, large = LEVEL[::5], np.tile(LEVEL, (5, 1))
    spans = [questions_for_power(rows, share, -0.1) for rows in (small, large)]
    assert spans[0].high / spans[0].low > spans[1].high / spans[1].low


def test_quadratic_kappa_can_be_forecast_from_tables():
    random = np.random.default_rng(1)
    person = random.integers(0, 4, (40, 3))
    judge = np.clip(person + random.choice([-1, 0, 1], (40, 3), p=[0.2, 0.6, 0.2]), 0, 3)
    tables = np.zeros((40, 4, 4))
    np.add.at(tables, (np.arange(40)[:, None], person, judge), 1)
    near, far = (questions_for_power(tables, qwk, above, truth=0.5) for above in (0.49, 0.48))
    assert near.likely == pytest.approx(4 * far.likely, rel=0.1)


def test_a_difference_that_is_not_there_is_never_shown():
    found = questions_for_power(rows_of(np.tile([0, -1], 20)), share, -0.1, truth=-0.2)
    assert (found.low, found.likely, found.high, found.why_none) == (None, None, None, None)
    assert found.method.startswith("400 redrawn pilots")


def test_questions_that_do_not_differ_are_certain_either_way():
    same = rows_of(np.zeros(12))
    assert questions_for_power(same, share, -0.1)[:3] == (10, 10, 10)
    assert questions_for_power(same, share, 0.1)[:3] == (None, None, None)


def test_the_forecast_repeats_and_does_not_depend_on_the_order_of_questions():
    forth, back = (questions_for_power(rows, share, -0.1) for rows in (LEVEL, LEVEL[::-1]))
    assert forth == back


def test_a_large_pilot_is_redrawn_less_often_and_says_so():
    rows = np.stack([np.arange(300.0), np.full(300, 300.0)], axis=-1)
    found = questions_for_power(rows, share, -0.1)
    assert found.method.startswith("146 redrawn pilots, 182 resamples")


def test_too_few_questions_forecast_nothing():
    found = questions_for_power(LEVEL[:9], share, -0.1)
    assert found == Range(None, None, None, "", under(10, "a pilot forecasts nothing"))


def test_an_undefined_figure_is_not_forecast():
    tables = np.zeros((12, 4, 4))
    tables[:, 3, 3] = 1
    tables[0, 2, 2] = 1
    assert "undefined in" in questions_for_power(tables, qwk, -0.1).why_none
