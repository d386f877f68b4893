import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.messages import message_of
from concord.stats.correction.ppi import (
    Sample,
    ppi_difference,
    ppi_mean,
    rectified,
)

Y = [0, 1, 2, 3, 3, 2, 1, 0, 3, 3]
F = [0, 1, 3, 3, 2, 2, 1, 1, 3, 3]
U = [0, 1, 1, 2, 3, 3, 3, 2, 1, 0, 2, 3, 3, 1, 2, 2, 3, 3, 0, 1]
Z = 1.959963984540054
SCALE = (0, 3)


def sample(person, judge, rest, cluster=None, weight=None) -> Sample:
    """Annotators' and the judge's scores of the graded answers, then the judge's of the others."""
    scores = np.array([*judge, *rest], float)
    annotators = np.array([*person, *[np.nan] * len(rest)], float)
    alone = np.arange(len(scores)) if cluster is None else np.asarray(cluster)
    return Sample(scores, annotators, np.ones(len(scores)) if weight is None else weight, alone)


@pytest.mark.parametrize(
    ("tuning", "expected"),
    [
        (0, (1.8, 1.0772009963936027, 2.5227990036063974)),
        (1, (1.7, 1.121893679847393, 2.2781063201526073)),
        (None, (1.738887804878049, 1.2339653421791668, 2.243810267576931)),
    ],
)
def test_the_mean_and_its_published_interval(tuning, expected):
    found = rectified(sample(Y, F, U), tuning)
    half = Z * np.sqrt(found.variance)
    limits = (found.value, found.value - half, found.value + half)
    assert limits == pytest.approx(expected, abs=1e-6)


def test_the_tuning():
    assert rectified(sample(Y, F, U)).tuning == pytest.approx(0.6111219512195121, abs=1e-6)


def test_with_every_answer_graded_the_judge_has_no_say():
    found = rectified(sample(Y, F, []))
    assert (found.value, found.tuning) == (pytest.approx(1.8), 0)


def test_a_constant_judge_has_no_say():
    found = rectified(sample(Y, [2] * 10, [2] * 20))
    assert (found.value, found.tuning) == (pytest.approx(1.8), 0)


@given(st.floats(-5, 5), st.floats(0.1, 4))
@settings(max_examples=25)
def test_a_judge_off_by_a_constant_is_as_good_as_one_that_is_not(shift, stretch):
    """Moving all of the judge's scores changes nothing; stretching them only changes lambda."""
    plain = rectified(sample(Y, F, U), 0.5)
    moved = rectified(sample(Y, np.array(F) + shift, np.array(U) + shift), 0.5)
    assert moved.value == pytest.approx(plain.value)
    wide = rectified(sample(Y, stretch * np.array(F), stretch * np.array(U)), 0.5 / stretch)
    assert (wide.value, wide.variance) == (
        pytest.approx(plain.value),
        pytest.approx(plain.variance),
    )


def test_unequal_probabilities_are_weighed_back():
    """Of 10 hard (score 1) and 30 easy answers (score 3) half of the hard and 10 easy are drawn.

    The judge is always one point too high on hard ones; the true mean is 100 / 40 = 2.5.
    """
    person, judge = [1] * 5 + [3] * 10, [2] * 5 + [3] * 10
    weight = np.array([2] * 5 + [3] * 10 + [2] * 5 + [3] * 20, float)
    drawn = sample(person, judge, [2] * 5 + [3] * 20, weight=weight)
    assert rectified(drawn, 1 * 25 / 40).value == pytest.approx(2.5)
    assert rectified(drawn, 0).value == pytest.approx(2.5)
    assert rectified(drawn._replace(weight=np.ones(40)), 0).value == pytest.approx(35 / 15)


def test_copies_of_answers_to_the_same_questions_add_nothing():
    """Three identical answers per question have the error of one."""
    once = rectified(sample(Y, F, U), 1)
    thrice = rectified(
        sample(np.repeat(Y, 3), np.repeat(F, 3), np.repeat(U, 3), np.repeat(np.arange(30), 3)), 1
    )
    assert thrice.variance == pytest.approx(once.variance)


def test_below_thirty_graded_answers_nothing_is_set_right():
    found = ppi_mean(sample(Y, F, U), SCALE)
    assert found.value is None
    assert "fewer than 30 answers" in message_of(found.why_none)


def test_below_ten_graded_questions_there_is_no_interval():
    cluster = [*np.repeat(np.arange(6), 5), *range(6, 66)]
    found = ppi_mean(sample(Y * 3, F * 3, U * 3, cluster), SCALE)
    assert found.value is not None
    assert found.low is None
    assert "fewer than 10 questions" in message_of(found.why_none)


def test_a_mean_at_the_end_of_the_scale_has_no_interval():
    beyond = sample([3] * 29 + [2], [3] * 29 + [0], [3] * 50)
    assert rectified(beyond).value > 3
    assert "end of the scale" in message_of(ppi_mean(beyond, SCALE).why_none)


def test_a_difference_takes_a_question_once():
    """The second model is exactly one point worse everywhere, so its difference has no error."""
    one = sample(Y * 4, F * 4, U * 4)
    other = sample(np.array(Y * 4) - 1, np.array(F * 4) - 1, np.array(U * 4) - 1)
    found = ppi_difference(one, other)
    assert found.value == pytest.approx(1)
    assert "no variation between questions" in message_of(found.why_none)
    apart = ppi_difference(one, sample(Y[::-1] * 4, F[::-1] * 4, U[::-1] * 4))
    assert apart.low < apart.value < apart.high


def sheets(random, questions, skewed):
    """Scores of 3 answers per question by annotators and a judge correlated .7 to .8 with them."""
    cuts = (-1.645, -1.405, -0.524) if skewed else (-0.674, 0, 0.674)
    shared = [random.standard_normal((questions, 1)) for _ in range(2)]
    truth, noise = (
        np.sqrt(0.4) * common + np.sqrt(0.6) * random.standard_normal((questions, 3))
        for common in shared
    )
    judge = 0.85 * truth + np.sqrt(1 - 0.85**2) * noise + 0.3
    return np.searchsorted(cuts, truth.ravel()), np.searchsorted(cuts, judge.ravel())


@pytest.mark.parametrize(("skewed", "truth"), [(True, 2.57), (False, 1.5)])
@pytest.mark.parametrize("graded", [10, 50])
def test_the_interval_holds_the_true_mean_as_often_as_it_says(skewed, truth, graded):
    random = np.random.default_rng(7)
    cluster = np.repeat(np.arange(graded * 5), 3)
    hits, given_, plain = 0, 0, 0
    for _ in range(1200):
        person, judge = sheets(random, graded * 5, skewed)
        known = np.where(cluster < graded, person, np.nan)
        found = ppi_mean(Sample(judge, known, np.ones(len(judge)), cluster), SCALE)
        if found.low is not None:
            given_ += 1
            hits += found.low <= truth <= found.high
            plain += abs(judge.mean() - truth) < 0.02
    assert given_ > 1150
    assert hits / given_ >= 0.92
    assert plain < hits / 2  # the judge's own mean is biased


def test_the_judge_makes_the_interval_shorter():
    random = np.random.default_rng(3)
    person, judge = sheets(random, 250, False)
    cluster = np.repeat(np.arange(250), 3)
    known = np.where(cluster < 50, person, np.nan)
    drawn = Sample(judge, known, np.ones(750), cluster)
    alone = rectified(drawn, 0)
    assert rectified(drawn).variance < 0.7 * alone.variance
