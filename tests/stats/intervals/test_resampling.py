import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.messages import message_of
from concord.stats.agreement import coefficients
from concord.stats.core.clustered import share_of
from concord.stats.core.estimate import with_interval
from concord.stats.intervals.resampling import (
    FISHER,
    PLAIN,
    ROOT,
    Draws,
    jackknife,
    leave_out,
    p_value,
)
from concord.stats.intervals.wilson import proportion, wilson

CLUSTERED = np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]], float)
Z = 1.959963984540054
SCALE = (0, 1, 2, 3)


def mean(sums):
    return sums[..., 0] / sums[..., 1]


def rows_of(values):
    return np.stack([np.asarray(values, float), np.ones(len(values))], axis=-1)


@pytest.mark.parametrize(
    ("share", "size", "expected"),
    [
        (8 / 12, 12, (0.390622, 0.861880)),
        (1, 30, (0.886487, 1)),
        (0, 20, (0, 0.161125)),
    ],
)
def test_wilson_equals_published_values(share, size, expected):
    assert wilson(share, size, Z) == pytest.approx(expected, abs=1e-6)


def test_the_bootstrap_spreads_as_all_possible_resamples_do():
    totals = Draws(resamples=20_000).totals(CLUSTERED.sum(axis=1))
    assert (totals / 12).std() == pytest.approx(0.18162078891419473, abs=0.003)


def test_the_design_effect_is_held_between_one_and_the_answers_per_question():
    base = np.full(12, 3.0)
    assert share_of(np.tile([3.0, 0.0], 6), base)[1] == pytest.approx(11)
    assert share_of(np.tile([2.0, 1.0], 6), base)[1] == pytest.approx(36)
    assert share_of(base, base)[1] == 12


def test_a_share_on_which_all_questions_agree_counts_questions_not_answers():
    base = np.full(12, 3.0)
    found = proportion(base, base)
    assert found.value == found.high == 1
    assert found.low == pytest.approx(12 / (12 + 2.200985160082949**2), abs=1e-9)
    assert found.method == "Wilson at effective n 12.0 of 36.0, t(11)"


def test_with_few_misses_the_upper_limit_is_the_exact_one_and_with_few_hits_the_lower():
    hits, base = np.array([0.0] * 2 + [1.0] * 38), np.ones(40)
    mostly, hardly = proportion(hits, base), proportion(base - hits, base)
    low, high = wilson(0.95, 39, 2.022690920036762)
    assert mostly.high == pytest.approx(0.9941289, abs=1e-6) and mostly.high > high
    assert mostly.low == pytest.approx(low)
    assert (hardly.low, hardly.high) == pytest.approx((1 - mostly.high, 1 - mostly.low))


def test_with_more_misses_it_is_wilsons_again():
    hits, base = np.array([0.0] * 5 + [1.0] * 15), np.ones(20)
    found = proportion(hits, base)
    assert (found.low, found.high) == pytest.approx(wilson(0.75, 19, 2.093024054408263))


@pytest.mark.parametrize("questions", [1, 9])
def test_below_ten_questions_a_share_has_no_interval(questions):
    found = proportion(np.ones(questions), np.full(questions, 2.0))
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert "fewer than 10 questions" in message_of(found.why_none)


def test_a_share_of_nothing_is_undefined():
    assert (
        message_of(proportion(np.zeros(12), np.zeros(12)).why_none) == "there is nothing to count"
    )


def test_the_jackknife_of_a_mean_is_students_interval():
    values = np.arange(12.0)
    found = jackknife(leave_out(rows_of(values), 1), mean)
    half = 2.200985160082949 * values.std(ddof=1) / np.sqrt(12)
    assert (found.low, found.high) == pytest.approx((5.5 - half, 5.5 + half))
    assert found.method == "question jackknife, t(11), approximate"


def test_from_twenty_questions_on_it_is_no_longer_called_approximate():
    found = jackknife(leave_out(rows_of(np.arange(20.0)), 1), mean, ROOT)
    assert found.method == "question jackknife, t(19) on square root"


@pytest.mark.parametrize(
    ("values", "degrees"),
    [
        ([0.1, -0.1] * 6, 11),  # all alike: 1.5 * 12, held at 11
        ([0.0] * 11 + [0.9], 2),  # one carries it: 1.5 * 132^2 / 14652 = 1.8, held at 2
        ([0.0] * 8 + [0.1, 0.1, -0.1, -0.1], 6),  # four carry it
    ],
)
def test_on_fishers_z_the_degrees_are_those_of_the_questions_that_carry_the_error(values, degrees):
    found = jackknife(leave_out(rows_of(values), 1), mean, FISHER)
    assert found.method == f"question jackknife, t({degrees}) on Fisher's z, approximate"
    plain = jackknife(leave_out(rows_of(values), 1), mean, PLAIN)
    assert plain.method == "question jackknife, t(11), approximate"


@pytest.mark.parametrize("stretch", [PLAIN, FISHER, ROOT])
def test_p_is_five_percent_at_the_limits_and_one_at_the_figure(stretch):
    left_out = leave_out(rows_of(np.arange(12.0) / 16), 1)
    found = jackknife(left_out, mean, stretch)
    for null, p in ((found.low, 0.05), (found.high, 0.05), (found.value, 1)):
        assert p_value(left_out, mean, stretch, null) == pytest.approx(p)


