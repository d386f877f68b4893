"""Selective prediction with a guarantee: which of a judge's scores can be trusted.

Scores of a cheap judge are accepted above a confidence threshold; the rest goes to a more expensive
judge or to annotators. A threshold is certified where, at the wanted confidence level, at most a
share alpha of the accepted answers disagree with annotators. Nothing is certified where the
evidence does not suffice.

The bound is the exact binomial one, which assumes independent answers: so one answer per question
enters. It is meant for the share of answers, and questions with many answers may err more often: so
a question enters the test with a probability in proportion to its number of answers, which makes
every answer equally likely to be the one (rejection sampling). Simulated in
`benchmarks/cascade.py`. Source: Jung, Brahman and Choi (2025), Trust or Escalate (ICLR); where no
threshold passes, they fall back to the strictest, while nothing is certified here.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import stats

from concord.stats.intervals.resampling import SEED
from concord.stats.intervals.simultaneous import at_most

MOST_ASKED = 100_000
_DECIMALS, _TINY = 9, 1e-9


class Threshold(NamedTuple):
    """A confidence threshold and the evidence on the answers at or above it.

    Attributes:
        confidence: Answers at or above it are accepted.
        errors: Number of these that disagree with annotators.
        upper: Upper bound of the error rate, with confidence 1 - delta.
        passes: True where `upper` is at most alpha.
    """

    confidence: float
    questions: int
    errors: int
    upper: float
    passes: bool


class Certified(NamedTuple):
    """A certified threshold, or none.

    Attributes:
        threshold: Evidence on the questions that did not set it; None where nothing is certified.
        tried: The threshold that was set on the first half of the questions, as it does on the
            other half; None where no question was there to set it.
        certifying: How many questions certified it, or failed to.
        not_drawn: How many more there were that the sampling by number of answers left out.
        needed: How many questions without an error certify; `more` with as many errors as seen.
        more: How many believed questions would certify at the errors seen; None beyond 100,000.
    """

    threshold: Threshold | None
    tried: Threshold | None
    setting: int
    certifying: int
    not_drawn: int
    needed: int
    more: int | None


@cache
def questions_needed(alpha: float, delta: float, errors: int = 0) -> int | None:
    """Return the fewest questions that certify alpha with that many errors; None beyond 100,000."""
    low, high = errors, errors + 1
    # Doubling and bisection: the bound falls as questions are added, and each evaluation takes a
    # root.
    while high < MOST_ASKED and at_most(errors, high, delta) > alpha:
        low, high = high, 2 * high
    if high >= MOST_ASKED:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if at_most(errors, middle, delta) > alpha:
            low = middle
        else:
            high = middle
    return high


def certify(
    confidence: np.ndarray,
    wrong: np.ndarray,
    cluster: np.ndarray,
    alpha: float,
    delta: float,
    answers: np.ndarray | None = None,
    seed: int = SEED,
) -> Certified:
    """Set a threshold on half of the questions and certify it on the others.

    One answer per question enters, drawn at random, in both halves. The first half sets the
    threshold that is expected to certify most, as the roundest number between two confidences; on
    the other half it is the only one tested. The bound holds for the share of answers, of questions
    that have at most as many as the largest one here.

    Args:
        confidence: (n,) of the judge in each answer, 0 to 1; any number of distinct ones.
        wrong: (n,) True where it disagrees with annotators.
        cluster: (n,) cluster of each answer.
        alpha: Maximum error rate of accepted answers.
        delta: One minus the confidence of the guarantee.
        answers: (C,) how many answers each cluster has on the sheet; those given where None.
        seed: Of the draws of answers and halves.
    """
    needed = questions_needed(alpha, delta)
    if not len(cluster):
        return Certified(None, None, 0, 0, 0, needed, None)
    setting, testing, left = halves(cluster, answers, seed)
    # One threshold only reaches the other half, so delta is not divided among several.
    level = _set_on(confidence[setting], wrong[setting], len(testing), alpha, delta)
    extent = len(setting), len(testing), left
    if level is None:
        return Certified(None, None, *extent, needed, None)
    tried = at(level, confidence[testing], wrong[testing], alpha, delta)
    more = questions_needed(alpha, delta, tried.errors)
    return Certified(tried if tried.passes else None, tried, *extent, needed, more)


def at(
    level: float, confidence: np.ndarray, wrong: np.ndarray, alpha: float, delta: float
) -> Threshold:
    """Return the evidence for the answers at or above one level of confidence."""
    believed = confidence >= level
    questions, errors = int(believed.sum()), int(wrong[believed].sum())
    upper = at_most(errors, questions, delta)
    return Threshold(level, questions, errors, upper, upper <= alpha)


def halves(
    cluster: np.ndarray, answers: np.ndarray | None = None, seed: int = SEED
) -> tuple[np.ndarray, np.ndarray, int]:
    """One random answer of each question: of those that set the threshold, and that test it.

    Those that test it are drawn with a chance in proportion to the question's number of answers.

    Returns:
        The rows that set the threshold, those that test it, and how many were not drawn for that.
    """
    answers = np.bincount(cluster) if answers is None else answers
    random = np.random.default_rng([seed, len(cluster)])
    order = random.permutation(len(cluster))
    # The first occurrence in random order is a random answer of each question.
    chosen = order[np.unique(cluster[order], return_index=True)[1]]
    first = random.permutation(np.arange(len(chosen)) < len(chosen) // 2)
    # Thinned in proportion to the answers, so that a bound on questions holds for the share of
    # answers.
    drawn = random.random(len(chosen)) * answers.max() < answers[cluster[chosen]]
    testing = chosen[~first & drawn]
    return chosen[first], testing, int((~first & ~drawn).sum())


def _set_on(
    confidence: np.ndarray, wrong: np.ndarray, testing: int, alpha: float, delta: float
) -> float | None:
    """The threshold to try on `testing` other questions; None without any to set it.

    Any rule would do, since only the other half tests it. This one takes the threshold that is
    expected to certify most questions: its number of accepted ones times the chance that these pass
    at the error rate seen here. Of many thresholds, the lowest that passes here would pass there by
    luck, and the safest would accept too little. Where none has a chance, the least upper bound.
    """
    if not len(confidence):
        return None
    levels, code = np.unique(-confidence, return_inverse=True)
    accepted, errors = np.bincount(code).cumsum(), np.bincount(code, wrong).cumsum()
    there = np.floor(accepted * testing / len(confidence))
    allowed = stats.binom.ppf(delta, there, alpha) - 1
    chance = stats.binom.cdf(allowed, there, (errors + 0.5) / (accepted + 1))
    if (chance * there).any():
        best = int((chance * there).argmax())
    else:
        free = np.maximum(accepted - errors, 0.5)  # none is left where all are in error
        upper = stats.beta.isf(delta, errors + 1, free)
        best = int(np.where(errors < accepted, upper, 1.0).argmin())
    # All are accepted: the other half may have less confident answers than this one.
    return _roundest(-levels[best + 1], -levels[best]) if best + 1 < len(levels) else 0.0


def _roundest(above: float, most: float) -> float:
    """The number of the fewest decimals that is above one confidence and at most another."""
    for decimals in range(1, _DECIMALS):
        found = math.floor(most * 10**decimals + _TINY) / 10**decimals
        if above < found <= most:
            return found
    return float(most)
