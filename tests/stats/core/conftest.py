"""Fixtures of the tests of core."""

import numpy as np
import pytest

from concord.stats.core.pairs import judge_pairs
from concord.stats.statistics import figures

SCALE, FAILING = (0, 1, 2, 3), (0, 1)
QUESTIONS, EACH = 400, 2


@pytest.fixture(scope="module")
def drawn():
    """Errors and coverage of 300 draws: two thirds at random, one third where a judge suspects."""
    random = np.random.default_rng(20231)
    person, judge = _sheet(random)
    suspected = (judge <= 1).any(axis=1)
    truth = {
        "exact": (person == judge).mean(),
        "failure_recall": (judge <= 1)[person <= 1].mean(),
        "qwk": figures(_pairs(person, judge, np.ones(QUESTIONS)), SCALE, FAILING)["qwk"].value,
        "bias": (judge - person).mean(),
    }
    return truth, [_drawn(random, person, judge, suspected) for _ in range(300)]


def _sheet(random):
    """Grades 12 percent failing and alike within a question; the judge catches three quarters."""
    person = random.choice(4, (QUESTIONS, EACH), p=[0.04, 0.08, 0.38, 0.5])
    person[:, 1] = np.where(random.random(QUESTIONS) < 0.4, person[:, 0], person[:, 1])
    agrees = random.random(person.shape) < 0.75
    return person, np.where(agrees, person, random.choice(4, person.shape, p=[0.1, 0.1, 0.4, 0.4]))


def _drawn(random, person, judge, suspected):
    base, more = np.zeros((2, QUESTIONS), bool)
    base[random.choice(QUESTIONS, 80, replace=False)] = True
    more[random.choice(np.flatnonzero(suspected), 40, replace=False)] = True
    known = 1 - (1 - 80 / QUESTIONS) * (1 - suspected * 40 / suspected.sum())
    weight = np.where(base | more, 1 / known, 0)
    pairs = _pairs(person, judge, weight / weight[weight > 0].mean())
    plain = _pairs(person, judge, (weight > 0).astype(float))
    return figures(pairs, SCALE, FAILING), figures(plain, SCALE, FAILING)


def _pairs(person, judge, weight):
    """The pairs on questions of positive weight."""
    cluster = np.repeat(np.arange(QUESTIONS), EACH)
    item = np.flatnonzero(np.repeat(weight > 0, EACH))
    made = judge_pairs(item, judge.ravel()[item], item, person.ravel()[item], cluster)
    return made.weighing(np.repeat(weight, EACH))
