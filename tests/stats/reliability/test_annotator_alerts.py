"""The pooled test of an annotator: whom it names, when, and whom it does not."""

import numpy as np
import pytest

from benchmarks import annotator_alerts as benchmark
from concord.stats.reliability import annotator_alerts as rule
from concord.stats.reliability.annotator_alerts import Given


def given(scores, when=None, gold=None, again=None, cluster=None):
    """What (annotators, answers, criteria) `scores` say; graded one after the other."""
    scores = np.asarray(scores, float)
    size, answers, criteria = scores.shape
    when = np.tile(np.arange(answers), (size, 1)) if when is None else when
    who, item = np.nonzero(~np.isnan(scores).all(axis=2))
    second = np.full(scores.shape, np.nan) if again is None else again
    known = np.full((answers, criteria), np.nan) if gold is None else np.asarray(gold, float)
    at = np.flatnonzero(~np.isnan(known).all(axis=1))
    none = np.full((len(at), criteria), np.nan)
    return Given(
        np.concatenate([who, np.full(len(at), size)]),
        np.concatenate([item, at]),
        np.concatenate([np.asarray(when, float)[who, item], none[:, 0]]),
        np.concatenate([scores[who, item], known[at]]),
        np.concatenate([second[who, item], none]),
        np.concatenate([np.where(np.isnan(second[who, item, 0]), np.nan, 1e6), none[:, 0]]),
        np.arange(answers) // 2 if cluster is None else cluster,
        size,
        (0, 3),
    )


def honest(random, truth, size, error=0.2):
    off = random.choice([-1, 0, 1], (size, *truth.shape), p=[error / 2, 1 - error, error / 2])
    return np.clip(truth + off, 0, 3).astype(float)


def alerts(whole):
    return {i: test for i, test in enumerate(rule.tests(whole)) if test.code}


@pytest.mark.parametrize("extras", [True, False])
def test_a_random_presser_is_named_by_40_answers(extras):
    random, early, others = np.random.default_rng(1), 0, 0
    for _ in range(8):
        found = alerts(benchmark.campaign(random, "even", "alike", extras, "random"))
        early += 0 in found and found.pop(0).n <= 40
        others += len(found)
    assert early >= 7 and others <= 2  # of 8; they are named in one campaign of twenty


def test_a_drifter_is_named_by_60_answers_with_the_answer_it_began_with():
    random, begun = np.random.default_rng(3), []
    for _ in range(8):
        found = alerts(benchmark.campaign(random, "even", "alike", True, "drifter"))
        if 0 in found and found[0].n <= 60:
            assert found[0].code == rule.DRIFT and 0.25 < found[0].drift < 1
            begun.append(found[0].since)
    assert len(begun) >= 6 and 11 <= np.median(begun) <= 22  # from the sixteenth on


def test_a_shift_of_every_score_is_noted_with_its_size_and_no_alert():
    whole = benchmark.campaign(np.random.default_rng(4), "even", "alike", True, "shifted")
    assert 0 not in alerts(whole)
    shifts = rule.shifts(whole)
    assert [rule.noted(*one) for one in shifts] == [True, False, False, False, False]
    n, shift = shifts[0]
    # One point too low, but for the quarter of the answers that are at the end of the scale.
    assert n == 92 and shift.low < -0.75 < shift.high < -0.5


@pytest.mark.parametrize("people", ["alike", "differ"])
def test_honest_annotators_are_hardly_ever_named(people):
    random = np.random.default_rng(5)
    named = sum(
        bool(alerts(benchmark.campaign(random, "even", people, True, None))) for _ in range(12)
    )
    assert named <= 1


def test_looking_again_changes_nothing_about_the_answers_that_were_tested():
    whole = benchmark.campaign(np.random.default_rng(6), "even", "alike", True, "random")
    at_once = rule.tests(whole)
    earlier = rule.tests(whole.where(~(whole.when >= 45)))
    assert at_once[0] == earlier[0] and at_once[0].n in (20, 30, 40)
    assert at_once == rule.tests(whole)


