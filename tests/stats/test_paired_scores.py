import numpy as np
import pytest

from concord.messages import message_of
from concord.stats.agreement.coefficients import tau_b
from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs
from concord.stats.statistics import (
    TOO_FEW_PAIRS,
    composite_figures,
    figures,
    within_points,
)

SCALE = (0, 1, 2, 3)
PERSON = np.array([0, 1, 2, 3, 3, 2, 1, 0, 3, 3, 2, 1])
JUDGE = np.array([0, 1, 3, 3, 2, 2, 1, 1, 3, 3, 1, 1])


def pairs(person, judge, times=1, weight=1.0):
    """The same pairs `times` over, two answers to a question."""
    person, judge = np.tile(person, times), np.tile(judge, times)
    item = np.arange(len(person))
    return Pairs(judge, person, np.full(len(item), weight), item, item // 2)


def table(person, judge, scale=SCALE):
    counts = np.zeros((len(scale), len(scale)))
    np.add.at(counts, (person, judge), 1)
    return counts


def test_under_thirty_answers_there_is_no_chance_corrected_figure():
    found = figures(pairs(PERSON, JUDGE), SCALE, ())
    assert found["qwk"].why_none == found["ac2"].why_none == TOO_FEW_PAIRS
    assert found["tau_b"].value is not None


@pytest.mark.parametrize(("answers", "why"), [(29, TOO_FEW_PAIRS), (30, None)])
def test_the_minimum_counts_answers_however_many_annotators_graded_each(answers, why):
    item = np.repeat(np.arange(answers), 5)
    score, cluster = np.arange(5 * answers) % 7 % 4, np.arange(answers)
    between = annotators_pairs(item, score, cluster)
    judged = judge_pairs(cluster, cluster % 4, item, score, cluster)
    assert figures(between, SCALE, (), True)["qwk"].why_none == why
    assert figures(judged, SCALE, ())["qwk"].why_none == why
    assert composite_figures(between, True)["ccc"].why_none == why


def test_a_judge_that_gives_one_score_has_no_correlation_and_says_why():
    found = figures(pairs(PERSON, np.full(12, 3), times=3), SCALE, ())
    assert found["tau_b"].value is None
    assert "no variation" in message_of(found["tau_b"].why_none)


def test_composites_are_ranked_by_their_exact_values():
    tenths = pairs(PERSON / 10, JUDGE / 10, times=3)
    found = composite_figures(tenths, names=("tau_b", "ac2"), denominator=10)
    assert found["tau_b"].value == pytest.approx(tau_b(table(PERSON, JUDGE)))
    assert found["ac2"].value is None
    assert composite_figures(tenths, names=("tau_b",))["tau_b"].value is None


def test_many_questions_and_values_are_left_out_in_groups_and_it_says_so(monkeypatch):
    monkeypatch.setattr("concord.stats.paired_scores._CELLS", 100)
    random = np.random.default_rng(4)
    person = random.integers(0, 4, 120)
    judge = np.clip(person + random.integers(-1, 2, 120), 0, 3)
    made = pairs(person / 4, judge / 4)
    found = composite_figures(made, names=("tau_b",), denominator=4)["tau_b"]
    assert found.method.endswith("60 questions in 20 groups")
    assert found.value == pytest.approx(tau_b(table(person, judge)))


def test_points_apart_run_from_two_to_below_the_range():
    judge = np.array([3, 2, 1, 3] * 10)
    found = within_points(pairs(np.zeros(40, int), judge), SCALE)
    assert list(found) == [2]
    assert found[2].value == pytest.approx(1 / 2)
    assert found[2].low < 1 / 2 < found[2].high
    assert list(within_points(pairs(PERSON, JUDGE), (0, 1))) == []
    assert list(within_points(pairs(PERSON, JUDGE), tuple(range(6)))) == [2, 3, 4]


def test_nothing_to_compare_is_undefined():
    none = pairs(np.zeros(0, int), np.zeros(0, int))
    for found in (figures(none, SCALE, ()), composite_figures(none), within_points(none, SCALE)):
        assert {one.value for one in found.values()} == {None}
