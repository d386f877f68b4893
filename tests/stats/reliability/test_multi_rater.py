import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.stats.agreement import coefficients
from concord.stats.core.estimate import TOO_FEW
from concord.stats.reliability.multi_rater import NOTHING_SHARED, gwet_ac2, krippendorff_alpha

NAN = float("nan")
SCALE = (0, 1, 2, 3)
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
PANEL = st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 3, NAN])] * 3), min_size=2, max_size=20).map(
    lambda rows: np.array(rows, float).T
)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("ordinal", 0.8153875037548814),
        ("interval", 0.8491071428571428),
    ],
)
def test_krippendorffs_own_example_with_missing_scores(metric, expected):
    found = krippendorff_alpha(PUBLISHED, range(1, 6), metric)
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert found.low < found.value < found.high


def test_gwets_coefficient_with_missing_scores():
    found = gwet_ac2(PUBLISHED, range(1, 6))
    assert found.value == pytest.approx(0.9140007235516047, abs=1e-9)
    assert found.low < found.value < found.high


@given(PANEL, st.permutations(range(3)))
@settings(max_examples=60)
def test_nobody_cares_who_is_named_first_or_which_answer(panel, order):
    for figure in (krippendorff_alpha, gwet_ac2):
        value = figure(panel, SCALE).value
        for other in (panel[list(order)], panel[:, ::-1]):
            expected = None if value is None else pytest.approx(value, abs=1e-9)
            assert figure(other, SCALE).value == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=25))
@settings(max_examples=60)
def test_two_graders_give_what_their_table_gives(pairs):
    scores, table = np.array(pairs, float).T, np.zeros((4, 4))
    np.add.at(table, tuple(np.array(pairs).T), 1)
    for metric in ("ordinal", "interval"):
        found = krippendorff_alpha(scores, SCALE, metric).value
        expected = float(coefficients.krippendorff_alpha(table, SCALE, metric))
        assert expected == pytest.approx(NAN if found is None else found, abs=1e-9, nan_ok=True)
    found = gwet_ac2(scores, SCALE).value
    expected = float(coefficients.gwet_ac2(table, SCALE))
    assert expected == pytest.approx(NAN if found is None else found, abs=1e-9, nan_ok=True)


@given(PANEL, st.integers(-4, 4), st.integers(1, 3))
@settings(max_examples=40)
def test_interval_alpha_does_not_mind_another_zero_or_unit(panel, shift, unit):
    moved = tuple(score * unit + shift for score in SCALE)
    before = krippendorff_alpha(panel, SCALE, "interval").value
    after = krippendorff_alpha(panel * unit + shift, moved, "interval").value
    assert after == (None if before is None else pytest.approx(before, abs=1e-9))


def test_answers_to_one_question_are_left_out_together():
    questions = np.arange(12) // 2
    found = krippendorff_alpha(PUBLISHED, range(1, 6), cluster=questions)
    assert found.value == pytest.approx(0.8153875037548814)
    assert (found.low, found.why_none) == (None, TOO_FEW)


@pytest.mark.parametrize("figure", [krippendorff_alpha, gwet_ac2])
def test_without_two_scores_of_one_answer_there_is_no_reliability(figure):
    for panel in ([[1.0, NAN], [NAN, 2.0]], [[2.0, 2.0], [2.0, 2.0]], [[NAN], [NAN]]):
        found = figure(np.array(panel), SCALE)
        assert (found.value, found.why_none) == (
            None,
            NOTHING_SHARED,
        )
