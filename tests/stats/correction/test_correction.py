import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from concord.messages import message_of
from concord.stats.correction.ppi import Sample, ppi_mean, rectified
from concord.stats.correction.proportional_odds import Fitted, fit, predict
from concord.stats.correction.rogan_gladen import (
    Rates,
    lee_interval,
    point,
    refusal,
    rogan_gladen,
)
from concord.stats.correction.selective_prediction import certify, halves, questions_needed


@pytest.mark.parametrize(
    ("alpha", "delta", "errors", "expected"),
    [
        (0.1, 0.05, 0, 29),
        (0.05, 0.05, 1, 93),
        (1e-6, 0.05, 0, None),
    ],
)
def test_how_many_questions_it_takes(alpha, delta, errors, expected):
    assert questions_needed(alpha, delta, errors) == expected


def test_one_early_error_does_not_keep_a_good_judge_from_being_accepted():
    """Each answer has a confidence of its own; three in a hundred are in error, the surest too."""
    random = np.random.default_rng(5)
    confidence = random.random(600)
    wrong = random.random(600) < 0.03
    wrong[np.argsort(confidence)[-20:]] = np.arange(20) % 5 == 0
    found = certify(confidence, wrong, np.arange(600), 0.1, 0.05)
    assert (found.threshold.confidence, found.threshold.questions) == (0.0, 300)


def test_one_answer_per_question_enters_and_halves_are_even():
    cluster = np.repeat(np.arange(41), 3)
    setting, testing, left = halves(cluster)
    assert sorted(cluster[[*setting, *testing]]) == list(range(41))
    assert (len(setting), len(testing), left) == (20, 21, 0)


def test_every_answer_is_equally_likely_to_test_the_threshold():
    """200 questions of one answer and 200 of four: four in five that test are of the latter."""
    cluster = np.repeat(np.arange(400), np.repeat([1, 4], 200))
    drawn = [halves(cluster, seed=seed)[1] for seed in range(50)]
    of_four = np.mean([cluster[row] >= 200 for rows in drawn for row in rows])
    assert of_four == pytest.approx(0.8, abs=0.02)
    setting, testing, left = halves(cluster)
    assert len(setting) == len(testing) + left == 200 and left > 50
    graded = halves(np.arange(400), np.repeat([1, 4], 200))  # one of four answers was graded
    assert np.mean(graded[1] >= 200) == pytest.approx(0.8, abs=0.08)


def test_a_judge_that_knows_when_it_is_right_is_certified():
    random = np.random.default_rng(2)
    sure = random.random(400) < 0.6
    wrong = random.random(400) < np.where(sure, 0.01, 0.5)
    found = certify(np.where(sure, 1.0, 0.5), wrong, np.arange(400), 0.1, 0.05)
    assert found.threshold.confidence == 1.0
    assert found.threshold.upper <= 0.1
    assert (found.setting, found.certifying, found.needed) == (200, 200, 29)


def test_nothing_is_certified_and_it_says_what_it_would_take():
    random = np.random.default_rng(2)
    found = certify(np.ones(300), random.random(300) < 0.3, np.arange(300), 0.1, 0.05)
    assert found.threshold is None
    assert found.tried.questions == 150
    assert found.more > 150
    few = certify(np.ones(20), np.zeros(20, bool), np.arange(20), 0.1, 0.05)
    assert (few.threshold, few.needed, few.tried.errors) == (None, 29, 0)


def test_without_answers_nothing_is_tried():
    found = certify(np.zeros(0), np.zeros(0, bool), np.zeros(0, int), 0.1, 0.05)
    assert (found.threshold, found.tried) == (None, None)


