import numpy as np
import pytest
from scipy import stats
from scipy.optimize import isotonic_regression
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from concord.stats.core.estimate import reason
from concord.stats.intervals.resampling import Draws
from concord.stats.probabilities.reading import cut, expected, midpoints, normalised, read
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
from concord.stats.probabilities.scoring import (
    base_rate_score,
    mean,
    ranked_probability_score,
    risk_coverage,
    scores,
)
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


@pytest.mark.parametrize(
    ("row", "argmax", "rounded_mean", "median"),
    [
        ((0.1, 0.2, 0.3, 0.4), 3, 2, 2),  # expected 2.0; .1, .3, .6: half is reached at 2
        ((0.45, 0.0, 0.0, 0.55), 3, 2, 3),  # expected 1.65
        ((0.4, 0.25, 0.2, 0.15), 0, 1, 1),  # expected 1.1
        ((0.0, 0.0, 0.0, 1.0), 3, 3, 3),
        ((0.25, 0.25, 0.25, 0.25), 0, 1, 1),  # ties everywhere: mode 0, mean 1.5, half at 1
        ((0.5, 0.0, 0.0, 0.5), 0, 1, 0),
        ((0.0, 0.5, 0.5, 0.0), 1, 1, 1),
        ((0.3, 0.2, 0.2, 0.3), 0, 1, 1),
        ((0.04, 0.0, 0.38, 0.38), 2, 2, 2),  # does not sum to 1; 1.9 / .8 = 2.375
    ],
)
def test_each_rule_reads_a_row_as_by_hand(row, argmax, rounded_mean, median):
    found = [read(rule, [row], SCALE)[0] for rule in ("argmax", "rounded_mean", "median")]
    assert found == [argmax, rounded_mean, median]


def test_a_tie_made_of_rounding_errors_is_a_tie():
    thirds = np.array([[1 / 3, 1 / 3 + 1e-16, 1 / 3]])
    assert read("argmax", thirds, (1, 2, 3)) == [1]
    tenths = np.array([[0.1 + 0.2, 0.2, 0.1, 0.4]])  # .30000000000000004 + .2 is half
    assert read("median", tenths, SCALE) == [1]
    half = [0.7, 0.1, 0.1 + 0.1 + 1e-16]  # expected .5, a little more in floats
    assert read("rounded_mean", [half], (0, 1, 2)) == [0]
    assert read("rounded_mean", [[0.7, 0.1, 0.2 + 1e-6]], (0, 1, 2)) == [1]


def test_scores_need_not_be_contiguous():
    rows = [[0.5, 0.2, 0.3], [0.2, 0.2, 0.6]]  # expected .5 + .4 + 3 = 3.9 and 6.6
    assert expected(rows, (1, 2, 10)) == pytest.approx([3.9, 6.6])
    assert list(read("rounded_mean", rows, (1, 2, 10))) == [2, 10]  # halfway is 6
    assert list(midpoints((1, 2, 10))) == [1.5, 6.0]


def test_normalised_leaves_out_what_fell_outside_the_scale():
    assert normalised([[0.2, 0.6], [2, 0]]) == pytest.approx(np.array([[0.25, 0.75], [1, 0]]))


@pytest.mark.parametrize("row", [(0.5, -0.1), (0.0, 0.0), (np.nan, 1.0), (np.inf, 1.0)])
def test_a_row_that_is_no_distribution_is_refused(row):
    with pytest.raises(ValueError, match="finite probabilities"):
        normalised([row])


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="no reading rule mode"):
        read("mode", [[1.0]], (1,))


def test_a_score_is_one_step_up_for_each_point_passed():
    values = np.array([0.0, 1.2, 1.2000000001, 1.3, 2.9, 3.0])
    assert list(cut(values, [1.2, 1.25, 2.9], SCALE)) == [0, 0, 0, 2, 2, 3]
    assert list(cut(values, [0.5, 0.5, 9.0], SCALE)) == [0, 2, 2, 2, 2, 2]


@pytest.mark.parametrize("points", [(1.0, 2.0), (2.0, 1.0, 3.0)])
def test_cut_points_must_be_one_fewer_than_scores_and_not_fall(points):
    with pytest.raises(ValueError, match="4 scores take 3 cut points"):
        cut(np.zeros(1), points, SCALE)


