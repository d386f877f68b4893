"""Intervals: hand arithmetic, published values, and how often they hold what they promise."""

import numpy as np
import pytest
from scipy import special
from scipy import stats as scipy_stats
from scipy.stats import binom

from concord.messages import message_of
from concord.stats.agreement import coefficients, rank_correlation
from concord.stats.core.estimate import TOO_FEW, t_quantile, with_interval
from concord.stats.core.tables import share_of
from concord.stats.intervals import bootstrap
from concord.stats.intervals.bootstrap import mean
from concord.stats.intervals.group_sequential import ERROR, level, repeated_p, spent
from concord.stats.intervals.resampling import (
    FISHER,
    PLAIN,
    ROOT,
    Draws,
    jackknife,
    leave_out,
)
from concord.stats.intervals.simultaneous import (
    benjamini_hochberg,
    benjamini_yekutieli,
    difference,
    holm,
    simultaneous,
)
from concord.stats.intervals.wilson import proportion, wilson
from concord.stats.segments import contrast


def test_a_mean_of_zeros_and_ones_has_wilsons_interval():
    values, cluster = np.array([1] * 15 + [0] * 5), np.arange(20)
    found = mean(values, cluster, (0, 1))
    low, high = wilson(0.75, 19, t_quantile(19))
    assert (found.value, found.low, found.high) == pytest.approx((0.75, low, high))
    assert found.method.startswith("Wilson")


def test_a_mean_of_numbers_has_the_jackknife_of_its_questions():
    values = np.linspace(0.1, 0.9, 12)
    found = mean(values, np.arange(12), (0, 1))
    half = t_quantile(11) * values.std(ddof=1) / np.sqrt(12)  # one answer each: the usual error
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half))


def test_two_answers_to_a_question_that_are_alike_say_no_more_than_one():
    values, once = np.linspace(0.1, 0.9, 12), np.arange(12)
    twice = mean(np.repeat(values, 2), np.repeat(once, 2), (0, 1))
    alone = mean(values, once, (0, 1))
    assert (twice.low, twice.high) == pytest.approx((alone.low, alone.high))


def test_nothing_few_questions_and_no_spread_are_said():
    assert mean(np.zeros(0), np.zeros(0), (0, 1)).value is None
    few = mean(np.array([0.2, 0.4]), np.array([0, 1]), (0, 1))
    assert (few.value, few.low) == (pytest.approx(0.3), None)
    flat = mean(np.full(12, 0.5), np.arange(12), (0, 1))
    assert flat.value == 0.5 and flat.low is None and "no variation" in message_of(flat.why_none)


def some(n=60, seed=1):
    random = np.random.default_rng(seed)
    target = random.integers(0, 4, n).astype(float)
    return target + random.normal(0, 1, n), random.normal(0, 1, n), target


def test_spearman_is_scipys_with_ties():
    near, _, target = some()
    found = rank_correlation.spearman(near, target, np.arange(60))
    assert found.value == pytest.approx(scipy_stats.spearmanr(near, target).statistic)
    assert found.low < found.value < found.high


def test_few_answers_and_a_constant_side_have_no_correlation():
    near, _, target = some(29)
    assert (
        rank_correlation.spearman(near, target, np.arange(29)).why_none == rank_correlation.TOO_FEW
    )
    near, _, target = some(30)
    assert (
        rank_correlation.spearman(near, np.ones(30), np.arange(30)).why_none
        == rank_correlation.CONSTANT
    )


def test_the_interval_of_spearman_covers():
    """200 samples of 40 answers with correlation .5: about 95 in 100 intervals hold the truth."""
    random, truth = np.random.default_rng(7), 6 / np.pi * np.arcsin(0.25)
    held = 0
    for _ in range(200):
        pairs = random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 40)
        found = rank_correlation.spearman(pairs[:, 0], pairs[:, 1], np.arange(40))
        held += found.low <= truth <= found.high
    assert 180 <= held <= 199


def test_four_equal_looks_have_the_bounds_of_lan_and_demets():
    """Their Pocock-type function at one-sided .025, as tabled by Jennison and Turnbull."""
    quarters = [0.25, 0.5, 0.75, 1.0]
    bounds = [-special.ndtri(level(quarters[: place + 1], 0.025)) for place in range(4)]
    assert bounds == pytest.approx([2.368, 2.368, 2.358, 2.350], abs=1e-3)


@pytest.mark.parametrize(
    "shares", [(0.25, 0.5, 0.75, 1.0), (20 / 540, 60 / 540, 1 / 3, 1.0), (0.6, 1.0), (0.3, 0.35)]
)
def test_looks_spend_what_their_share_of_the_questions_allows(shares):
    steps = np.sqrt(np.diff((0, *shares)))
    drawn = np.random.default_rng(3).standard_normal((200_000, len(shares))) * steps
    p = special.ndtr(-drawn.cumsum(axis=1) / np.sqrt(shares))
    wrong = np.zeros(len(p), bool)
    for place in range(len(shares)):
        wrong |= repeated_p(p[:, place], shares[: place + 1]) <= ERROR
    assert wrong.mean() == pytest.approx(float(spent(shares[-1])), abs=0.002)


