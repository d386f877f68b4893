import numpy as np
import pytest

from concord.stats.core.clustered import clustered_variance, effective_number, share_of

VALUES = np.array([1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0], float)
QUESTION = np.repeat(np.arange(4), 3)


def residuals(values, question):
    """Sums, base and squares by question, of the values less their mean."""
    away = values - values.mean()
    return (np.bincount(question, one) for one in (away, np.ones(len(away)), away**2))


def test_the_published_example_gives_its_error():
    sums, base, squares = residuals(VALUES, QUESTION)
    assert clustered_variance(sums, base) == pytest.approx(0.20971762320196527**2, abs=1e-9)
    assert clustered_variance(sums, base, squares) == pytest.approx(0.20971762320196527**2)


def test_the_effective_number_of_questions_by_hand():
    """Four of one answer and one of four: 8 answers, 8^2 / (4 + 16)."""
    assert effective_number(np.array([1.0, 1, 1, 1, 4])) == pytest.approx(3.2)
    assert effective_number(np.array([1.0, 4]), np.array([4, 1])) == pytest.approx(3.2)
    assert effective_number(np.full(7, 0.5)) == pytest.approx(7)
    assert effective_number(np.zeros(0)) == 0


def test_large_questions_without_an_error_are_not_taken_for_free_of_errors():
    """45 questions with one answer, 5 of them wrong, and 5 with ten, all right.

    CR1: p = 5/95, and the residuals are 5 of 1 - p, 40 of p and 5 of 10 p. Answers of a question
    are all right or all wrong, so icc = 1, M = 545 / 95, and the variance is p (1 - p) M / 95: that
    of 95^2 / 545 = 16.6 answers.
    """
    base = np.repeat([1.0, 10.0], [45, 5])
    hits = base.copy()
    hits[:5] = 0
    share, size, questions = share_of(hits, base)
    p = 5 / 95
    assert share == pytest.approx(1 - p)
    assert size == pytest.approx(95**2 / 545) == pytest.approx(questions)
    cr1 = (5 * (1 - p) ** 2 + 40 * p**2 + 5 * (10 * p) ** 2) / 95**2 * 50 / 49
    assert p * (1 - p) / cr1 > 4 * size


def test_the_intraclass_correlation_is_that_of_the_analysis_of_variance():
    """One question of four answers, three of them right, and four of one, two of them right.

    p = 5/8. Between questions 1.125 / 4 = .28125, within .75 / 3 = .25, at a usual size of
    (8 - 20 / 8) / 4 = 1.375: icc = .03125 / .375 = 1/12. The mean size of an answer's question is
    20 / 8, so the variance is .234375 / 8 (1 + 1.5 / 12); CR1 has 1.3125 / 64 x 5/4 = .0256.
    """
    values, question = np.array([1, 1, 1, 0, 1, 1, 0, 0.0]), np.array([0, 0, 0, 0, 1, 2, 3, 4])
    found = clustered_variance(*residuals(values, question))
    assert found == pytest.approx(0.234375 / 8 * (1 + 1.5 / 12))
    assert found > 1.25 * 1.3125 / 64


def test_two_scores_of_an_answer_are_two_units_as_alike_as_they_are():
    """Ten answers by two annotators, who never differ, are worth ten; if they often do, more."""
    base, hits = np.ones(10), np.repeat([1.0, 0.0], 5)
    assert share_of(hits, base, units=20.0)[1] == pytest.approx(9)
    assert share_of(np.full(10, 0.5), base, units=20.0)[1] == pytest.approx(20)
