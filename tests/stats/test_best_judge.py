"""The best of several equal judges: its interval must allow for its being picked."""

import numpy as np
import pytest

from concord.stats.best_judge import best_exact
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures

SCALE, REACHED = (0, 1, 2, 3), 0.75


def judges(random, number, questions=40):
    """Judges that agree exactly on three answers in four, two answers to a question."""
    cluster = np.repeat(np.arange(questions), 2)
    truth, item = random.integers(0, 4, len(cluster)), np.arange(len(cluster))
    right = random.random((number, len(cluster))) < REACHED
    return [
        Pairs(np.where(hit, truth, (truth + 1) % 4), truth, np.ones(len(item)), item, cluster)
        for hit in right
    ]


def own(pairs):
    return figures(pairs, SCALE, (), names=("exact",))["exact"]


def test_the_best_of_tied_judges_is_covered_as_often_as_promised():
    random = np.random.default_rng(6)
    covered = np.zeros(2)
    for _ in range(100):
        made = judges(random, 14)
        place, best = best_exact(made, SCALE)
        assert best.value == max(own(pairs).value for pairs in made) == own(made[place]).value
        each = own(made[place]), best
        covered += [one.low <= REACHED <= one.high for one in each]
    assert covered[0] < 85 and covered[1] >= 93


def test_of_one_judge_it_is_the_usual_interval_and_copies_hardly_widen_it():
    (alone,) = judges(np.random.default_rng(1), 1, 80)
    assert best_exact([alone], SCALE) == (0, own(alone))
    _, best = best_exact([alone] * 10, SCALE)
    usual = own(alone)
    assert best.high - best.low == pytest.approx(usual.high - usual.low, rel=0.1)


def test_a_judge_that_is_always_right_has_the_exact_limit_at_the_level_of_the_family():
    first, second = judges(np.random.default_rng(2), 2)
    perfect = second._replace(judge=second.annotator)
    place, best = best_exact([first, perfect], SCALE)
    assert (place, best.high) == (1, 1.0)
    assert 0.8 < best.low < own(perfect).low
