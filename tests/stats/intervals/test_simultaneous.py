"""Limits that hold together: against hand arithmetic, in degenerate cases, and by simulation."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from concord.messages import message_of
from concord.stats.agreement import coefficients
from concord.stats.intervals.clopper_pearson import at_most
from concord.stats.intervals.family_member import difference, kappa, share, statistic
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import simultaneous
from concord.stats.intervals.wilson import wilson

SCALE = (0, 1, 2, 3)
DRAWS = Draws(resamples=1000)
LEVEL = 0.018


def tables(judge, person, questions):
    """A table per question from (n,) scores, the answers dealt to the questions in turn."""
    found = np.zeros((questions, 4, 4))
    np.add.at(found, (np.arange(len(judge)) % questions, person, judge), 1)
    return found


def graded(questions, right, seed=0, answers=2):
    """Annotator's and judge's scores of a sheet, the judge right with this chance."""
    random = np.random.default_rng([seed, questions])
    person = random.choice(4, questions * answers, p=[0.03, 0.05, 0.22, 0.7])
    wrong = random.random(len(person)) > right
    return np.where(wrong, np.where(person == 0, 1, person - 1), person), person


def exact(judge, person, questions):
    """(G,) answers with the same score, and (G,) answers."""
    found = tables(judge, person, questions)
    return np.trace(found, axis1=1, axis2=2), found.sum(axis=(1, 2))


def test_kappa_from_moments_is_quadratic_kappa_of_the_table():
    found = tables(*graded(30, 0.7), 30)
    member = kappa(found, SCALE)
    assert statistic("kappa", member.rows.sum(axis=0)) == pytest.approx(
        float(coefficients.cohen_kappa(found.sum(axis=0), SCALE, "quadratic"))
    )


def test_one_difference_alone_has_about_the_limits_of_students_t():
    random = np.random.default_rng(1)
    one, base = random.binomial(2, 0.7, 60).astype(float), np.full(60, 2.0)
    other = random.binomial(2, 0.7, 60).astype(float)
    (found,) = simultaneous([difference(one, other, base)], LEVEL, DRAWS).estimates
    apart = (one - other) / 2
    error = apart.std(ddof=1) / np.sqrt(60)
    assert found.value == pytest.approx(apart.mean())
    assert found.low == pytest.approx(
        apart.mean() - stats.t.isf(LEVEL, 59) * error, abs=0.25 * error
    )
    assert found.high == pytest.approx(
        apart.mean() + stats.t.isf(LEVEL, 59) * error, abs=0.25 * error
    )


def test_more_judges_make_every_limit_wider_and_a_judge_twice_does_not():
    base = np.full(60, 2.0)
    random = np.random.default_rng(2)
    judges = random.binomial(2, 0.8, (6, 60)).astype(float)
    members = [difference(one, judges[0].copy(), base) for one in judges[1:]]
    alone = simultaneous(members[:1], LEVEL, DRAWS)
    twice = simultaneous(members[:1] * 2, LEVEL, DRAWS)
    together = simultaneous(members, LEVEL, DRAWS)
    assert twice.below == alone.below
    assert together.below < alone.below <= LEVEL
    assert together.below > LEVEL / len(members) / 2  # not much worse than Bonferroni
    assert together.estimates[0].low < alone.estimates[0].low


def test_two_sided_limits_spend_the_level_on_both_sides_together():
    base, random = np.full(60, 2.0), np.random.default_rng(2)
    one, other = random.binomial(2, 0.8, (2, 60)).astype(float)
    members = [difference(one, other, base)]
    sided, both = (simultaneous(members, LEVEL, DRAWS, two_sided=two) for two in (False, True))
    assert both.below == both.above <= LEVEL / 2 < sided.below


def test_a_judge_identical_to_the_reference_gets_the_exact_bound_of_no_question_in_so_many():
    hits, base = np.tile([2.0, 1.0], 32), np.full(64, 2.0)
    (found,) = simultaneous([difference(hits, hits.copy(), base)], LEVEL, DRAWS).estimates
    bound = 1 - LEVEL ** (1 / 64)
    assert (found.value, found.low, found.high) == pytest.approx((0, -bound, bound))
    assert "0 of 64 questions differ" in found.method


def test_a_perfect_judge_has_a_lower_limit_of_kappa_above_zero():
    _, person = graded(60, 1)
    family = simultaneous([kappa(tables(person, person, 60), SCALE)], LEVEL, DRAWS)
    (found,) = family.estimates
    assert (found.value, found.high) == (1, 1)
    assert 0 < found.low < 1 and found.why_none is None


def test_the_exact_bound_of_kappa_is_that_of_the_worst_disagreement():
    person = np.array([0, 3] * 30)
    (found,) = simultaneous([kappa(tables(person, person, 60), SCALE)], LEVEL, DRAWS).estimates
    moved = 1 - LEVEL ** (1 / 60)
    table = np.diag([(1 - moved) / 2, 0, 0, (1 - moved) / 2])
    table[0, 3] += moved
    assert found.low == pytest.approx(float(coefficients.cohen_kappa(table, SCALE, "quadratic")))


def test_more_questions_lost_lower_the_limit_also_where_the_exact_bound_ends():
    base, other = np.full(60, 1.0), np.ones(60)
    lows = []
    for worse in range(9):
        one = np.ones(60)
        one[:worse] = 0
        family = simultaneous([difference(one, other, base)], LEVEL, DRAWS)
        lows.append(family.estimates[0].low)
    assert all(later < earlier + 0.01 for earlier, later in pairwise(lows))


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (share(np.zeros(0), np.zeros(0), 0), "nothing to compare"),
        (share(np.ones(9), np.ones(9), 9), "under 10 questions"),
        (kappa(tables(np.full(40, 3), np.full(40, 3), 40), SCALE), "no variation"),
    ],
)
def test_what_has_no_limits_says_why_and_leaves_the_others_theirs(member, said):
    regular = share(*exact(*graded(40, 0.8), 40), 80)
    family = simultaneous([member, regular], LEVEL, DRAWS)
    alone = simultaneous([regular], LEVEL, DRAWS)
    assert family.estimates[0].low is None and said in message_of(family.estimates[0].why_none)
    assert family.estimates[1] == alone.estimates[0]


def test_a_figure_that_many_resamples_leave_undefined_has_no_interval():
    person = np.array([3] * 58 + [0, 0])
    family = simultaneous([kappa(tables(person, person, 30), SCALE)], LEVEL, DRAWS)
    assert family.estimates[0].low is None and "resamples" in message_of(
        family.estimates[0].why_none
    )


def test_no_global_state_and_the_same_seed_gives_the_same_limits():
    members = [share(*exact(*graded(40, 0.8), 40), 80)]
    assert simultaneous(members, LEVEL, Draws(500)) == simultaneous(members, LEVEL, Draws(500))


@pytest.mark.parametrize(
    ("hits", "of", "error", "bound"),
    [(0, 29, 0.05, 0.098145), (6, 120, 0.1, 0.086113), (3, 60, 0.1, 0.107965), (5, 5, 0.1, 1)],
)
def test_the_exact_bound_is_clopper_and_pearsons(hits, of, error, bound):
    assert at_most(hits, of, error) == pytest.approx(bound, abs=1e-6)


def test_limits_of_four_judges_hold_together_as_often_as_they_promise():
    """150 sheets of 45 questions: .982 is promised, and chance alone takes two points off."""
    chance, held = 0.8, 0
    base, draws = np.full(45, 2.0), Draws(resamples=500)
    for seed in range(150):
        random = np.random.default_rng(seed)
        right = random.random((5, 45, 1)) < chance
        mixed = random.random((5, 45, 2)) < 0.5
        hits = np.where(mixed, right, random.random((5, 45, 2)) < chance).sum(axis=2).astype(float)
        members = [difference(one, hits[0].copy(), base) for one in hits[1:]]
        family = simultaneous(members, LEVEL, draws)
        held += all(one.low <= 0 for one in family.estimates)
    assert held / 150 >= 0.96


def test_near_one_a_share_has_the_exact_upper_limit_of_its_few_misses():
    """Two of 180 answers miss, in questions of their own, so that effective n is all 180."""
    hits = np.full(90, 2.0)
    hits[[3, 40]] = 1
    family = simultaneous([share(hits, np.full(90, 2.0), 180)], LEVEL, DRAWS)
    (found,) = family.estimates
    exact_limit = 1 - stats.beta.ppf(family.above, 2, 179)
    assert found.high == pytest.approx(exact_limit, abs=1e-9)
    assert found.high > wilson(178 / 180, 180, stats.t.isf(family.above, 89))[1]
    assert found.low == pytest.approx(wilson(178 / 180, 180, stats.t.isf(family.below, 89))[0])
