"""The heartbeat's test by hand, and by simulation: how often it errs and what it notices."""

import numpy as np
import pytest

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
