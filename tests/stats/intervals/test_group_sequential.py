"""Group-sequential p-values: what looks may spend, and what they spend together."""

import numpy as np
import pytest
from scipy import special

from concord.stats.intervals.group_sequential import ERROR, level, repeated_p, spent


def test_one_look_at_all_planned_questions_has_the_whole_error():
    assert level([1.0]) == pytest.approx(ERROR)
    assert repeated_p(np.array([0.001, 0.05, 0.8]), [1.0]).tolist() == [0.001, 0.05, 0.8]
    assert level([3.0]) == pytest.approx(ERROR)  # more questions than planned give no more


def test_four_equal_looks_have_the_bounds_of_lan_and_demets():
    """Their Pocock-type function at one-sided .025, as tabled by Jennison and Turnbull."""
    quarters = [0.25, 0.5, 0.75, 1.0]
    bounds = [-special.ndtri(level(quarters[: place + 1], 0.025)) for place in range(4)]
    assert bounds == pytest.approx([2.368, 2.368, 2.358, 2.350], abs=1e-3)


@pytest.mark.parametrize(
    "shares", [(0.25, 0.5, 0.75, 1.0), (20 / 540, 60 / 540, 1 / 3, 1.0), (0.6, 1.0), (0.3, 0.35)]
)
def test_looks_spend_what_their_share_of_the_questions_allows(shares):
    steps = np.sqrt(np.diff((0, *shares)))
    drawn = np.random.default_rng(3).standard_normal((200_000, len(shares))) * steps
    p = special.ndtr(-drawn.cumsum(axis=1) / np.sqrt(shares))
    wrong = np.zeros(len(p), bool)
    for place in range(len(shares)):
        wrong |= repeated_p(p[:, place], shares[: place + 1]) <= ERROR
    assert wrong.mean() == pytest.approx(float(spent(shares[-1])), abs=0.002)


def test_a_look_without_new_questions_has_nothing_to_spend():
    assert level([0.4, 0.4]) == 0
    assert repeated_p(np.array([1e-9, 0.2]), [0.4, 0.4]).tolist() == [1.0, 1.0]
    assert level([1.0, 1.5]) == 0


def test_a_repeated_p_value_is_at_most_the_error_where_the_p_value_is_at_most_the_level():
    shares = [0.2, 0.5, 0.9]
    nominal = level(shares)
    below, above = repeated_p(np.array([0.99, 1.01]) * nominal, shares)
    assert below < ERROR < above
    rising = repeated_p(np.geomspace(1e-14, 1, 200), shares)
    assert (np.diff(rising) >= 0).all() and rising[-1] == 1
