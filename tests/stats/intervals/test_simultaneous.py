"""Limits that hold together: against hand arithmetic, in degenerate cases, and by simulation."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from concord.messages import message_of
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import at_most, difference, simultaneous

DRAWS = Draws(resamples=1000)
LEVEL = 0.05


def drawn(seed=2, judges=6):
    """Right answers of judges that are right in 80%, of 2 answers to each of 60 questions."""
    random = np.random.default_rng(seed)
    return random.binomial(2, 0.8, (judges, 60)).astype(float), np.full(60, 2.0)


def test_one_difference_alone_has_about_the_limits_of_students_t():
    random = np.random.default_rng(1)
    one, base = random.binomial(2, 0.7, 60).astype(float), np.full(60, 2.0)
    other = random.binomial(2, 0.7, 60).astype(float)
    (found,) = simultaneous([difference(one, other, base)], LEVEL, DRAWS).estimates
    apart = (one - other) / 2
    error = apart.std(ddof=1) / np.sqrt(60)
    step = stats.t.isf(LEVEL / 2, 59) * error
    assert found.value == pytest.approx(apart.mean())
    assert found.low == pytest.approx(apart.mean() - step, abs=0.25 * error)
    assert found.high == pytest.approx(apart.mean() + step, abs=0.25 * error)


def test_more_judges_make_every_limit_wider_and_a_judge_twice_does_not():
    judges, base = drawn()
    members = [difference(one, judges[0], base) for one in judges[1:]]
    alone = simultaneous(members[:1], LEVEL, DRAWS)
    twice = simultaneous(members[:1] * 2, LEVEL, DRAWS)
    together = simultaneous(members, LEVEL, DRAWS)
    assert twice.tail == alone.tail
    assert together.tail < alone.tail <= LEVEL / 2
    assert together.tail > LEVEL / 2 / len(members) / 2  # not much worse than Bonferroni
    assert together.estimates[0].low < alone.estimates[0].low


def test_a_judge_identical_to_the_reference_gets_the_exact_bound_of_no_question_in_so_many():
    hits, base = np.tile([2.0, 1.0], 32), np.full(64, 2.0)
    (found,) = simultaneous([difference(hits, hits, base)], LEVEL, DRAWS).estimates
    bound = 1 - (LEVEL / 2) ** (1 / 64)
    assert (found.value, found.low, found.high) == pytest.approx((0, -bound, bound))
    assert "0 of 64 questions differ" in found.method


def test_more_questions_lost_lower_the_limit_also_where_the_exact_bound_ends():
    base, other = np.full(60, 1.0), np.ones(60)
    lows = []
    for worse in range(9):
        one = np.ones(60)
        one[:worse] = 0
        family = simultaneous([difference(one, other, base)], LEVEL, DRAWS)
        lows.append(family.estimates[0].low)
    assert all(later < earlier + 0.01 for earlier, later in pairwise(lows))


def test_a_judge_as_far_off_on_every_question_gets_exact_limits_and_leaves_others_theirs():
    judges, base = drawn(judges=2)
    regular = difference(*judges, base)
    alike = difference(judges[0] + 0.1 * base, judges[0], base)  # an error of 1e-17, by rounding
    ours, constant = simultaneous([regular, alike], LEVEL, DRAWS).estimates
    alone = simultaneous([regular], LEVEL, DRAWS).estimates[0]
    assert alone.high - alone.low < ours.high - ours.low < 1.3 * (alone.high - alone.low)
    assert (constant.value, constant.high) == pytest.approx((0.1, 1))
    assert -0.1 < constant.low < 0
    assert "60 of 60 questions differ" in constant.method


def test_questions_without_answers_count_for_nothing():
    judges, base = drawn(judges=2)
    with_more = [np.append(part, [0.0, 0.0]) for part in (*judges, base)]
    (found,) = simultaneous([difference(*judges, base)], LEVEL, DRAWS).estimates
    (same,) = simultaneous([difference(*with_more)], LEVEL, DRAWS).estimates
    assert same.value == found.value
    assert (same.low, same.high) == pytest.approx((found.low, found.high), rel=0.1)


@pytest.mark.parametrize(
    ("answered", "reason"), [(0, "nothing to compare"), (9, "fewer than 10 questions")]
)
def test_what_has_no_limits_says_why_and_leaves_the_others_theirs(answered, reason):
    judges, base = drawn(judges=3)
    few = np.where(np.arange(60) < answered, base, 0)
    withheld = difference(judges[2] * few / base, judges[0] * few / base, few)
    regular = difference(judges[1], judges[0], base)
    family = simultaneous([withheld, regular], LEVEL, DRAWS)
    alone = simultaneous([regular], LEVEL, DRAWS)
    assert family.estimates[0].low is None
    assert reason in message_of(family.estimates[0].why_none)
    assert family.estimates[1] == alone.estimates[0]


def test_the_same_seed_gives_the_same_limits():
    judges, base = drawn(judges=2)
    members = [difference(*judges, base)]
    assert simultaneous(members, LEVEL, Draws(500)) == simultaneous(members, LEVEL, Draws(500))


@pytest.mark.parametrize(
    ("hits", "of", "error", "bound"),
    [(0, 29, 0.05, 0.098145), (6, 120, 0.1, 0.086113), (3, 60, 0.1, 0.107965), (5, 5, 0.1, 1)],
)
def test_the_exact_bound_is_clopper_and_pearsons(hits, of, error, bound):
    assert at_most(hits, of, error) == pytest.approx(bound, abs=1e-6)


def test_limits_of_four_judges_hold_together_as_often_as_they_promise():
    """150 sheets of 45 questions: .95 is promised, and chance alone takes four points off."""
    chance, held = 0.8, 0
    base, draws = np.full(45, 2.0), Draws(resamples=500)
    for seed in range(150):
        random = np.random.default_rng(seed)
        right = random.random((5, 45, 1)) < chance
        mixed = random.random((5, 45, 2)) < 0.5
        hits = np.where(mixed, right, random.random((5, 45, 2)) < chance).sum(axis=2).astype(float)
        members = [difference(one, hits[0], base) for one in hits[1:]]
        family = simultaneous(members, LEVEL, draws)
        held += all(one.low <= 0 <= one.high for one in family.estimates)
    assert held / 150 >= 0.91
