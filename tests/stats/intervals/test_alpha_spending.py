"""Looks at a decision: four at .018, no fifth, and none without new grades."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.intervals.alpha_spending import AT_MOST, LEVEL, Look, next_look


@pytest.mark.parametrize(
    ("seen", "now", "look"),
    [
        ([], "a", Look(1, True, LEVEL)),
        (["a"], "b", Look(2, True, LEVEL)),
        (["a", "b"], "b", Look(2, False, LEVEL)),
        (["a", "b", "c"], "a", Look(1, False, LEVEL)),
        (["a", "a", "a", "a", "a"], "b", Look(2, True, LEVEL)),
        (["a", "b", "c"], "d", Look(4, True, LEVEL)),
        (["a", "b", "c", "d"], "e", Look(5, True, None)),
        (["a", "b", "c", "d", "e"], "e", Look(5, False, None)),
        (["a", "b", "c", "d", "e"], "d", Look(4, False, LEVEL)),
    ],
)
def test_a_look_is_new_with_new_grades_and_the_fifth_has_no_error_left(seen, now, look):
    assert next_look(seen, now) == look


def test_four_looks_at_this_level_spend_five_percent_and_four_at_five_percent_twelve():
    random = np.random.default_rng(3)
    sums = random.normal(size=(200_000, AT_MOST)).cumsum(axis=1)
    standard = sums / np.sqrt(np.arange(1, AT_MOST + 1))
    wrong = {
        level: (standard.max(axis=1) > stats.norm.isf(level)).mean() for level in (LEVEL, 0.05)
    }
    assert wrong[LEVEL] == pytest.approx(0.05, abs=0.004)
    assert wrong[0.05] == pytest.approx(0.12, abs=0.01)
