"""The bootstrap of a metric's mean: VERA's figures, and what they need beside them."""

import numpy as np
import pytest
from scipy.stats import binom

from concord.messages import message_of
from concord.stats.core.estimate import TOO_FEW, reason
from concord.stats.intervals import bootstrap
from concord.stats.intervals.bootstrap import ALIKE
from concord.stats.intervals.resampling import Draws
from concord.stats.segments import contrast

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
    assert found.mean_of_means == pytest.approx(sum(means) / 400)
    squares = sum((mean - found.mean_of_means) ** 2 for mean in means)
    assert found.variance == pytest.approx(squares / (400 - 1))
    ordered = sorted(means)  # type 7: place (B - 1) p + 1, in between by proportion
    place = 399 * 0.025
    low = ordered[9] + (place - 9) * (ordered[10] - ordered[9])
    assert found.interval.low == pytest.approx(low)
    assert (found.n, found.drawn, found.resamples) == (40, 40, 400)


def test_the_variance_is_that_of_the_mean_and_not_of_the_values():
    values = spread(200)
    found = of(values, Draws(4000))
    assert found.error == pytest.approx(values.std() / np.sqrt(200), rel=0.05)


def test_drawing_50_of_200_gives_the_error_of_a_mean_of_50_which_is_twice_as_wide():
    values = np.repeat([1.0, 0.0], [140, 60])
    whole, part = of(values, Draws(4000)), of(values, Draws(4000, size=50))
    assert whole.error == pytest.approx(np.sqrt(0.7 * 0.3 / 200), rel=0.05)
    assert part.error / whole.error == pytest.approx(2, rel=0.07)
    assert reason("mean_of_n", n=50) in part.flags and "n = 50 of 200" in part.interval.method
    assert whole.flags == ()


def test_the_same_seed_gives_the_same_whatever_the_order_of_the_answers():
    values = spread(30)
    assert of(values).interval == of(values[::-1]).interval
    assert of(values).interval != of(values, Draws(400, 4)).interval


def test_more_cannot_be_drawn_than_there_are():
    with pytest.raises(ValueError, match="31 cannot be drawn from 30"):
        of(spread(30), Draws(100, size=31))


def test_answers_to_one_question_are_drawn_together():
    values = np.repeat(spread(25), 4)
    together = of(values, Draws(3000), np.repeat(np.arange(25), 4))
    assert together.questions == 25 and together.n == 100
    assert together.error / of(values, Draws(3000)).error == pytest.approx(2, rel=0.1)


def test_where_every_number_is_one_there_is_no_variation_and_wilson_speaks():
    found = of(np.ones(30))
    assert ALIKE in found.flags and found.interval.low is None
    assert "no variation" in message_of(found.interval.why_none)
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
    assert (found.n, found.mean, found.variance, found.error) == (0, None, None, None)
    assert message_of(found.interval.why_none) == "there are no values to resample"


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


def test_the_error_converges_and_says_from_where():
    found = of(spread(60), Draws(5000))
    steps = dict(found.convergence)
    assert list(steps) == [50, 100, 200, 500, 1000, 2000, 5000]
    assert steps[5000] == pytest.approx(found.error)
    assert abs(steps[found.settled] - found.error) <= 0.05 * found.error


def test_an_error_that_only_the_last_resamples_give_is_not_stable():
    found = of(spread(60), Draws(5000))
    assert found._replace(convergence=((50, 0.2), (100, 0.1))).settled is None
    assert found._replace(convergence=((50, 0.1),)).settled is None


def test_where_all_resamples_are_alike_the_error_is_zero_from_the_first():
    """Two answers to each question, 0.3 and 0.4: every resample has the same mean."""
    found = bootstrap.of_mean(np.tile([0.3, 0.4], 12), np.repeat(range(12), 2), Draws(2_000, 1))
    assert found.error == 0 and {error for _, error in found.convergence} == {0}
    assert found.settled == found.convergence[0][0]


def test_repeats_are_drawn_within_their_items_and_items_weigh_alike():
    values, item = np.array([0.0, 1.0, 0.5, 0.5, 1.0]), np.array([0, 0, 1, 1, 2])
    found = of(values, Draws(4000), item, item)
    assert (found.n, found.mean) == (3, pytest.approx(2 / 3))
    assert found.from_repeats == pytest.approx(0.5 / 2 / 9)
    assert reason("two_level") in found.flags


def test_a_judge_that_wavers_makes_the_two_level_error_larger():
    random = np.random.default_rng(2)
    truth = np.repeat(random.uniform(size=60), 3)
    item = np.repeat(np.arange(60), 3)
    steady = of(truth, Draws(3000), item, item)
    wavering = of(truth + random.normal(0, 0.5, 180), Draws(3000), item, item)
    alone = of(truth[::3], Draws(3000))
    assert steady.from_repeats == pytest.approx(0, abs=1e-12)
    assert steady.error == pytest.approx(alone.error, rel=0.05)
    assert wavering.error > 1.3 * steady.error
    # Between: each item's mean of three, which wavers too; within: each item's own three.
    assert wavering.from_repeats == pytest.approx(0.25 / 3 / 60, rel=0.25)


def sides(one, other):
    first, second = of(one), of(other, bootstrap.another(FEW))
    return contrast(first, second)


def test_sets_apart_do_not_overlap_and_the_higher_one_exceeds():
    found = sides(spread(30) + 2, spread(40, 2))
    assert (found.exceeds, found.overlap) == (1, 0)
    assert found.difference.low > 1.7


def test_sets_alike_overlap():
    found = sides(spread(30), spread(30))
    assert found.overlap > 0.85 and found.exceeds == pytest.approx(0.5, abs=0.07)
    assert found.difference.value == 0 and found.difference.low < 0 < found.difference.high


def test_equal_sets_overlap_wholly_whatever_rounding_left_of_their_means():
    rounded = np.full(30, 0.44) + np.resize([0, 1e-16], 30)
    found = sides(np.full(30, 0.44), rounded)
    assert (found.exceeds, found.overlap) == (0.5, 1)


def test_two_sets_are_drawn_independently():
    """Drawn with one seed, equal sets would move together and have a difference of 0 for sure."""
    same = spread(30)
    first, second = of(same), of(same, bootstrap.another(FEW))
    assert abs(np.corrcoef(first.means, second.means)[0, 1]) < 0.2


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
