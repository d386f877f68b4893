import numpy as np
import pytest

from concord.messages import message_of
from concord.stats.comparison.mean_change import ONE_SIDE, change
from concord.stats.core.estimate import Estimate
from concord.stats.reliability.variance_components import (
    ALIKE,
    NAMES,
    ONE_ANSWER,
    TOO_FEW,
    Components,
    components,
    plan,
)

# Brennan (2001), synthetic data set 4: 10 annotators, 3 tasks, 4 raters of each task; here graders,
# questions, and answers to each question. Table 3.2 has the scores, page 116 the parts.
BRENNAN = np.array(
    [
        [5, 6, 5, 5, 5, 3, 4, 5, 6, 7, 3, 3],
        [9, 3, 7, 7, 7, 5, 5, 5, 7, 7, 5, 2],
        [3, 4, 3, 3, 5, 3, 3, 5, 6, 5, 1, 6],
        [7, 5, 5, 3, 3, 1, 4, 3, 5, 3, 3, 5],
        [9, 2, 9, 7, 7, 7, 3, 7, 2, 7, 5, 3],
        [3, 4, 3, 5, 3, 3, 6, 3, 4, 5, 1, 2],
        [7, 3, 7, 7, 7, 5, 5, 7, 5, 5, 5, 4],
        [5, 8, 5, 7, 7, 5, 5, 4, 3, 2, 1, 1],
        [9, 9, 8, 8, 6, 6, 6, 5, 5, 8, 1, 1],
        [4, 4, 4, 3, 3, 5, 6, 5, 5, 7, 1, 1],
    ],
    float,
)
TASK = np.repeat([0, 1, 2], 4)
# The six targets and four judges of Shrout and Fleiss (1979).
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)


def values(found):
    return [getattr(found, name).value for name in NAMES]


def test_the_published_example_of_generalizability_theory_comes_out_to_its_last_place():
    found = components(BRENNAN, TASK)
    assert values(found) == pytest.approx([0.3252, 0.6475, 0.4731, 0.5596, 2.3802], abs=1e-4)
    assert (found.graders, found.grades, found.per_question) == (10, 120, 4)


def test_with_one_answer_per_question_the_parts_follow_from_the_published_mean_squares():
    found = components(SHROUT.T, np.arange(6))
    assert found.answer.value == pytest.approx((11.2417 - 1.0194) / 4, abs=1e-4)
    assert found.grader.value == pytest.approx((32.4861 - 1.0194) / 6, abs=1e-4)
    assert found.rest.value == pytest.approx(1.0194, abs=1e-4)
    assert {found.question.why_none, found.grader_on_question.why_none} == {ONE_ANSWER}


def test_the_parts_by_hand():
    """Two graders, two questions of two answers: sums of squares of the totals, one by one.

    Grader 1 gives 0 2 | 1 3, grader 2 gives 1 3 | 2 2. All: 14² / 8 = 24.5. Questions: (6² + 8²)
    / 4 = 25. Answers: (1 + 25 + 9 + 25) / 2 = 30. Graders: (6² + 8²) / 4 = 25. Grader and
    question: (4 + 16 + 16 + 16) / 2 = 26. Scores: 32. In mean squares: questions .5, answers
    5 / 2, graders .5, grader on question .5, rest (32 - 30 - 26 + 25) / 2 = .5.
    """
    found = components(np.array([[0.0, 2, 1, 3], [1, 3, 2, 2]]), np.array([0, 0, 1, 1]))
    assert found.rest.value == pytest.approx(0.5)
    assert found.grader_on_question.value == pytest.approx((0.5 - 0.5) / 2)
    assert found.grader.value == pytest.approx((0.5 - 0.5) / 4)
    assert found.answer.value == pytest.approx((2.5 - 0.5) / 2)
    assert found.question.value == pytest.approx((0.5 - 2.5 - 0.5 + 0.5) / 4)


def test_parts_are_right_on_average_where_scores_are_missing():
    random = np.random.default_rng(7)
    truth = np.array([0.5, 0.3, 0.2, 0.1, 0.4])
    found = []
    for _ in range(150):
        question, answer = np.repeat(random.normal(size=20), 3), random.normal(size=60)
        grader, pair = random.normal(size=(4, 1)), np.repeat(random.normal(size=(4, 20)), 3, axis=1)
        rest = random.normal(size=(4, 60))
        drawn = (question, answer, grader, pair, rest)
        ratings = sum(np.sqrt(part) * one for part, one in zip(truth, drawn, strict=True))
        ratings[random.random((4, 60)) < 0.5] = np.nan
        found.append(values(components(ratings, np.repeat(np.arange(20), 3))))
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - truth) < 4 * error).all()


