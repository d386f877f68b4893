import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from concord.stats.core.estimate import reason
from concord.stats.probabilities.scoring import (
    base_rate_score,
    mean,
    ranked_probability_score,
    scores,
)
from tests.stats.probabilities.sheets import pairs

SCALE = (0, 1, 2, 3)


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
