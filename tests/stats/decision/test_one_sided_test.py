"""The one-sided test: a loss more than there is, and skewness, keep rare losses from passing."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.decision.one_sided_test import jackknife_test

FEW_LOSSES = np.repeat([-1.0, 0.0], [8, 32])


def one_sided(gains, limit, weight=None):
    """The test of a mean over answers, of which all of a question gain alike, and lose 1 at most.

    `gains` are of each question, and `weight` its number of answers.
    """
    weight = np.ones(len(gains)) if weight is None else weight
    total, sums = weight.sum(), gains * weight
    deleted = (sums.sum() - sums) / (total - weight)
    worst = np.float64(1), np.float64(1)
    return jackknife_test(sums.sum() / total, deleted, weight, gains != 0, worst, limit)


def test_few_losses_by_hand():
    """8 of 40 questions are lost: -.8 each from the mean, the others .2.

    Sums: squares 6.4, cubes -3.84. One loss more has the mean square (1 + 8 x .64) / 9 and the mean
    cube (1 + 8 x .512) / 9.
    """
    square, cube = (1 + 8 * 0.64) / 9, (1 + 8 * 0.512) / 9
    error = np.sqrt(6.4 * 40 / 39 + square)
    lean = 0.75 * (cube + 3.84) / error**3
    t = 40 * 0.2 / error
    expected = stats.t.sf(t / np.sqrt(1 + lean * t), 39)
    found = one_sided(FEW_LOSSES, -0.4)
    assert found.above == pytest.approx(expected, rel=1e-9)
    # Skewness towards losses makes no gain likelier, and none was seen: 1 at worst.
    error = np.sqrt(6.4 * 40 / 39 + 1)
    t = 40 * 0.2 / error
    below = stats.t.sf(t / np.sqrt(1 + 0.75 / error**3 * t), 39)
    assert one_sided(FEW_LOSSES, 0.0).below == pytest.approx(below, rel=1e-9)


def test_gains_and_losses_are_mirrored():
    mirrored, found = one_sided(-FEW_LOSSES, 0.4), one_sided(FEW_LOSSES, -0.4)
    assert mirrored.below == pytest.approx(found.above, rel=1e-9)
    assert (mirrored.high, mirrored.low) == pytest.approx((-found.low, -found.high))


def test_a_limit_at_the_end_of_the_interval_has_half_of_its_error():
    low = float(one_sided(FEW_LOSSES, -0.4).low)
    assert one_sided(FEW_LOSSES, low).above == pytest.approx(0.025, rel=1e-6)


@pytest.mark.parametrize(("questions", "losses"), [(40, 0), (60, 1), (100, 4), (100, 5)])
def test_of_whole_questions_lost_it_is_hardly_stricter_than_the_exact_bound(questions, losses):
    gains = np.repeat([-1.0, 0.0], [losses, questions - losses])
    exact = stats.binom.cdf(losses, questions, 0.1)
    assert exact * 0.85 < one_sided(gains, -0.1).above < 2 * exact


def test_questions_with_many_answers_that_show_no_loss_do_not_pass_a_judge():
    """3 of 45 questions with one answer are lost, none of 5 with ten: 3 of 95 answers.

    A share of .067 of the questions costs as much of the answers, which is beyond the limit; the
    usual jackknife has p = .003.
    """
    weight = np.repeat([1.0, 10.0], [45, 5])
    gains = np.zeros(50)
    gains[:3] = -1
    found = one_sided(gains, -0.06, weight)
    assert found.questions == pytest.approx(95**2 / 545)
    assert found.above > 0.2
    assert one_sided(gains, -0.06).above > 0.3  # of equal questions the loss itself is .06
