"""The heartbeat's test by hand, and by simulation: how often it errs and what it notices."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from concord.messages import message_of
from concord.stats.comparison import paired_tests as module
from concord.stats.comparison.paired_tests import Discordant, mcnemar, question_sums, sign_flip
from concord.stats.comparison.recheck import (
    CANNOT_TELL,
    DOUBT_AT,
    LIFE_ERROR,
    NO_SCORE,
    RENEWED,
    VOID,
    VOID_AT_MOST,
    heartbeat,
    noticeable,
    verdict,
    void_at,
)

QUESTIONS, CRITERIA, ROUNDS = 30, 3, 250
CLUSTER = np.repeat(np.arange(QUESTIONS), CRITERIA)


def rows(*values):
    return np.array(values, float)


def replies(random, base, noise, times):
    """A judge whose every score is another one in a share `noise` of its replies."""
    flipped = random.random((len(base), times)) < noise[:, None]
    return np.where(flipped, (base[:, None] + 1) % 4, base[:, None])


@pytest.mark.parametrize("questions", [1, 2, 3])
def test_every_question_that_changed_as_a_whole_divides_p_by_three(questions):
    # Of the six ways to part (0, 0, 1, 1) in two and two, two have all four pairs differ.
    found = heartbeat(
        rows([0, 0]).repeat(questions, 0), rows([1, 1]).repeat(questions, 0), range_(questions)
    )
    assert found.p_value == pytest.approx(3.0**-questions)
    assert (found.scores, found.questions, found.expected, found.seen) == (
        questions,
        questions,
        0,
        questions,
    )


def range_(questions):
    return np.arange(questions)


def test_two_scores_of_one_reply_change_places_together():
    then, now = rows([0, 0], [3, 3]), rows([1, 1], [2, 2])
    assert heartbeat(then, now, np.array([0, 0])).p_value == pytest.approx(1 / 3)
    assert heartbeat(then, now, np.array([0, 1])).p_value == pytest.approx(1 / 9)


def test_flips_expected_and_seen_are_means_over_pairs_of_replies():
    found = heartbeat(rows([0, 1], [2, 2]), rows([0, 0], [2, 3]), range_(2))
    assert (found.expected, found.seen) == (1.0, 0.5 + 0.5)


def test_the_same_replies_again_are_no_sign_of_change():
    then = rows([0, 0, 0], [1, 1, 1])
    assert heartbeat(then, then, range_(2)).p_value == 1


def test_a_reply_without_a_score_is_a_flip_and_one_that_never_came_is_not_compared():
    lost = heartbeat(rows([2, 2]), rows([NO_SCORE, NO_SCORE]), range_(1))
    assert (lost.seen, lost.p_value) == (1.0, pytest.approx(1 / 3))
    partly = heartbeat(rows([2, 2], [1, 1]), rows([2, np.nan], [np.nan, np.nan]), range_(2))
    assert (partly.scores, partly.seen, partly.p_value) == (1, 0.0, 1.0)


def test_with_one_reply_then_every_question_that_changed_divides_p_by_four():
    then, now = rows([0]).repeat(3, 0), rows([1, 1, 1]).repeat(3, 0)
    assert heartbeat(then, now, range_(3)).p_value == pytest.approx(4.0**-3)


def test_without_a_reply_then_there_is_no_p_value_but_a_reason():
    found = heartbeat(rows([np.nan, np.nan]), rows([1]), range_(1))
    assert found.p_value is None and found.why_none.code == "too_few_replies"


@pytest.mark.parametrize(("then", "now"), [(3, 3), (1, 3), (2, 2)])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.2])
def test_an_unchanged_judge_is_doubted_and_voided_no_more_often_than_said(then, now, share):
    random = np.random.default_rng(7)
    base = random.integers(0, 4, len(CLUSTER))
    noise = share * 2 * random.random(len(CLUSTER))  # some answers are harder than others
    found = [
        heartbeat(
            replies(random, base, noise, then), replies(random, base, noise, now), CLUSTER
        ).p_value
        for _ in range(ROUNDS)
    ]
    # Two standard errors of the simulation above the level.
    for level in (DOUBT_AT, VOID_AT_MOST):
        assert np.mean(np.array(found) <= level) <= level + 2 * np.sqrt(level / ROUNDS)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.15])
def test_a_change_as_large_as_said_is_noticed_four_times_in_five(share):
    random = np.random.default_rng(11)
    base = random.integers(0, 4, len(CLUSTER))
    noise = np.full(len(CLUSTER), share)
    then = replies(random, base, noise, 3)
    smallest = noticeable(np.hstack([then, replies(random, base, noise, 3)]), 3, CLUSTER)
    assert 0.02 <= smallest <= 0.15
    noticed = []
    for _ in range(ROUNDS):
        moved = np.where(random.random(len(base)) < smallest, (base + 2) % 4, base)
        then, now = replies(random, base, noise, 3), replies(random, moved, noise, 3)
        noticed.append(heartbeat(then, now, CLUSTER).p_value <= DOUBT_AT)
    assert np.mean(noticed) >= 0.72


def test_more_replies_notice_smaller_changes_and_pure_noise_notices_none():
    random = np.random.default_rng(3)
    base = random.integers(0, 4, len(CLUSTER))
    came = replies(random, base, np.full(len(CLUSTER), 0.1), 6)
    assert noticeable(came, 3, CLUSTER) < noticeable(came[:, :3], 1, CLUSTER)
    assert noticeable(rows([0, 1, 0], [1, 0, 1]), 1, range_(2)) is None


@pytest.mark.parametrize(
    ("p_value", "smallest", "whole", "said"),
    [
        (0.5, 0.05, True, RENEWED),
        (0.5, 0.05, False, CANNOT_TELL),
        (0.5, 0.2, True, CANNOT_TELL),
        (0.5, None, True, CANNOT_TELL),
        (0.03, 0.05, True, CANNOT_TELL),
        (0.01, 0.05, True, CANNOT_TELL),
        (0.0005, 0.05, True, VOID),
        (0.0005, None, False, VOID),
        (None, 0.05, True, CANNOT_TELL),
    ],
)
def test_the_verdict_needs_a_clear_p_value_all_replies_and_power(p_value, smallest, whole, said):
    assert verdict(p_value, smallest, 0.1, whole, void_at(1, 90)) == said


def test_the_rechecks_of_a_life_share_one_error_and_beyond_them_none_is_void():
    assert sum(void_at(number, 90) for number in range(1, 91)) == pytest.approx(LIFE_ERROR)
    assert void_at(91, 90) is None and void_at(1, 1) == VOID_AT_MOST
    assert verdict(1e-9, 0.05, 0.1, True, None) == CANNOT_TELL


NIGHTS = 90


def test_an_unchanged_judge_asked_every_night_is_ever_void_in_at_most_one_life_of_twenty():
    """At .01 each night 8 of these 15 lives had a void; benchmarks/recheck.py has more of them."""
    random, lives, ever = np.random.default_rng(90), 15, 0
    cluster, noise = np.repeat(np.arange(20), 2), np.full(40, 0.3)
    for _ in range(lives):
        base = random.integers(0, 4, 40)
        then = replies(random, base, noise, 8)
        nights = (replies(random, base, noise, 1) for _ in range(NIGHTS))
        ever += any(heartbeat(then, one, cluster).p_value <= void_at(1, NIGHTS) for one in nights)
    # Two standard errors of the simulation above the level.
    assert ever / lives <= LIFE_ERROR + 2 * np.sqrt(LIFE_ERROR / lives)


def test_a_judge_that_lost_a_tenth_of_its_answers_is_void_the_same_night():
    random, found = np.random.default_rng(5), []
    for _ in range(40):
        base = random.integers(0, 4, len(CLUSTER))
        noise = np.full(len(CLUSTER), 0.05)
        moved = np.where(random.random(len(base)) < 0.1, (base + 2) % 4, base)
        then, now = (replies(random, one, noise, 3) for one in (base, moved))
        found.append(heartbeat(then, now, CLUSTER).p_value <= void_at(1, NIGHTS))
    assert np.mean(found) >= 0.8


SUMS = st.lists(st.integers(-3, 3), min_size=1, max_size=9)


def test_the_published_example_gives_its_p_value():
    found = sign_flip(np.array([3, 1, -1, 2, 0, 2, 1, -1]))
    assert found.p_value == pytest.approx(0.203125, abs=1e-12)
    assert (found.total, found.questions, found.method) == (
        7,
        8,
        "sign flip of question sums, exact",
    )


@given(SUMS)
@settings(max_examples=60)
def test_exact_p_values_equal_going_through_every_flip(sums):
    every = [abs(np.dot(signs, sums)) for signs in product((-1, 1), repeat=len(sums))]
    expected = np.mean(np.array(every) >= abs(sum(sums)))
    assert sign_flip(np.array(sums)).p_value == pytest.approx(expected)


@given(SUMS)
@settings(max_examples=60)
def test_it_is_symmetric_and_blind_to_order_and_scale(sums):
    values = np.array(sums, float)
    p_value = sign_flip(values).p_value
    for other in (-values, values[::-1], values / 3, np.append(values, 0)):
        assert sign_flip(other).p_value == pytest.approx(p_value)


def test_many_questions_with_few_kinds_of_sums_are_still_exact():
    sums = np.repeat([1.0, -1.0], [60, 40])
    found = sign_flip(sums)
    assert found.method.endswith("exact")
    assert found.p_value == pytest.approx(0.056887933640, abs=1e-9)


def test_random_flips_come_close_to_the_exact_p_value_and_repeat(monkeypatch):
    sums = np.repeat([1.0, -1.0, 2.0, -2.0], [30, 20, 9, 8])
    exact = sign_flip(sums)
    monkeypatch.setattr(module, "OUTCOMES_AT_MOST", 0)
    found = sign_flip(sums)
    assert exact.method.endswith("exact") and found.method.endswith("100000 flips, seed 20231")
    assert found.p_value == pytest.approx(exact.p_value, abs=0.005)
    assert found == sign_flip(sums)


def test_sums_that_all_differ_are_flipped_one_by_one(monkeypatch):
    sums = np.array([3.0, 1.1, -1.2, 2.3, 0.4, 2.5, 1.6, -1.7, 0.8])
    exact = sign_flip(sums).p_value
    monkeypatch.setattr(module, "OUTCOMES_AT_MOST", 0)
    monkeypatch.setattr(module, "_BITS_AT_ONCE", 90_000)
    assert sign_flip(sums).p_value == pytest.approx(exact, abs=0.005)


def test_random_flips_never_give_nought():
    sums = np.arange(1.0, 61.0)
    found = sign_flip(sums, flips=1000)
    assert found.p_value == pytest.approx(1 / 1001)


def test_thousands_of_different_sums_are_flipped_at_random():
    found = sign_flip(np.linspace(0.5, 1.5, 2000) * np.tile([1, -1], 1000), flips=200)
    assert found.method.startswith("sign flip of question sums, 200 flips")
    assert found.p_value > 0.5


def test_sums_without_any_difference_give_one():
    assert sign_flip(np.zeros(5)).p_value == 1


def test_no_question_is_undefined_with_its_reason():
    found = sign_flip(np.zeros(0))
    assert (found.p_value, found.questions) == (None, 0)
    assert message_of(found.why_none) == "there is no question to compare on"


def test_differences_are_summed_by_question_with_their_weights():
    difference, cluster = np.array([1, -1, 1, 1]), np.array([7, 2, 7, 2])
    assert question_sums(difference, cluster).tolist() == [0, 2]
    assert question_sums(difference, cluster, np.array([1, 1, 0.5, 0.5])).tolist() == [-0.5, 1.5]
    assert question_sums(np.zeros(0), np.zeros(0, int)).tolist() == []


PUBLISHED = Discordant(12, 5, 100, 100)
COUNTS = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(1, 30)).map(
    lambda three: Discordant(three[0], three[1], sum(three), sum(three))
)


def test_answers_are_counted_from_what_each_judge_got_right():
    first, second = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 1, 0, 0], bool)
    assert Discordant.of(first, second, np.arange(5)) == Discordant(2, 1, 5, 5)
    assert Discordant.of(first, second, np.zeros(5, int)).questions == 1


def test_mcnemar_gives_the_published_p_values():
    found = mcnemar(PUBLISHED)
    assert found.exact == pytest.approx(0.143463134765625, abs=1e-9)
    assert found.mid_p == pytest.approx(0.09625244140624994, abs=1e-9)


@given(COUNTS)
@settings(max_examples=50)
def test_mcnemar_is_symmetric_and_mid_p_is_the_less_cautious(counts):
    swapped = counts._replace(first_only=counts.second_only, second_only=counts.first_only)
    found = mcnemar(counts)
    assert found == mcnemar(swapped)
    if found.exact is not None:
        together = counts.first_only + counts.second_only
        assert found.exact == pytest.approx(binomtest(counts.first_only, together).pvalue)
        assert 0 < found.mid_p <= found.exact <= 1


def test_without_a_discordant_answer_mcnemar_is_undefined():
    assert message_of(mcnemar(Discordant(0, 0, 9, 9)).why_none) == (
        "there is no answer on which only one of the two is right"
    )


@pytest.mark.parametrize(
    ("confidence", "expected"),
    [(0.95, (-0.011863210116, 0.157415606072)), (0.90, (0.002337, 0.142047))],
)
def test_tango_gives_the_published_interval(confidence, expected):
    found = module.difference(PUBLISHED, confidence)
    assert found.value == pytest.approx(0.07)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-6)


@given(COUNTS)
@settings(max_examples=50)
def test_tango_mirrors_and_holds_the_difference(counts):
    swapped = counts._replace(first_only=counts.second_only, second_only=counts.first_only)
    found, mirrored = module.difference(counts, 0.9), module.difference(swapped, 0.9)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-6)
    if -0.999 < found.low < -0.001:
        assert norm.sf(module.score(counts, found.low)) == pytest.approx(0.05, abs=1e-6)


def test_judges_that_never_differ_still_have_an_interval():
    found, squared = module.difference(Discordant(0, 0, 50, 50)), 1.959963984540054**2
    assert (found.low, found.value) == (pytest.approx(-squared / (50 + squared)), 0)


def test_judges_that_always_differ_reach_the_end():
    assert module.difference(Discordant(10, 0, 10, 10)).high == 1


@pytest.mark.parametrize("test", [mcnemar, module.difference])
def test_several_answers_to_a_question_are_refused_with_the_test_to_use(test):
    found = test(Discordant(12, 5, 100, 50))
    assert found[0] is None and "the sign flip of question sums is the test" in message_of(
        found.why_none
    )