def test_the_partners_of_a_random_presser_are_told_from_them_by_their_other_partners():
    random = np.random.default_rng(7)
    truth = random.integers(0, 4, (160, 3))
    scores = honest(random, truth, 4)
    scores[0] = random.integers(0, 4, (160, 3))
    shares = np.zeros((4, 160), bool)  # four answers in five of annotator 1 are with 0
    for pair, at in (((0, 1), range(64)), ((0, 2), range(64, 80)), ((1, 2), range(80, 96))):
        shares[list(pair), at.start : at.stop] = True
    shares[2:, 96:] = True
    scores[~shares] = np.nan
    untimed = np.full((4, 160), np.nan)
    assert [*alerts(given(scores, untimed))] == [0]
    scores[:, 64:96] = np.nan  # of whom 0 and 1 share answers with each other alone
    tests = rule.tests(given(scores, untimed))
    assert [test.random_share for test in tests[:2]] == [None, None]
    assert [test.p for test in tests[:2]] == [None, None]
    gold = np.where(np.arange(160)[:, None] < 12, truth, np.nan)  # which tell them apart again
    assert [*alerts(given(scores, untimed, gold))] == [0]


def test_two_annotators_are_told_apart_by_gold_items_or_repeats_alone():
    random = np.random.default_rng(8)
    truth = random.integers(0, 4, (60, 2))
    scores = honest(random, truth, 2)
    scores[1] = random.integers(0, 4, (60, 2))
    assert [test.p for test in rule.tests(given(scores))] == [None, None]
    gold = np.where(np.arange(60)[:, None] % 4 == 0, truth, np.nan)
    assert [*alerts(given(scores, gold=gold))] == [1]
    again = np.full(scores.shape, np.nan)
    again[0, ::4] = scores[0, ::4]
    again[1, ::4] = random.integers(0, 4, (15, 2))
    untimed = np.full((2, 60), np.nan)
    assert [*alerts(given(scores, untimed, again=again))] == [1]


def test_one_score_for_every_answer_is_as_if_all_were_random():
    random = np.random.default_rng(9)
    scores = honest(random, random.integers(0, 4, (80, 3)), 4)
    scores[2] = 3
    found = alerts(given(scores))
    assert [*found] == [2] and found[2].code == rule.RANDOM
    assert found[2].random_share == pytest.approx(1, abs=0.15)


def test_below_20_answers_nothing_is_tested():
    random = np.random.default_rng(10)
    scores = honest(random, random.integers(0, 4, (19, 3)), 3)
    scores[0] = random.integers(0, 4, (19, 3))
    assert {test.p for test in rule.tests(given(scores))} == {None}
    assert not rule.noted(*rule.shifts(given(scores - 1 * (np.arange(3) == 0)[:, None, None]))[0])


def test_the_limit_is_shared_by_the_annotators_and_largest_at_60_answers():
    random = np.random.default_rng(11)
    scores = honest(random, random.integers(0, 4, (130, 1)), 4)
    for answers, stage, limit in (
        (130, 120, 0.07 / 32),
        (70, 60, 0.07 / 4),
        (35, 30, 0.07 / 32),
    ):
        found = rule.tests(given(scores[:, :answers]))
        assert [one.n for one in found] == [stage] * 4
        assert [one.limit for one in found] == pytest.approx([limit] * 4)


def test_parts_by_hand():
    scores = [[[3], [2], [1]], [[3], [1], [np.nan]], [[2], [1], [1]]]
    again = np.full((3, 3, 1), np.nan)
    again[0, :2] = [[3], [0]]
    rows = rule.parts(given(scores, gold=[[3], [np.nan], [np.nan]], again=again))
    assert [tuple(one) for one in rows[0]] == [
        # With 1 and 2: 3-3, 3-2, 2-1, 2-1, 1-1; they with one another: 3-2, 1-1.
        ("agreement", 3, 2 / 5, 1 / 2),
        ("gold", 1, 1.0, 1 / 2),
        ("repeats", 2, 1 / 2, None),
    ]


def test_shifts_by_hand_are_of_the_annotator_and_not_of_the_partner():
    """Annotator 0 is one point below 1, who is one above 2: so 1 alone is off."""
    truth = np.tile([1, 2], 20)[:, None]
    scores = np.stack([truth, truth + 1, truth]).astype(float)
    scores[0, :10] = scores[2, 10:] = np.nan  # 0 and 2 share no answer
    values = [shift.value for _, shift in rule.shifts(given(scores))]
    assert values == pytest.approx([-0.5, 1, -0.5])
    alone = rule.shifts(given(scores[:1]))
    assert alone[0][1].value is None and alone[0][1].why_none.code == "no_answer_graded_twice"
    few = rule.shifts(given(scores, cluster=np.arange(40) // 8))[1][1]
    assert few.value == pytest.approx(1) and few.low is None