def test_a_look_without_new_questions_has_nothing_to_spend():
    assert level([0.4, 0.4]) == 0
    assert repeated_p(np.array([1e-9, 0.2]), [0.4, 0.4]).tolist() == [1.0, 1.0]
    assert level([1.0, 1.5]) == 0


P_VALUES = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]


@pytest.mark.parametrize(
    ("adjust", "expected"),
    [
        (holm, [0.01, 0.072, *[0.312] * 5, *[0.615] * 3]),
        (benjamini_hochberg, [0.01, 0.04, *[0.084] * 3, 0.1, 0.74 / 7, *[0.216] * 3]),
        (benjamini_yekutieli, [0.0292897, 0.1171587, 0.2460333, 0.2460333, 0.2460333]),
    ],
)
def test_the_published_p_values_are_adjusted_as_published(adjust, expected):
    assert adjust(P_VALUES)[: len(expected)] == pytest.approx(expected, abs=1e-6)
    assert adjust(P_VALUES[::-1])[::-1] == pytest.approx(adjust(P_VALUES))


DRAWS = Draws(resamples=1000)
LEVEL = 0.05


def drawn(seed=2, judges=6):
    """Right answers of judges that are right in 80%, of 2 answers to each of 60 questions."""
    random = np.random.default_rng(seed)
    return random.binomial(2, 0.8, (judges, 60)).astype(float), np.full(60, 2.0)


def test_a_judge_identical_to_the_reference_gets_the_exact_bound_of_no_question_in_so_many():
    hits, base = np.tile([2.0, 1.0], 32), np.full(64, 2.0)
    (found,) = simultaneous([difference(hits, hits, base)], LEVEL, DRAWS).estimates
    bound = 1 - (LEVEL / 2) ** (1 / 64)
    assert (found.value, found.low, found.high) == pytest.approx((0, -bound, bound))
    assert "0 of 64 questions differ" in found.method


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


Z = 1.959963984540054
SCALE = (0, 1, 2, 3)


def mean_of_resampling(sums):
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


def test_the_design_effect_is_held_between_one_and_the_answers_per_question():
    base = np.full(12, 3.0)
    assert share_of(np.tile([3.0, 0.0], 6), base)[1] == pytest.approx(11)
    assert share_of(np.tile([2.0, 1.0], 6), base)[1] == pytest.approx(36)
    assert share_of(base, base)[1] == 12


def test_with_few_misses_the_upper_limit_is_the_exact_one_and_with_few_hits_the_lower():
    hits, base = np.array([0.0] * 2 + [1.0] * 38), np.ones(40)
    mostly, hardly = proportion(hits, base), proportion(base - hits, base)
    low, high = wilson(0.95, 39, 2.022690920036762)
    assert mostly.high == pytest.approx(0.9941289, abs=1e-6) and mostly.high > high
    assert mostly.low == pytest.approx(low)
    assert (hardly.low, hardly.high) == pytest.approx((1 - mostly.high, 1 - mostly.low))


@pytest.mark.parametrize("questions", [1, 9])
def test_below_ten_questions_a_share_has_no_interval(questions):
    found = proportion(np.ones(questions), np.full(questions, 2.0))
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert "fewer than 10 questions" in message_of(found.why_none)


def test_a_share_of_nothing_is_undefined():
    assert proportion(np.zeros(12), np.zeros(12)).why_none.code == "nothing_to_count"


@pytest.mark.parametrize(
    ("values", "degrees"),
    [
        ([0.1, -0.1] * 6, 11),  # all alike: 1.5 * 12, held at 11
        ([0.0] * 11 + [0.9], 2),  # one carries it: 1.5 * 132^2 / 14652 = 1.8, held at 2
        ([0.0] * 8 + [0.1, 0.1, -0.1, -0.1], 6),  # four carry it
    ],
)
def test_on_fishers_z_the_degrees_are_those_of_the_questions_that_carry_the_error(values, degrees):
    found = jackknife(leave_out(rows_of(values), 1), mean_of_resampling, FISHER)
    assert found.method == f"question jackknife, t({degrees}) on Fisher's z, approximate"
    plain = jackknife(leave_out(rows_of(values), 1), mean_of_resampling, PLAIN)
    assert plain.method == "question jackknife, t(11), approximate"


def test_questions_that_do_not_differ_cannot_show_an_error():
    for stretch, value in ((PLAIN, 2.0), (FISHER, 1.0), (ROOT, 0.0)):
        found = jackknife(leave_out(rows_of([value] * 15), 1), mean_of_resampling, stretch)
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
    found = [jackknife(leave_out(rows_of(hits / 3), 1), mean_of_resampling) for hits in sheets]
    assert np.mean([one.low <= 0.8 <= one.high for one in found]) >= 0.92


FEW = Draws(resamples=400, seed=3)


