import numpy as np
import pytest
from scipy import stats

from concord.stats import cross_fitted_scores
from concord.stats.intervals.cross_fitting import folds
from concord.stats.probabilities.combining import Grades, fit
from concord.stats.probabilities.cut_points import by_cut_points
from concord.stats.probabilities.reading import expected
from concord.stats.statistics import figures
from tests.stats.probabilities.sheets import pairs

SCALE = (0, 1, 2, 3)
NAMES = ("exact", "qwk", "bias")


def sheet_of(seed, questions, lenient=0.0):
    """Annotators follow a distribution, of which a judge gives a mixture with the top score."""
    random = np.random.default_rng(seed)
    true = random.dirichlet(np.ones(4) / 2, 2 * questions)
    grades = (random.random(len(true))[:, None] > true.cumsum(axis=1)).sum(axis=1)
    given = (1 - lenient) * true + lenient * np.eye(4)[3]
    return pairs(grades, cluster=np.arange(len(true)) // 2), np.round(given, 3)


def measured(sheet, rows):
    found = by_cut_points(sheet, rows, SCALE)
    given = figures(sheet._replace(judge=found.values), SCALE, (0, 1), names=NAMES)
    return given, cross_fitted_scores.figures(sheet, found, SCALE, NAMES)


def test_cut_points_of_a_question_are_fitted_without_its_grades():
    """Changing the grades of one fold leaves its own readings as they are, and moves others."""
    sheet, rows = sheet_of(3, 40)
    held = folds(sheet.cluster) == 0
    other = sheet._replace(annotator=np.where(held, 3 - sheet.annotator, sheet.annotator))
    one, changed = (by_cut_points(each, rows, SCALE).values for each in (sheet, other))
    assert np.array_equal(one[held], changed[held])
    assert not np.array_equal(one[~held], changed[~held])
    assert set(one) <= set(SCALE)


def test_they_undo_a_lenient_judge():
    sheet, rows = sheet_of(4, 150, lenient=0.4)
    rounded = np.rint(expected(rows, SCALE))
    found = by_cut_points(sheet, rows, SCALE)
    assert (rounded - sheet.annotator).mean() > 0.4
    assert abs((found.values - sheet.annotator).mean()) < 0.1


def test_under_five_questions_there_are_no_cut_points():
    sheet, rows = sheet_of(3, 4)
    assert by_cut_points(sheet, rows, SCALE) is None


def test_their_interval_repeats_the_fits_without_each_question():
    sheet, rows = sheet_of(5, 30)
    values, fold = expected(rows, SCALE)[:, None], folds(sheet.cluster)

    def read(kept):
        found = np.zeros(len(fold), int)
        for one in range(5):
            learnt = np.flatnonzero(kept & (fold != one))
            grades = Grades(np.arange(len(learnt)), sheet.annotator[learnt], np.ones(len(learnt)))
            rule = fit("cut_points", values[learnt], grades, SCALE)
            found[fold == one] = rule(values[fold == one])
        return (found - sheet.annotator)[kept].mean()

    value = read(np.ones(60, bool))
    without = np.array([read(sheet.cluster != one) for one in range(30)])
    half = stats.t.ppf(0.975, 29) * np.sqrt(29 / 30 * ((without - without.mean()) ** 2).sum())
    _, found = measured(sheet, rows)
    assert found["bias"][:3] == pytest.approx((value, value - half, value + half))
    assert found["bias"].method == "question jackknife, t(29), fits repeated"


def test_a_share_has_wilsons_interval_at_an_effective_n_that_counts_the_fits():
    given, repeated = measured(*sheet_of(6, 120))
    one, other = given["exact"], repeated["exact"]
    assert one.value == other.value
    assert other.low <= one.low < one.high <= other.high
    assert other.high - other.low > 1.02 * (one.high - one.low)
    assert other.method.endswith(", t(119), fits repeated; 120 questions in 50 groups")


def test_a_judge_that_is_always_right_has_the_interval_of_all_its_questions():
    grades = np.arange(240) % 4
    sheet = pairs(grades, cluster=np.arange(240) // 2)
    given, repeated = measured(sheet, np.eye(4)[grades])
    assert repeated["exact"].value == 1
    assert repeated["exact"][:3] == given["exact"][:3]


def test_under_ten_questions_there_is_a_figure_without_an_interval():
    _, found = measured(*sheet_of(7, 9))
    for one in (found["exact"], found["bias"]):
        assert one.value is not None and one.low is None
        assert one.why_none.code == "too_few_questions"
