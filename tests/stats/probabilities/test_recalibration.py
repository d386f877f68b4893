import numpy as np
import pytest
from scipy import stats
from scipy.optimize import isotonic_regression
from sklearn.isotonic import IsotonicRegression

from concord.stats.core.estimate import reason
from concord.stats.probabilities.reading import expected
from concord.stats.probabilities.recalibration import (
    TEMPERATURES,
    by_isotonic,
    by_temperature,
    curve,
    folds,
    temperature,
    temperature_scores,
    tempered,
)
from concord.stats.probabilities.scoring import ranked_probability_score
from tests.stats.probabilities.sheets import pairs

SCALE = (0, 1, 2, 3)


def overconfident(seed, questions, power=2.5):
    """Annotators follow a distribution, of which the judge gives a power."""
    random = np.random.default_rng(seed)
    true = random.dirichlet(np.ones(4), 2 * questions)
    grades = (random.random(len(true))[:, None] > true.cumsum(axis=1)).sum(axis=1)
    return pairs(grades, cluster=np.arange(len(true)) // 2), tempered(true, 1 / power)


def best_temperature(rows, place, weight):
    """Of all pairs as one group."""
    return temperature(temperature_scores(rows, place, weight, np.zeros(len(rows), int))[0])


def test_a_temperature_is_a_power_of_one_over_it():
    rows = np.array([[0.2, 0.8, 0.0]])
    assert tempered(rows, 0.5) == pytest.approx(np.array([[0.04 / 0.68, 0.64 / 0.68, 0]]))
    assert tempered(rows, 2) == pytest.approx(np.array([[1 / 3, 2 / 3, 0]]))  # roots 1 to 2
    assert tempered(rows, 1) == pytest.approx(rows)
    assert tempered(np.array([[1e-300, 1 - 1e-300, 0]]), 0.05)[0, 1] == 1


def test_the_temperature_that_made_a_judge_overconfident_is_found():
    sheet, rows = overconfident(1, 3000)
    found = best_temperature(rows, sheet.annotator, sheet.weight)
    assert found == pytest.approx(2.5, abs=0.15)
    score = [
        ranked_probability_score(tempered(rows, one), sheet.annotator).mean()
        for one in np.geomspace(0.05, 20, 400)
    ]
    best = ranked_probability_score(tempered(rows, found), sheet.annotator).mean()
    assert best <= min(score) + 1e-7


def test_where_no_temperature_is_better_it_is_1():
    even = np.full((6, 2), 0.5)  # every power of even odds is even odds
    assert best_temperature(even, np.array([0, 1] * 3), np.ones(6)) == 1


@pytest.mark.parametrize(
    ("row", "grades", "limit"),
    [
        ((0.6, 0.4), (0, 0), 0.05),  # always right: the surer the better
        ((0.97, 0.03), (0, 1), 20.0),  # no better than a coin: the less sure the better
    ],
)
def test_where_the_best_is_beyond_the_search_the_temperature_is_exactly_its_limit(
    row, grades, limit
):
    rows, place = np.array([row] * 6), np.array(grades * 3)
    assert best_temperature(rows, place, np.ones(6)) == limit
    assert limit in TEMPERATURES


def test_a_judge_that_is_never_right_is_as_unsure_as_can_be():
    wrong = np.tile([0.9, 0.1], (6, 1))
    assert best_temperature(wrong, np.ones(6, int), np.ones(6)) == pytest.approx(20)


def test_an_overconfident_judge_is_better_after_it_out_of_fold():
    sheet, rows = overconfident(2, 150)
    found = by_temperature(sheet, rows, SCALE)
    assert found.fit > 1.5
    assert found.difference.value == pytest.approx(found.after.value - found.before.value)
    assert found.difference.high < 0
    own = ranked_probability_score(found.out_of_fold, sheet.annotator).mean()
    assert found.after.value == pytest.approx(own)


@pytest.mark.parametrize("kind", [by_temperature, by_isotonic])
def test_what_a_fit_is_measured_on_it_has_not_seen(kind):
    """Changing the grades of one fold leaves its own values as they are, and moves the others'."""
    sheet, rows = overconfident(3, 40)
    held = folds(sheet.cluster) == 0
    other = sheet._replace(annotator=np.where(held, 3 - sheet.annotator, sheet.annotator))
    one, changed = (kind(each, rows, SCALE).out_of_fold for each in (sheet, other))
    assert np.array_equal(one[held], changed[held])
    assert not np.allclose(one[~held], changed[~held])


def test_the_curve_is_that_of_scipy_and_sklearn():
    random = np.random.default_rng(4)
    values, grades = np.round(random.uniform(0, 3, 80), 1), random.integers(0, 4, 80)
    weight = random.choice([1, 1 / 2, 1 / 3], 80)
    found = curve(values, grades, weight)
    oracle = IsotonicRegression(out_of_bounds="clip").fit(values, grades, sample_weight=weight)
    at = np.linspace(-1, 4, 200)
    assert found(at) == pytest.approx(oracle.predict(at))
    distinct = curve(np.arange(80.0), grades, weight).mapped
    assert distinct == pytest.approx(isotonic_regression(grades, weights=weight).x)


def test_isotonic_regression_takes_a_shift_off_the_expected_score():
    """A judge that puts answers a point too high, of which 0-2 are left."""
    random = np.random.default_rng(5)
    grades = random.integers(0, 3, 400)
    rows = 0.8 * np.eye(4)[grades + 1] + 0.2 * random.dirichlet(np.ones(4), 400)
    sheet = pairs(grades, cluster=np.arange(400) // 2)
    found = by_isotonic(sheet, rows, SCALE)
    before = np.sqrt(((expected(rows, SCALE) - grades) ** 2).mean())
    assert found.before.value == pytest.approx(before)
    assert found.after.value < 0.2 < 0.7 < found.before.value
    assert found.difference.value == pytest.approx(found.after.value - found.before.value)
    assert found.difference.high < 0
    assert np.all(np.diff(found.fit.mapped) >= 0)


def test_what_cannot_be_recalibrated_says_why():
    few = pairs([0, 1, 2, 3])
    for kind in (by_temperature, by_isotonic):
        found = kind(few, np.full((4, 4), 0.25), SCALE)
        assert (found.fit, found.out_of_fold) == (None, None)
        assert found.after.why_none == reason("too_few_questions_for_map", n=5)
    sheet = pairs(np.arange(20) % 4)
    certain = by_temperature(sheet, np.eye(4)[sheet.annotator], SCALE)
    assert certain.difference.why_none == reason("always_certain")
    same = by_isotonic(sheet, np.full((20, 4), 0.25), SCALE)
    assert same.difference.why_none == reason("expected_scores_equal")


def test_the_interval_repeats_the_fits_without_each_question():
    """Against sklearn, fitted anew without each of 30 questions, the others in their folds."""
    sheet, rows = overconfident(7, 30)
    values, grades, fold = expected(rows, SCALE), sheet.annotator, folds(sheet.cluster)

    def gained(kept):
        found = np.zeros(len(values))
        for one in range(5):
            learnt, held = kept & (fold != one), fold == one
            model = IsotonicRegression(out_of_bounds="clip").fit(values[learnt], grades[learnt])
            found[held] = model.predict(values[held])
        after, before = (((one - grades)[kept] ** 2).mean() ** 0.5 for one in (found, values))
        return after - before

    value = gained(np.ones(len(values), bool))
    without = np.array([gained(sheet.cluster != one) for one in range(30)])
    away = (without - without.mean()) ** 2
    degrees = min(29, 1.5 * away.sum() ** 2 / (away**2).sum())
    half = stats.t.ppf(0.975, degrees) * np.sqrt(29 / 30 * away.sum())
    found = by_isotonic(sheet, rows, SCALE).difference
    assert found[:3] == pytest.approx((value, value - half, value + half))
    assert found.method == f"question jackknife, t({degrees:.4g}), fits repeated"


@pytest.mark.parametrize("kind", [by_temperature, by_isotonic])
def test_many_questions_are_left_out_a_fiftieth_at_a_time(kind):
    found = kind(*overconfident(8, 120), SCALE)
    for one in (found.after, found.difference):
        assert one.low < one.value < one.high
        assert one.method.endswith(", fits repeated; 120 questions in 50 groups")


@pytest.mark.parametrize("kind", [by_temperature, by_isotonic])
def test_under_ten_questions_there_is_a_figure_without_an_interval(kind):
    found = kind(*overconfident(9, 9), SCALE)
    assert found.difference.value is not None and found.difference.low is None
    assert found.difference.why_none.code == "too_few_questions"


def test_the_seed_deals_the_questions_to_the_folds():
    sheet, rows = overconfident(6, 40)
    one, same, other = (by_isotonic(sheet, rows, SCALE, seed).after.value for seed in (1, 1, 2))
    assert one == same != other
