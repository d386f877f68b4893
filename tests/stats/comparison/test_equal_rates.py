"""Equal error rates over answering models: the test's level, its power, and the variance."""

import numpy as np
import pytest

from benchmarks import equal_rates as benchmark
from concord.stats.comparison.equal_rates import ONE_MODEL, TOO_FEW, equal_rates


def made(random, rates, questions=80):
    """Every model answers every question; the judge is right in these shares of its answers."""
    models = len(rates)
    hard = random.normal(size=(questions, 1)) * 0.5 + random.normal(size=(questions, models))
    right = hard < np.quantile(hard, rates)[None]
    cluster, model = (grid.ravel() for grid in np.indices((questions, models)))
    passing = random.random(questions * models) < 0.6
    return passing, right.ravel(), model, cluster, np.ones(questions * models)


def test_equal_rates_are_rejected_about_as_often_as_the_level_says():
    random = np.random.default_rng(3)
    rejected = [equal_rates(*made(random, [0.8] * 4)).differ for _ in range(150)]
    assert np.mean(rejected) < 0.12


def test_rates_that_differ_are_found_with_how_far_they_do():
    random = np.random.default_rng(4)
    found = [equal_rates(*made(random, [0.9, 0.9, 0.6, 0.6], 200)) for _ in range(20)]
    assert np.mean([one.differ for one in found]) > 0.9
    varies = np.mean([one.sensitivity_varies for one in found])
    assert varies == pytest.approx(np.var([0.9, 0.9, 0.6, 0.6], ddof=1), rel=0.25)


def test_what_cannot_be_tested_says_why():
    random = np.random.default_rng(5)
    assert equal_rates(*made(random, [0.8])).why_none == ONE_MODEL
    assert equal_rates(*made(random, [0.8, 0.8], 9)).why_none == TOO_FEW


def test_the_test_and_the_variance_make_intervals_hold_the_truth_more_often():
    """A small version of the benchmark; a spread of .5 on logits, 20 sheets of 4 models."""
    found = benchmark.covered(np.random.default_rng(1), 20, 150, 0.6, 0.5)
    assert found.held_before / found.before < 0.9
    assert 0 < found.given < found.every and found.held / found.given > 0.9