def test_without_an_interval_there_is_no_p():
    for values in ([0.5] * 12, np.arange(9.0), [float("nan")] * 12):
        assert p_value(leave_out(rows_of(values), 1), mean, PLAIN, 0) is None


def test_limits_do_not_leave_the_scale():
    found = jackknife(leave_out(rows_of([3.0] * 11 + [0.0]), 1), mean, bounds=(0, 3))
    assert found.high == 3


def test_below_ten_questions_there_is_a_figure_without_interval():
    found = jackknife(leave_out(rows_of(np.arange(9.0)), 1), mean)
    assert (found.value, found.low) == (4, None)
    assert "fewer than 10 questions" in message_of(found.why_none)


def test_questions_that_do_not_differ_cannot_show_an_error():
    for stretch, value in ((PLAIN, 2.0), (FISHER, 1.0), (ROOT, 0.0)):
        found = jackknife(leave_out(rows_of([value] * 15), 1), mean, stretch)
        assert (found.value, found.low, found.high) == (value, None, None)
        assert "no variation" in message_of(found.why_none)


def test_one_question_that_everything_hangs_on_withholds_the_interval():
    tables = np.zeros((12, 4, 4))
    tables[:, 3, 3] = 3
    tables[0, 3, 3], tables[0, 0, 0] = 2, 1
    found = jackknife(leave_out(tables), lambda t: coefficients.cohen_kappa(t, SCALE), FISHER)
    assert (found.value, found.low) == (1, None)
    assert "when one of the questions is left out" in message_of(found.why_none)


def test_an_undefined_figure_names_its_reason_and_is_never_nan():
    tables = np.zeros((12, 4, 4))
    tables[:, 3, 3] = 1
    found = jackknife(leave_out(tables), lambda t: coefficients.cohen_kappa(t, SCALE), FISHER)
    assert found[:3] == (None, None, None)
    assert message_of(found.why_none).startswith("no variation")


@given(st.permutations(range(24)))
@settings(max_examples=20)
def test_the_order_in_which_questions_are_listed_changes_nothing(order):
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 3, (24, 4, 4)) / 3

    def kappa(tables):
        return coefficients.cohen_kappa(tables, SCALE, "quadratic")

    one, other = (jackknife(leave_out(rows), kappa, FISHER) for rows in (cells, cells[list(order)]))
    assert one[:3] == pytest.approx(other[:3], abs=1e-12)


def test_questions_that_are_alike_count_as_often_as_they_occur():
    cells = np.random.default_rng(4).integers(0, 2, (6, 4, 4)).astype(float)
    left_out = leave_out(np.concatenate([cells] * 5))
    sizes = cells.sum(axis=(1, 2))
    assert (len(left_out.deleted), left_out.times.sum()) == (6, 30)
    assert left_out.questions == pytest.approx(5 * sizes.sum() ** 2 / (sizes**2).sum())
    values = np.repeat([1.0, 4.0], [20, 10])
    found = jackknife(leave_out(rows_of(values), 1), mean)
    assert found.high - found.low == pytest.approx(
        2 * 2.045229642132703 * values.std(ddof=1) / np.sqrt(30)
    )


def test_draws_repeat_with_the_seed_and_leave_global_randomness_alone():
    before = np.random.get_state()[1].copy()
    one, other = Draws(resamples=30, seed=5), Draws(resamples=30, seed=5)
    assert (one.counts(11) == other.counts(11)).all()
    assert (one.counts(11).sum(axis=1) == 11).all()
    assert (one.counts(11) != Draws(resamples=30, seed=6).counts(11)).any()
    assert one.counts(11) is one.counts(11)
    assert (np.random.get_state()[1] == before).all()


def test_totals_of_many_columns_are_those_of_each():
    draws = Draws(resamples=40)
    rows = np.random.default_rng(0).random((15, 3, 2))
    together = draws.totals(rows)
    assert together.shape == (40, 3, 2)
    assert together[:, 1] == pytest.approx(draws.totals(rows[:, 1]))
    assert together[7] == pytest.approx(np.tensordot(draws.counts(15)[7], rows, axes=1))


def test_an_estimate_is_finite_or_not_at_all():
    with pytest.raises(ValueError, match="finite"):
        with_interval(1.0, float("nan"), 2.0, "by hand")


def _sheets(count, questions, rng):
    """Answers, three to a question, that a judge gets right 80 times in 100, alike within one."""
    easy = rng.beta(0.8 * 3, 0.2 * 3, (count, questions, 1))
    return (rng.random((count, questions, 3)) < easy).sum(axis=-1).astype(float)


@pytest.mark.parametrize("questions", [12, 45])
def test_wilson_at_the_effective_n_covers_what_it_promises(questions):
    rng = np.random.default_rng(questions)
    base = np.full(questions, 3.0)
    found = [proportion(hits, base) for hits in _sheets(400, questions, rng)]
    assert np.mean([one.low <= 0.8 <= one.high for one in found]) >= 0.925


@pytest.mark.parametrize("questions", [12, 45])
def test_the_jackknife_covers_what_it_promises(questions):
    rng = np.random.default_rng(questions)
    sheets = _sheets(400, questions, rng)
    found = [jackknife(leave_out(rows_of(hits / 3), 1), mean) for hits in sheets]
    assert np.mean([one.low <= 0.8 <= one.high for one in found]) >= 0.92