@pytest.mark.parametrize("error", [0.101, 0.13])
def test_a_judge_that_is_not_good_enough_is_certified_no_more_often_than_promised(error):
    """Every threshold has a true error above alpha, so each certificate is a mistake."""
    random = np.random.default_rng(13)
    mistakes = 0
    for _ in range(500):
        confidence = random.choice([1.0, 2 / 3, 1 / 3], 240)
        wrong = random.random(240) < error
        mistakes += certify(confidence, wrong, np.arange(240) // 2, 0.1, 0.1).threshold is not None
    assert mistakes / 500 <= 0.12


@given(st.floats(0, 1), st.floats(0.55, 1), st.floats(0.55, 1))
@settings(max_examples=50)
def test_it_undoes_what_the_error_rates_do(truth, sensitivity, specificity):
    share = truth * sensitivity + (1 - truth) * (1 - specificity)
    assert point(share, Rates(sensitivity, specificity, 50, 50)) == pytest.approx(truth)


@pytest.mark.parametrize(
    ("rates", "why"),
    [
        (Rates(0.9, 0.85, 29, 50), "too_few_of_a_graded_class"),
        (Rates(0.9, 0.85, 50, 12), "too_few_of_a_graded_class"),
        (Rates(0.9, 0.85, 3, 12), "too_few_of_both_graded_classes"),
        (Rates(0.4, 0.6, 50, 50), "judge_at_chance"),
        (Rates(0.7, 0.55, 50, 50), "judge_near_chance"),
    ],
)
def test_it_is_refused_with_the_reason(rates, why):
    assert refusal(rates).code == why
    found = rogan_gladen(0.7, 200, rates)
    assert (found.value, found.why_none.code) == (None, why)


def test_a_share_that_cannot_be_is_refused_and_one_that_may_is_held_at_the_end():
    rates = Rates(0.8, 0.9, 100, 100)
    assert "do not carry over" in message_of(rogan_gladen(1.0, 1000, rates).why_none)
    assert "do not carry over" in message_of(
        rogan_gladen(0.9, 50, rates).why_none
    )  # 1.143, error .079
    held = rogan_gladen(0.82, 50, rates)
    assert (held.value, held.high) == (1, 1)
    assert "held at 1, since the formula gives 1.029" in held.method


def test_without_answers_it_is_undefined():
    assert "graded none" in message_of(rogan_gladen(0.0, 0, Rates(0.9, 0.9, 50, 50)).why_none)


def test_the_interval_holds_the_true_share_as_often_as_it_says():
    random, truth, labels = np.random.default_rng(11), 0.85, (120, 32)
    sensitivity, specificity, answers, runs = 0.85, 0.8, 300, 1500
    share = truth * sensitivity + (1 - truth) * (1 - specificity)
    hits = 0
    for passed, right, wrong in zip(
        random.binomial(answers, share, runs) / answers,
        random.binomial(labels[0], sensitivity, runs) / labels[0],
        random.binomial(labels[1], specificity, runs) / labels[1],
        strict=True,
    ):
        low, high = lee_interval(passed, answers, Rates(right, wrong, *labels))
        hits += low <= truth <= high
    assert 0.93 <= hits / runs <= 0.99


def logistic_sheet(n=4000, seed=1):
    """Scores 0-3 from a proportional-odds model with slopes 2 and 0 at thresholds -2, 0, 1."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    latent = 2 * features[:, 0] + rng.logistic(size=n)
    return features, np.searchsorted([-2, 0, 1], latent)


def test_known_slopes_and_thresholds_are_recovered():
    features, scores = logistic_sheet()
    model = fit(features, scores, np.ones(len(scores)))
    assert model.slopes / model.spread == approx([2, 0], abs=0.15)
    intercepts = model.intercepts - (model.mean / model.spread) @ model.slopes
    assert intercepts == approx([2, 0, -1], abs=0.15)


def test_one_score_in_training_is_always_predicted():
    model = fit(np.ones((4, 2)), np.full(4, 2), np.ones(4))
    assert predict(model, np.zeros((3, 2))).tolist() == [2, 2, 2]


def test_crossing_probabilities_are_lowered_before_they_are_counted():
    crossed = Fitted(
        np.arange(4), np.zeros(1), np.ones(1), np.zeros(1), intercepts=np.array([1.0, -1.0, 2.0])
    )
    assert predict(crossed, np.zeros((1, 1))) == [1]


Y = [0, 1, 2, 3, 3, 2, 1, 0, 3, 3]
F = [0, 1, 3, 3, 2, 2, 1, 1, 3, 3]
U = [0, 1, 1, 2, 3, 3, 3, 2, 1, 0, 2, 3, 3, 1, 2, 2, 3, 3, 0, 1]
SCALE = (0, 3)


def sample(person, judge, rest, cluster=None, weight=None) -> Sample:
    """Annotators' and the judge's scores of the graded answers, then the judge's of the others."""
    scores = np.array([*judge, *rest], float)
    annotators = np.array([*person, *[np.nan] * len(rest)], float)
    alone = np.arange(len(scores)) if cluster is None else np.asarray(cluster)
    return Sample(scores, annotators, np.ones(len(scores)) if weight is None else weight, alone)


def test_with_every_answer_graded_the_judge_has_no_say():
    found = rectified(sample(Y, F, []))
    assert (found.value, found.tuning) == (pytest.approx(1.8), 0)


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


def test_below_thirty_graded_answers_nothing_is_set_right():
    found = ppi_mean(sample(Y, F, U), SCALE)
    assert found.value is None
    assert "fewer than 30 items" in message_of(found.why_none)


def test_a_mean_at_the_end_of_the_scale_has_no_interval():
    beyond = sample([3] * 29 + [2], [3] * 29 + [0], [3] * 50)
    assert rectified(beyond).value > 3
    assert "end of the scale" in message_of(ppi_mean(beyond, SCALE).why_none)


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


@pytest.mark.parametrize(("skewed", "truth", "graded"), [(True, 2.57, 50), (False, 1.5, 10)])
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