def test_a_plan_adds_up_the_parts_over_what_there_is_of_each():
    found = components(BRENNAN, TASK)
    once, twice = plan(found, 120, 1), plan(found, 120, 2)
    material = 4 * 0.325154 + 0.647531
    rest = 0.473148 / found.graders + (4 * 0.559568 + 2.380247) / 120
    assert (once.answers, twice.answers) == (120, 60)
    assert once.standard_error == pytest.approx(np.sqrt(material / 120 + rest), abs=1e-5)
    assert twice.standard_error == pytest.approx(np.sqrt(material / 60 + rest), abs=1e-5)


@pytest.mark.parametrize("per_answer", [1, 2])
def test_the_error_of_a_plan_is_that_of_the_means_of_campaigns_made_so(per_answer):
    """Four annotators, 96 grades: 96 answers shared out, or 48 graded twice; two to a question."""
    random = np.random.default_rng(11)
    parts = {"question": 0.4, "answer": 0.5, "grader": 0.2, "grader_on_question": 0.1, "rest": 0.3}
    estimates = {name: Estimate(value) for name, value in parts.items()}
    known = Components(**estimates, graders=4, grades=96, per_question=2)
    questions = 48 // per_answer
    who = (np.arange(questions)[:, None] + np.arange(per_answer)) % 4
    means = []
    for _ in range(3000):
        drawn = {
            "question": random.normal(size=(questions, 1, 1)),
            "answer": random.normal(size=(questions, 2, 1)),
            "grader": random.normal(size=4)[who][:, None, :],
            "grader_on_question": random.normal(size=(questions, 1, per_answer)),
            "rest": random.normal(size=(questions, 2, per_answer)),
        }
        means.append(np.mean(sum(np.sqrt(parts[name]) * one for name, one in drawn.items())))
    assert np.std(means) == pytest.approx(plan(known, 96, per_answer).standard_error, rel=0.04)


def test_graders_who_do_not_differ_have_no_part():
    scores = np.array([0.0, 1, 2, 3, 1, 2, 0, 3])
    flat = np.stack([scores, scores[::-1]])
    found = components(flat, np.arange(8))
    assert found.grader.value <= 0 and found.grader.why_none == ALIKE
    assert found.variance("grader") == 0


@pytest.mark.parametrize(
    "ratings",
    [
        np.array([[1.0, 2, 3]]),
        np.array([[1.0, np.nan, 3], [np.nan, 2, np.nan]]),
        np.full((2, 3), np.nan),
    ],
)
def test_without_an_answer_that_two_graded_nothing_is_told_apart(ratings):
    found = components(ratings, np.arange(3))
    assert {getattr(found, name).why_none for name in NAMES} == {TOO_FEW}


def test_questions_of_one_document_are_one_question_also_in_words():
    found = components(np.array([[1.0, 2, 3], [1, 2, 2]]), np.zeros(3, int))
    assert message_of(found.grader.why_none).startswith("it requires two annotators,")
    assert message_of(found.grader.why_none).endswith("(those of one document count as one)")


def test_the_grader_part_has_the_interval_of_a_variance_seen_in_few():
    found = components(BRENNAN, TASK).grader
    assert found.low == pytest.approx(found.value * 9 / 19.0228, rel=1e-4)
    assert found.high == pytest.approx(found.value * 9 / 2.70039, rel=1e-4)


def test_a_change_is_the_later_mean_minus_the_earlier_by_question():
    values_, later = np.array([0.0, 1, 1, 3]), np.array([False, False, True, True])
    found = change(values_, np.ones(4), later, np.arange(4))
    assert found.value == pytest.approx(2 - 0.5) and found.low is None
    weighted = change(values_, np.array([1.0, 3, 1, 1]), later, np.arange(4))
    assert weighted.value == pytest.approx(2 - 0.75)
    many = change(np.tile(values_, 10), np.ones(40), np.tile(later, 10), np.arange(40))
    assert many.low < many.value < many.high
    assert change(values_, np.ones(4), np.ones(4, bool), np.arange(4)).why_none == ONE_SIDE


def test_with_scores_missing_the_parts_are_those_of_the_projections_themselves():
    """The expected sums of squares as traces of projections, spelt out with indicator matrices."""
    random = np.random.default_rng(11)
    cluster = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4])
    ratings = random.integers(0, 4, (3, 12)).astype(float)
    ratings[random.random((3, 12)) < 0.3] = np.nan
    grader, answer = np.nonzero(~np.isnan(ratings))
    score = ratings[grader, answer] - np.nanmean(ratings)
    question = cluster[answer]
    levels = [np.zeros_like(grader), question, answer, grader, 3 * question + grader]
    levels = [level[:, None] == np.unique(level) for level in (*levels, np.arange(len(score)))]
    indicators = [level.astype(float) for level in levels]
    projections = [z @ np.diag(1 / z.sum(axis=0)) @ z.T for z in indicators]
    seen = [score @ projection @ score for projection in projections]
    expected = [[np.trace(p @ z @ z.T) for z in indicators] for p in projections]
    parts = np.linalg.solve(np.array(expected), np.array(seen))[1:]
    assert values(components(ratings, cluster)) == pytest.approx(parts.tolist())
