import numpy as np
import pytest

from concord.messages import message_of
from concord.stats.agreement.coefficients import krippendorff_alpha, spearman, tau_b
from concord.stats.agreement.icc import icc
from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs
from concord.stats.statistics import (
    FURTHER,
    FURTHER_OF_COMPOSITES,
    TOO_FEW_PAIRS,
    composite_figures,
    figures,
    within_points,
)

SCALE = (0, 1, 2, 3)
PERSON = np.array([0, 1, 2, 3, 3, 2, 1, 0, 3, 3, 2, 1])
JUDGE = np.array([0, 1, 3, 3, 2, 2, 1, 1, 3, 3, 1, 1])


def further(pairs, scale, between_annotators=False):
    return figures(pairs, scale, (), between_annotators, FURTHER)


def composite_further(pairs, denominator):
    names = {*FURTHER, *FURTHER_OF_COMPOSITES}
    return composite_figures(pairs, names=names, denominator=denominator)


def pairs(person, judge, times=1, weight=1.0):
    """The same pairs `times` over, two answers to a question."""
    person, judge = np.tile(person, times), np.tile(judge, times)
    item = np.arange(len(person))
    return Pairs(judge, person, np.full(len(item), weight), item, item // 2)


def table(person, judge, scale=SCALE):
    counts = np.zeros((len(scale), len(scale)))
    np.add.at(counts, (person, judge), 1)
    return counts


def test_the_further_figures_are_the_published_ones():
    found = further(pairs(PERSON, JUDGE, times=3), SCALE)
    assert tuple(found) == FURTHER
    expected = {
        "ac1": 0.561644,
        "spearman": 0.858464,
        "pearson": 0.851485,
        "rmse": 0.577350,
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=1e-6)
        assert found[name].low < value < found[name].high


def test_alpha_counts_scores_so_it_is_checked_on_the_table_itself():
    counts = table(PERSON, JUDGE)
    assert krippendorff_alpha(counts, SCALE, "nominal") == pytest.approx(0.555556, abs=1e-6)
    assert krippendorff_alpha(counts, SCALE, "interval") == pytest.approx(0.855346, abs=1e-6)


def test_icc_of_weighted_pairs_is_that_of_the_answers():
    once = pairs(PERSON, JUDGE, times=3)
    expected = icc(np.stack([once.annotator, once.judge], axis=1), once.cluster).single
    assert further(once, SCALE)["icc"] == expected
    halves = Pairs(*(np.repeat(column, 2) for column in once))
    halves = halves._replace(weight=np.full(len(halves.item), 0.5))
    assert further(halves, SCALE)["icc"].value == pytest.approx(expected.value)
    assert further(halves, SCALE)["icc"].low == pytest.approx(expected.low)


def test_under_thirty_answers_there_is_no_chance_corrected_figure():
    found = further(pairs(PERSON, JUDGE), SCALE)
    assert found["icc"].why_none == found["ac1"].why_none == TOO_FEW_PAIRS
    assert found["spearman"].value is not None


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
    found = further(pairs(PERSON, np.full(12, 3), times=3), SCALE)
    assert found["spearman"].value is None
    assert "no variation" in message_of(found["spearman"].why_none)


def test_composites_are_ranked_by_their_exact_values():
    tenths = pairs(PERSON / 10, JUDGE / 10, times=3)
    found = composite_further(tenths, denominator=10)
    counts = table(PERSON, JUDGE)
    assert found["spearman"].value == pytest.approx(spearman(counts))
    assert found["tau_b"].value == pytest.approx(tau_b(counts))
    assert found["rmse"].value == pytest.approx(0.0577350, abs=1e-6)
    assert found["ac1"].value is None
    assert set(found) == {*FURTHER, *FURTHER_OF_COMPOSITES}


def test_many_questions_and_values_are_left_out_in_groups_and_it_says_so(monkeypatch):
    monkeypatch.setattr("concord.stats.paired_scores._CELLS", 100)
    random = np.random.default_rng(4)
    person = random.integers(0, 4, 120)
    judge = np.clip(person + random.integers(-1, 2, 120), 0, 3)
    made = pairs(person / 4, judge / 4)
    found = composite_further(made, denominator=4)["spearman"]
    assert found.method.endswith("60 questions in 20 groups")
    whole = spearman(table(person, judge))
    assert found.value == pytest.approx(whole)


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
    for found in (further(none, SCALE), composite_further(none, 5), within_points(none, SCALE)):
        assert {one.value for one in found.values()} == {None}
