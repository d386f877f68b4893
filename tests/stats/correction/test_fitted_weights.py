"""Weights fitted to annotators' composite, and tested on questions they were not fitted to."""

import numpy as np
import pytest

from concord.messages import message_of
from concord.stats.correction import fitted_weights


def made(n=90, seed=1, noise=0.02, questions=30):
    random = np.random.default_rng(seed)
    values = random.uniform(size=(n, 3))
    annotators = 0.5 + 2 * values[:, 0] + values[:, 1] + random.normal(0, noise, n)
    return values, annotators, np.arange(n) % questions


def test_weights_that_made_the_composite_are_found_again():
    found = fitted_weights.fit(*made())
    assert found.weights == pytest.approx([2, 1, 0], abs=0.05)
    assert found.intercept == pytest.approx(0.5, abs=0.05)
    assert found.by_fold.shape == (5, 3)


def test_a_metric_that_speaks_against_annotators_weighs_nothing_and_not_less():
    values, annotators, cluster = made()
    against = np.column_stack([values[:, :2], 1 - values[:, 0]])
    found = fitted_weights.fit(against, annotators, cluster)
    assert found.weights.min() == 0 and found.by_fold.min() >= 0


def test_noise_predicts_nothing_out_of_fold_though_it_would_in_sample():
    random = np.random.default_rng(4)
    values, annotators = random.uniform(size=(60, 6)), random.uniform(size=60)
    found = fitted_weights.fit(values, annotators, np.arange(60))
    in_sample = np.corrcoef(values @ found.weights + found.intercept, annotators)[0, 1]
    assert in_sample > 0.15 > np.corrcoef(found.out_of_fold, annotators)[0, 1]


def test_no_answer_is_predicted_from_another_answer_of_its_question():
    """Every question has a level of its own that only its own answers could give away."""
    random = np.random.default_rng(5)
    level, cluster = random.normal(0, 1, 40), np.repeat(np.arange(40), 3)
    values = np.column_stack([random.uniform(size=120), np.repeat(random.uniform(size=40), 3)])
    annotators = level[cluster]
    found = fitted_weights.fit(values, annotators, cluster)
    assert abs(np.corrcoef(found.out_of_fold, annotators)[0, 1]) < 0.5
    for question in range(40):
        assert len({*found.constant[cluster == question].round(9)}) == 1


def test_a_metric_that_does_not_vary_weighs_nothing():
    values, annotators, cluster = made()
    values[:, 2] = 0.5
    assert fitted_weights.fit(values, annotators, cluster).weights[2] == 0


def test_heavier_answers_count_more():
    values, annotators, cluster = made()
    annotators[:45] = values[
        :45, 2
    ]  # the first half were made otherwise, and weigh next to nothing
    weight = np.repeat([1e-6, 1.0], [45, 45])
    assert fitted_weights.fit(values, annotators, cluster, weight).weights == pytest.approx(
        [2, 1, 0], abs=0.1
    )


@pytest.mark.parametrize(
    ("answers", "questions", "metrics", "said"),
    [
        (
            29,
            29,
            1,
            "it requires 30 answers with annotators' composite and every metric; so far 29",
        ),
        (
            40,
            40,
            5,
            "it requires 50 answers with annotators' composite and every metric; so far 40",
        ),
        (60, 19, 2, "under 20 questions"),
        (60, 20, 2, None),
    ],
)
def test_below_the_floors_it_says_what_it_takes(answers, questions, metrics, said):
    random = np.random.default_rng(1)
    values = random.uniform(size=(answers, metrics))
    why = fitted_weights.too_few(values, values[:, 0], np.arange(answers) % questions)
    assert why is None if said is None else said in message_of(why)


def test_where_annotators_gave_all_the_same_there_is_nothing_to_fit():
    values, _, cluster = made()
    assert fitted_weights.too_few(values, np.ones(90), cluster) == fitted_weights.NO_SPREAD
