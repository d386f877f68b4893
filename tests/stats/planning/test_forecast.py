"""How many questions more: against the formula, and in its limits."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.planning.forecast import AT_MOST, questions_more


def rows(values):
    return np.stack([np.asarray(values, float), np.ones(len(values))], axis=1)


ZERO = rows(np.tile([1.0, -1.0, 0, 0, 0], 20))  # 100 questions, difference 0, spread .636


def test_with_no_difference_so_far_the_range_holds_the_solution_of_the_formula():
    found = questions_more(ZERO, -0.1, 0.0, 0.018)
    spread, exact = np.sqrt(0.4 * 100 / 99), None
    for more in range(1, 2000):
        total = 100 + more
        wanted = stats.t.isf(0.018, total - 1) * np.sqrt(total)
        wanted += stats.norm.ppf(0.8) * np.sqrt(more)
        if spread * wanted / total < 0.1:
            exact = more
            break
    assert found.low < exact < found.high
    assert exact - 100 < found.low and found.high < exact + 100


def test_what_was_found_so_far_stays_in_the_figure():
    worse, better = (rows([sign] * 10 + [1.0, -1.0] * 15 + [0.0] * 60) for sign in (-1.0, 1.0))
    assert (
        questions_more(worse, -0.1, 0.0, 0.018).low > questions_more(better, -0.1, 0.0, 0.018).high
    )


def test_a_smaller_margin_or_error_takes_more():
    plain = questions_more(ZERO, -0.1, 0.0, 0.018)
    assert questions_more(ZERO, -0.05, 0.0, 0.018).low > plain.low
    assert questions_more(ZERO, -0.1, 0.0, 0.002).low > plain.low


def test_few_questions_give_a_wide_range():
    few = questions_more(ZERO[:20], -0.1, 0.0, 0.018)
    many = questions_more(ZERO, -0.1, 0.0, 0.018)
    assert few.high / few.low > many.high / many.low


@pytest.mark.parametrize(
    ("pilot", "above", "truth", "why"),
    [
        (ZERO[:9], -0.1, 0.0, "under 10 questions"),
        (ZERO, 0.8, 0.8, "does not lie above"),
    ],
)
def test_what_cannot_be_forecast_says_why(pilot, above, truth, why):
    found = questions_more(pilot, above, truth, 0.018)
    assert found.low is None and why in found.why_none


def test_no_number_up_to_a_hundred_thousand_is_said_as_none():
    found = questions_more(ZERO, -0.0005, 0.0, 0.018)
    assert found == (None, None, None) and AT_MOST == 100_000


def test_the_order_of_the_questions_does_not_matter():
    shuffled = ZERO[np.random.default_rng(1).permutation(len(ZERO))]
    assert questions_more(shuffled, -0.1, 0.0, 0.018) == questions_more(ZERO, -0.1, 0.0, 0.018)
