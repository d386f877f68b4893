"""The tests behind an alert about an annotator, by hand and in simulation."""

import numpy as np
import pytest
from scipy import stats

from benchmarks import annotator_alerts as benchmark
from concord.stats.core.minimums import GOLD_FLOOR, REPEAT_FLOOR
from concord.stats.core.pairs import annotators_pairs, judge_pairs
from concord.stats.reliability import annotator_alerts as rule
from concord.stats.reliability.annotator_alerts import NOT_TESTED, Worse


def pairs(own, others):
    item = np.arange(len(own))
    return judge_pairs(item, np.array(own), item, np.array(others), item)


def test_fewer_right_than_the_others_is_fishers_exact_test():
    found = rule.worse_shares(rule.GOLD, 2, 10, 32, 40)
    table = [[2, 8], [32, 8]]
    assert found[:3] == (10, 0.2, 0.8)
    assert found.p == pytest.approx(stats.fisher_exact(table, "less").pvalue)
    assert rule.worse_shares(rule.GOLD, 2, 10, 0, 0).p is None
    assert rule.worse_shares(rule.GOLD, 0, 0, 3, 4) == Worse(0, None, None, None)


@pytest.mark.parametrize(
    ("figure", "floor"), [(rule.GOLD, GOLD_FLOOR), (rule.REPEATS, REPEAT_FLOOR)]
)
def test_one_missed_of_one_is_no_alert_however_many_the_others_have_right(figure, floor):
    missed = rule.worse_shares(figure, 0, 1, 500, 500)
    assert missed == Worse(1, 0.0, 1.0, None)  # shown, and not tested
    assert rule.alerts({figure: missed}) == []
    assert rule.alerts({figure: rule.worse_shares(figure, 0, floor, 500, 500)}) == [figure]


def test_more_than_one_in_ten_too_fast_is_a_binomial_test():
    expected = stats.binomtest(9, 30, 0.1, "greater").pvalue
    assert rule.too_fast(9, 30).p == pytest.approx(expected)
    assert rule.too_fast(0, 30).p == 1
    assert rule.too_fast(9, 9) == Worse(9, 1.0, 0.1, None)  # below the minimum it is shown alone
    assert rule.too_fast(10, 10).p == pytest.approx(0.1**10)
    assert rule.too_fast(0, 0) == NOT_TESTED


def test_agreement_of_one_needs_enough_shared_with_two_others_who_share_as_many():
    has = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], bool)
    assert rule.enough_shared(has, np.array([20, 10, 30]), 0)
    assert not rule.enough_shared(has, np.array([20, 9, 40]), 0)  # shared
    assert not rule.enough_shared(has, np.array([21, 9, 40]), 0)  # with another than the second
    assert not rule.enough_shared(has, np.array([20, 10, 29]), 0)  # of the others
    assert not rule.enough_shared(has[:2], np.array([90, 90, 90]), 0)


def test_agreement_by_hand_and_one_sided():
    same, half = [n % 4 for n in range(40)], [n % 4 if n % 8 < 4 else 3 - n % 4 for n in range(40)]
    worse = rule.worse_pairs(pairs(half, same), pairs(same[::-1], same[::-1]), rule.EXACT)
    assert (worse.n, worse.own, worse.others) == (40, 0.5, 1.0)
    assert worse.p < 0.001
    better = rule.worse_pairs(pairs(same[::-1], same[::-1]), pairs(half, same), rule.EXACT)
    assert better.p == pytest.approx(1 - worse.p)
    constant = rule.worse_pairs(pairs([3] * 40, same), pairs(same, same), rule.QWK)
    assert constant.own == pytest.approx(0) and constant.others == 1


def test_too_few_shared_answers_are_not_tested_but_shown_unless_for_a_kappa():
    few = rule.worse_pairs(pairs([0] * 29, [3] * 29), pairs([0, 3] * 20, [0, 3] * 20), rule.EXACT)
    assert few == Worse(29, 0.0, 1.0, None)
    kappa = rule.worse_pairs(pairs([0] * 29, [3] * 29), pairs([0, 3] * 20, [0, 3] * 20), rule.QWK)
    assert kappa == Worse(29, None, None, None)
    kappa = rule.worse_pairs(pairs([0, 3] * 20, [0, 3] * 20), pairs([0] * 29, [3] * 29), rule.QWK)
    assert kappa == Worse(40, 1.0, None, None)
    alone = annotators_pairs(np.arange(3), np.zeros(3), np.arange(3))
    assert rule.worse_pairs(alone, alone, rule.EXACT) == Worse(0, None, None, None)


def test_the_level_is_shared_by_the_tests_that_can_be_made_and_small_differences_never_alert():
    found = {"a": Worse(9, 0.2, 0.8, 0.0099), "b": Worse(9, 0.2, 0.8, 0.5), "c": NOT_TESTED}
    assert rule.alerts(found) == ["a"]
    assert rule.alerts(found | {"c": Worse(9, 0.2, 0.8, 0.5)}) == []
    assert rule.alerts({"a": Worse(9999, 0.71, 0.80, 1e-9)}) == []


@pytest.mark.parametrize("design", benchmark.QUESTIONS)
def test_an_honest_campaign_is_silent_and_random_keys_are_found(design):
    random = np.random.default_rng(5)
    honest, weak, *bad = benchmark.cell(random, "70/22/5/3", design, (0.2,) * 5, 4)
    assert honest < 0.05 and weak is None
    assert bad == [1, 1, 1, 1]


@pytest.mark.parametrize("with_known", [True, False])
@pytest.mark.parametrize("design", benchmark.DEALT)
def test_nobody_is_blamed_for_a_partner_who_presses_random_keys(design, with_known):
    random = np.random.default_rng(5)
    pressed, partner, honest = benchmark.beside_random(random, "balanced", design, with_known, 2)
    # Two who share answers with each other alone cannot be told apart by them.
    assert pressed == (0 if design == "one partner" and not with_known else 1)
    assert partner == 0 and honest < 0.05


def test_the_p_is_the_larger_of_all_pairs_and_without_the_worst_partner():
    random = np.random.default_rng(1)
    truth, keys = random.integers(0, 4, (2, 60))
    slips = np.where(np.arange(60) % 6, truth, 3 - truth)
    rest = pairs(truth, np.where(np.arange(60) % 7, truth, 3 - truth))
    others = rule.Shared(rest, np.full(60, -1))
    own = np.where(np.arange(60) < 40, slips, keys)
    partner = np.where(np.arange(60) < 40, 7, 8)  # agrees with 7, not with 8
    mixed = rule.Shared(pairs(own, truth), partner)
    assert rule.worse_pairs(mixed.pairs, rest, rule.EXACT).p < 0.002
    found = rule.with_any(mixed, others, rule.EXACT)
    alone = rule.worse_pairs(mixed.where(partner == 7).pairs, rest, rule.EXACT)
    assert (found.own, found.p) == (rule.worse_pairs(mixed.pairs, rest, rule.EXACT).own, alone.p)