def of(values, draws=FEW, cluster=None, item=None):
    return bootstrap.of_mean(
        np.asarray(values, float),
        np.arange(len(values)) if cluster is None else cluster,
        draws,
        item,
    )


def spread(n, seed=1):
    return np.random.default_rng(seed).uniform(size=n)


def test_mean_variance_and_percentiles_are_those_of_the_resampled_means():
    found = of(spread(40))
    means = found.means
    squares = sum((mean - sum(means) / 400) ** 2 for mean in means)
    assert found.variance == pytest.approx(squares / (400 - 1))
    ordered = sorted(means)  # type 7: place (B - 1) p + 1, in between by proportion
    place = 399 * 0.025
    low = ordered[9] + (place - 9) * (ordered[10] - ordered[9])
    assert found.interval.low == pytest.approx(low)
    assert (found.n, len(means)) == (40, 400)


def test_answers_to_one_question_are_drawn_together():
    values = np.repeat(spread(25), 4)
    together = of(values, Draws(3000), np.repeat(np.arange(25), 4))
    assert together.questions == 25 and together.n == 100
    assert together.variance / of(values, Draws(3000)).variance == pytest.approx(4, rel=0.2)


def test_where_every_number_is_one_there_is_no_variation_and_wilson_speaks():
    found = of(np.ones(30))
    assert (found.interval.low, found.interval.why_none) == (None, bootstrap.VALUES_EQUAL)
    assert found.best.low == pytest.approx(30 / (30 + 2.0452296421327034**2))


def test_where_every_number_is_another_there_is_no_interval_at_all():
    found = of(np.full(30, 0.7))
    assert found.wilson is None and found.best.low is None
    assert found.best.value == pytest.approx(0.7)


def test_below_ten_questions_there_is_no_interval_and_below_thirty_it_is_approximate():
    assert "fewer than 10 questions" in message_of(of(spread(9)).interval.why_none)
    assert "approximate" in of(spread(29)).interval.method
    assert "approximate" not in of(spread(30)).interval.method


def test_without_a_number_there_is_a_reason_and_no_zero():
    found = of([])
    assert (found.n, found.interval.value, found.variance) == (0, None, None)
    assert found.interval.why_none == bootstrap.NO_VALUES


@pytest.mark.parametrize(
    ("n", "p", "said"), [(30, 0.5, 0.952), (30, 0.8, 0.945), (30, 0.95, 0.765), (50, 0.95, 0.913)]
)
def test_percentiles_hold_a_share_too_seldom_near_one_and_wilson_does_not(n, p, said):
    """Exact over all counts of hits; where nothing varies the percentiles are one point."""
    held = wilson = 0.0
    for hits in range(n + 1):
        found = of(np.repeat([1.0, 0.0], [hits, n - hits]), Draws(1000, seed=5))
        chance = binom.pmf(hits, n, p)
        if found.interval.low is not None:
            held += chance * (found.interval.low <= p <= found.interval.high)
        wilson += chance * (found.wilson.low <= p <= found.wilson.high)
    assert held == pytest.approx(said, abs=0.02)
    assert wilson >= 0.93


def test_repeats_are_drawn_within_their_items_and_items_weigh_alike():
    values, item = np.array([0.0, 1.0, 0.5, 0.5, 1.0]), np.array([0, 0, 1, 1, 2])
    found = of(values, Draws(4000), item, item)
    assert (found.n, found.interval.value) == (3, pytest.approx(2 / 3))
    # Items vary by 1/18 of their own, and the first one's repeats by 1/8 of a third of the weight.
    assert found.variance == pytest.approx(1 / 54 + 1 / 8 / 9, rel=0.1)
    assert "two-level" in found.interval.method


def sides(one, other):
    first, second = of(one), of(other, bootstrap.another(FEW))
    return contrast(first, second)


def test_sets_apart_do_not_overlap_and_the_higher_one_exceeds():
    found = sides(spread(30) + 2, spread(40, 2))
    assert (found.exceeds, found.overlap) == (1, 0)
    assert found.difference.low > 1.7


def test_equal_sets_overlap_wholly_whatever_rounding_left_of_their_means():
    rounded = np.full(30, 0.44) + np.resize([0, 1e-16], 30)
    found = sides(np.full(30, 0.44), rounded)
    assert (found.exceeds, found.overlap) == (0.5, 1)


def test_shares_are_contrasted_by_wilsons_limits_even_where_nothing_varies():
    found = sides(np.ones(20), np.zeros(20))
    assert found.difference.value == 1 and 0.6 < found.difference.low < 1
    assert "MOVER" in found.difference.method


def test_against_a_set_without_numbers_there_is_no_contrast():
    found = sides(spread(20), [])
    assert found.difference.value is None and found.exceeds is None and found.overlap is None


def test_few_questions_drawn_again_say_nothing_of_which_set_is_above():
    found = sides(spread(9) + 2, spread(30))
    assert (found.exceeds, found.overlap) == (None, None)
    assert found.difference.why_none == TOO_FEW