def made_up(seed=1, n=60):
    random = np.random.default_rng(seed)
    grades = random.integers(0, 4, n)
    return pairs(grades, cluster=np.arange(n) // 2), random.dirichlet(np.ones(4), n)


@pytest.mark.parametrize(
    ("row", "grade", "score"),
    [
        # cumulative .1, .3, .6 against 0, 0, 1: (.01 + .09 + .16) / 3
        ((0.1, 0.2, 0.3, 0.4), 2, 0.26 / 3),
        ((0.1, 0.2, 0.3, 0.4), 0, (0.81 + 0.49 + 0.16) / 3),
        ((0, 0, 0, 1), 3, 0.0),
        ((1, 0, 0, 0), 3, 1.0),
        ((0, 1, 0, 0), 3, 2 / 3),  # certain: the distance over the range of the scale
        ((0.25, 0.25, 0.25, 0.25), 0, (0.5625 + 0.25 + 0.0625) / 3),
    ],
)
def test_the_ranked_probability_score_is_that_by_hand(row, grade, score):
    assert ranked_probability_score(np.array([row]), np.array([grade])) == pytest.approx([score])


def test_the_ranked_probability_score_is_the_crps_of_a_whole_number():
    """CRPS = E|X - y| - E|X - X'| / 2 (Gneiting and Raftery 2007, equation 21), over K - 1."""
    random, steps = np.random.default_rng(2), np.arange(4)
    rows, grades = random.dirichlet(np.ones(4), 50), random.integers(0, 4, 50)
    apart = np.abs(steps[:, None] - steps)
    crps = (rows * apart[grades]).sum(axis=1) - np.einsum("ni,ij,nj->n", rows, apart, rows) / 2
    assert ranked_probability_score(rows, grades) == pytest.approx(crps / 3)


def test_the_scores_are_those_of_sklearn_or_by_hand():
    sheet, rows = made_up()
    found = scores(sheet, rows, SCALE)
    assert found.rps.value == pytest.approx(ranked_probability_score(rows, sheet.annotator).mean())
    assert found.log_score.value == pytest.approx(log_loss(sheet.annotator, rows, labels=SCALE))
    brier = brier_score_loss(sheet.annotator, rows, labels=SCALE, scale_by_half=False)
    assert found.brier.value == pytest.approx(brier)
    skill = 1 - found.rps.value / found.rps_base_rate.value
    assert found.rps_skill.value == pytest.approx(skill)
    assert all(one.low < one.value < one.high for one in found)


def test_with_two_scores_the_ranked_probability_score_is_half_of_brier_s():
    found = scores(pairs([4, 7, 7]), np.array([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]]), (4, 7))
    # (.04 + .16 + .01) / 3
    assert found.rps.value == pytest.approx(0.07)
    assert found.brier.value == pytest.approx(0.14)


def test_an_answer_of_two_annotators_is_compared_with_both_and_counts_once():
    sheet = pairs([0, 2, 1], item=[0, 0, 1])
    rows = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0]])
    found = scores(sheet, rows, (0, 1, 2))
    assert found.rps.value == pytest.approx((0 + 1) / 2 / 2)  # answer 0: 0 and 1; answer 1: 0


def test_the_base_rate_of_a_question_is_that_of_the_others():
    """Questions with grades 0, 0; 1; 2: the others of the first are 1 and 2, half each."""
    sheet = pairs([0, 0, 1, 2], cluster=[0, 0, 1, 2])
    first = 0.5 * ((0 - 1) ** 2 + (0.5 - 1) ** 2)  # cumulative 0, .5 against 1, 1
    second = 0.5 * ((2 / 3) ** 2 + (2 / 3 - 1) ** 2)  # 2/3, 2/3 against 0, 1
    third = 0.5 * ((2 / 3) ** 2 + 1)  # 2/3, 1 against 0, 0
    found = base_rate_score(sheet, (0, 1, 2))
    assert found == pytest.approx([first, first, second, third])


def test_who_gives_the_base_rate_has_no_skill_and_a_sure_and_right_judge_all():
    sheet, _ = made_up(3, 400)
    rate = np.bincount(sheet.annotator, minlength=4) / 400
    found = scores(sheet, np.tile(rate, (400, 1)), SCALE).rps_skill
    assert 0 < found.value < 0.02  # the base rate has not seen its own question
    perfect = scores(sheet, np.eye(4)[sheet.annotator], SCALE)
    assert (perfect.rps.value, perfect.rps_skill.value, perfect.log_score.value) == (0, 1, 0)
    assert scores(sheet, np.eye(4)[3 - sheet.annotator], SCALE).rps_skill.value < 0


def test_a_grade_without_probability_has_no_log_score_and_says_how_many():
    sheet = pairs([0, 1, 1, 1], item=[0, 1, 1, 2])
    rows = np.array([[1, 0], [1, 0], [1, 0], [1e-300, 1]])
    found = scores(sheet, rows, (0, 1))
    assert found.log_score.value is None
    assert found.log_score.why_none == reason("probability_zero", n=1)
    assert found.brier.value == pytest.approx(2 / 3)


def test_what_falls_outside_the_scale_is_left_out_of_the_scores():
    sheet, rows = made_up()
    assert scores(sheet, rows * 0.6, SCALE).rps == scores(sheet, rows, SCALE).rps
    outside = mean(sheet, np.linspace(0, 0.3, 60), bounds=(0, 1))
    assert outside.value == pytest.approx(0.15)
    assert mean(sheet, np.zeros(60)).why_none == reason("questions_equal")


