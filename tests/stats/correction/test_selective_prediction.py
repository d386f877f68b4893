import numpy as np
import pytest

from concord.stats.correction.selective_prediction import certify, halves, questions_needed
from concord.stats.intervals.simultaneous import at_most


@pytest.mark.parametrize(
    ("errors", "questions", "delta", "expected"),
    [
        (6, 120, 0.1, 0.08611285928767048),
        (0, 29, 0.05, 0.0981446276772957),
        (3, 60, 0.1, 0.1079652371783049),
        (5, 5, 0.1, 1.0),
        (0, 0, 0.1, 1.0),
    ],
)
def test_the_bound_is_the_exact_binomial_one(errors, questions, delta, expected):
    assert at_most(errors, questions, delta) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("alpha", "delta", "errors", "expected"),
    [
        *((0.1, 0.1, 0, 22), (0.1, 0.05, 0, 29), (0.05, 0.1, 0, 45), (0.05, 0.05, 0, 59)),
        *((0.1, 0.1, 1, 38), (0.1, 0.05, 1, 46), (0.05, 0.1, 1, 77), (0.05, 0.05, 1, 93)),
        (1e-6, 0.05, 0, None),
    ],
)
def test_how_many_questions_it_takes(alpha, delta, errors, expected):
    assert questions_needed(alpha, delta, errors) == expected


def test_the_threshold_is_a_round_number_between_two_confidences():
    """Right at or above .7312, wrong below .7298: .73 parts them."""
    confidence = np.r_[np.linspace(0.7312, 0.99, 200), np.linspace(0.1, 0.7298, 200)]
    found = certify(confidence, confidence < 0.731, np.arange(400), 0.1, 0.05)
    assert 0.6 < found.threshold.confidence < 0.74
    assert len(str(found.threshold.confidence)) <= 5
    sharp = np.repeat([0.7312, 0.7298], 200)
    found = certify(sharp, sharp < 0.731, np.arange(400), 0.1, 0.05)
    assert found.threshold.confidence == 0.73


def test_one_early_error_does_not_keep_a_good_judge_from_being_accepted():
    """Each answer has a confidence of its own; three in a hundred are in error, the surest too."""
    random = np.random.default_rng(5)
    confidence = random.random(600)
    wrong = random.random(600) < 0.03
    wrong[np.argsort(confidence)[-20:]] = np.arange(20) % 5 == 0
    found = certify(confidence, wrong, np.arange(600), 0.1, 0.05)
    assert (found.threshold.confidence, found.threshold.questions) == (0.0, 300)


def test_a_higher_limit_accepts_more():
    random = np.random.default_rng(6)
    confidence = random.random(1000)
    wrong = random.random(1000) < 0.5 * (1 - confidence)
    by_limit = [
        certify(confidence, wrong, np.arange(1000), limit, 0.05).tried.confidence
        for limit in (0.1, 0.2, 0.4)
    ]
    assert by_limit == sorted(by_limit, reverse=True)
    assert by_limit[0] > 0.5 and by_limit[-1] == 0.0


@pytest.mark.parametrize("knows", [0.0, 1.0])
def test_a_confidence_of_its_own_on_every_answer_is_certified_no_more_often_than_promised(knows):
    """Errors fall with confidence or not; a threshold below .5, or any, is a mistake."""
    random = np.random.default_rng(29)
    mistakes = 0
    for _ in range(500):
        confidence = random.random(400)
        # From .5 on the mean of the factor is .5 where errors fall.
        factor = 2 * (1 - confidence) if knows else 0.5
        wrong = random.random(400) < 0.202 * factor
        found = certify(confidence, wrong, np.arange(400), 0.1, 0.05).threshold
        mistakes += found is not None and (not knows or found.confidence < 0.49)
    assert mistakes / 500 <= 0.06


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


def test_clusters_do_not_break_the_guarantee():
    """All three answers to a question are right or wrong together; the true error is 12%."""
    random = np.random.default_rng(17)
    mistakes = 0
    for _ in range(300):
        wrong = np.repeat(random.random(100) < 0.12, 3)
        cluster = np.repeat(np.arange(100), 3)
        mistakes += certify(np.ones(300), wrong, cluster, 0.1, 0.1).threshold is not None
    assert mistakes / 300 <= 0.12


@pytest.mark.parametrize("questions", [60, 240])
def test_the_bound_holds_for_answers_where_long_questions_are_in_error_more_often(questions):
    """1 to 6 answers per question; of all answers 10.1% are in error, of six 15%, of one none."""
    random = np.random.default_rng(23)
    mistakes = 0
    for _ in range(400):
        size = random.integers(1, 7, questions)
        wrong = random.random(size.sum()) < np.repeat(0.0303 * (size - 1), size)
        cluster = np.repeat(np.arange(questions), size)
        found = certify(np.ones(len(wrong)), wrong, cluster, 0.1, 0.05)
        mistakes += found.threshold is not None
    assert mistakes / 400 <= 0.06
