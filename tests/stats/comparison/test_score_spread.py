"""How much of a scale a grader uses."""

import math

import numpy as np
import pytest

from concord.stats.comparison.score_spread import spread


def test_evenly_used_scores_count_in_full():
    found = spread(np.array([0, 1, 2, 3] * 5), range(4))
    assert (found.used, found.share, found.counts) == (4, 0.25, (5, 5, 5, 5))
    assert found.effective == pytest.approx(4)


def test_one_score_throughout_tells_nothing_apart():
    found = spread(np.array([3.0, 3.0]), (1, 2, 3))
    assert found == ((0, 0, 2), 1, 3, 1.0, pytest.approx(1), 3)


def test_the_effective_number_is_the_exponential_of_the_entropy():
    found = spread(np.array([0] * 7 + [1] * 2 + [5]), (0, 1, 5))
    entropy = -(0.7 * math.log(0.7) + 0.2 * math.log(0.2) + 0.1 * math.log(0.1))
    assert found.effective == pytest.approx(math.exp(entropy))
    assert found.commonest == 0


def test_without_scores_there_is_no_commonest():
    assert spread(np.zeros(0), (0, 1)) == ((0, 0), 0, None, None, None, 2)


def test_a_score_off_the_scale_is_refused():
    with pytest.raises(ValueError, match="not on the scale"):
        spread(np.array([4]), (0, 1, 2, 3))