def test_degenerate_sheets_say_why():
    none = pairs(np.zeros(0, int))
    assert {one.why_none for one in scores(none, np.zeros((0, 4)), SCALE)} == {
        reason("nothing_to_compare")
    }
    one = scores(pairs([0, 1], cluster=[5, 5]), np.full((2, 4), 0.25), SCALE)
    assert one.rps.value is not None
    assert one.rps_skill.why_none == reason("base_rate_needs_questions")
    same = scores(pairs([2] * 20), np.full((20, 4), 0.25), SCALE)
    assert same.rps_base_rate.value == 0
    assert same.rps_skill.why_none == reason("one_score_annotated")


def test_nine_questions_have_scores_without_an_interval():
    sheet, rows = made_up(n=18)
    found = scores(sheet, rows, SCALE)
    assert all(one.value is not None and one.low is None for one in found)


def test_the_interval_of_one_answer_per_question_is_that_of_a_mean():
    """On the square root: the jackknife error of a mean is its standard error, to first order."""
    random = np.random.default_rng(4)
    sheet, rows = pairs(random.integers(0, 4, 2000)), random.dirichlet(np.ones(4), 2000)
    own = ranked_probability_score(rows, sheet.annotator)
    found = scores(sheet, rows, SCALE).rps
    half = 1.961 * own.std(ddof=1) / np.sqrt(2000)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.005)


def test_weights_of_the_design_count():
    sheet, rows = made_up()
    weight = np.where(np.arange(60) < 30, 3.0, 1.0)
    found = scores(sheet.weighing(weight), rows, SCALE)
    own = ranked_probability_score(rows, sheet.annotator)
    assert found.rps.value == pytest.approx(np.average(own, weights=weight))


def curve_of_scoring(confidence, wrong, weight=None, cluster=None):
    n = len(confidence)
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    cluster = np.arange(n) if cluster is None else np.asarray(cluster)
    return risk_coverage(np.asarray(confidence, float), np.asarray(wrong, float), weight, cluster)


def test_the_curve_and_its_area_are_those_by_hand():
    found = curve_of_scoring([0.6, 0.9, 0.8, 0.7], [1, 0, 1, 0])
    assert list(found.threshold) == pytest.approx([0.9, 0.8, 0.7, 0.6])
    assert list(found.coverage) == [0.25, 0.5, 0.75, 1]
    assert list(found.risk) == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found.area.value == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)


def test_the_area_is_geifman_and_el_yaniv_s_mean_of_selective_risks():
    random = np.random.default_rng(1)
    confidence, wrong = random.random(200), random.random(200) < 0.3
    ordered = wrong[np.argsort(-confidence)]
    risks = ordered.cumsum() / np.arange(1, 201)
    assert curve_of_scoring(confidence, wrong).area.value == pytest.approx(risks.mean())


def test_equal_confidence_is_accepted_together_and_rounding_does_not_part_it():
    found = curve_of_scoring([0.9, 0.1 + 0.2 + 0.6, 0.5], [1, 0, 0])
    assert list(found.coverage) == pytest.approx([2 / 3, 1])
    assert found.area.value == pytest.approx((0.5 + 0.5 + 1 / 3) / 3)
    constant = curve_of_scoring([0.5] * 4, [1, 0, 0, 0])
    assert (list(constant.risk), constant.area.value) == ([0.25], 0.25)


def test_an_answer_of_weight_2_is_two_answers():
    doubled = curve_of_scoring([0.9, 0.8, 0.8, 0.7], [0, 1, 1, 0])
    weighted = curve_of_scoring([0.9, 0.8, 0.7], [0, 1, 0], [1, 2, 1])
    assert weighted.area.value == pytest.approx(doubled.area.value)
    assert list(weighted.risk) == pytest.approx(list(doubled.risk))


def test_the_error_is_that_of_the_jackknife_done_one_by_one_and_of_the_bootstrap():
    random = np.random.default_rng(2)
    cluster = np.repeat(np.arange(150), 2)
    confidence = random.random(300)
    wrong = random.random(300) > 0.4 + 0.5 * confidence
    found = curve_of_scoring(confidence, wrong, cluster=cluster).area
    left = [
        curve_of_scoring(*(one[cluster != q] for one in (confidence, wrong))).area.value
        for q in range(150)
    ]
    error = np.sqrt(149 / 150 * ((np.array(left) - np.mean(left)) ** 2).sum())
    half = (found.high - found.low) / 2
    assert half == pytest.approx(1.976 * error, rel=0.05)
    drawn = Draws(400, 3).counts(150)
    means = [
        curve_of_scoring(
            *(np.repeat(one, times[cluster]) for one in (confidence, wrong, np.ones(300), cluster))
        ).area.value
        for times in drawn.astype(int)
    ]
    assert half == pytest.approx(1.976 * np.std(means), rel=0.15)


def test_without_answers_or_errors_the_curve_says_why():
    assert curve_of_scoring([], []).area.why_none == reason("nothing_to_compare")
    assert len(curve_of_scoring([], []).risk) == 0
    right = curve_of_scoring(np.linspace(0, 1, 20), np.zeros(20))
    assert (right.area.value, right.area.why_none) == (0, reason("questions_equal"))
    assert curve_of_scoring([0.1, 0.2], [0, 1]).area.why_none.code == "too_few_questions"
