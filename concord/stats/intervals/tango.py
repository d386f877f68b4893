"""Tango's score interval for the difference of two paired shares, one answer per question.

The difference is first judge minus second, in the share of answers each gets right. Source: Tango
(1998), Equivalence test and confidence interval for the difference in proportions for the
paired-sample design. It counts answers as independent; with several to a question it is withheld.
"""

import math
from typing import NamedTuple, Self

import numpy as np
from scipy import optimize, stats

from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.estimate import Estimate, Reason, reason, undefined, with_interval


class Discordant(NamedTuple):
    """Counts of two judges on the same answers, as McNemar's and Tango's tests use them.

    Attributes:
        first_only: Answers on which only the first judge is right.
        second_only: Answers on which only the second is.
        questions: The questions these belong to. With fewer questions than answers both tests are
            withheld.
    """

    first_only: int
    second_only: int
    answers: int
    questions: int

    @classmethod
    def of(cls, first: np.ndarray, second: np.ndarray, cluster: np.ndarray) -> Self:
        """Count them from what each judge got right.

        All are (n,); `first` and `second` are boolean, whether the judge is right.
        """
        first, second = np.asarray(first, bool), np.asarray(second, bool)
        only = (int((first & ~second).sum()), int((second & ~first).sum()))
        return cls(*only, len(first), len(np.unique(cluster)))

    def why_dependent(self) -> Reason | None:
        """Return why these answers cannot be counted as independent; None where they can."""
        if self.answers == self.questions:
            return None
        return reason("answers_not_independent")


_EDGE = 1e-12


def difference(counts: Discordant, confidence: float = CONFIDENCE) -> Estimate:
    """Return the difference of the two shares, -1 to 1, with Tango's score interval.

    The two judges share at least one answer. Undefined where answers are not independent
    (`Discordant.why_dependent`).
    """
    why = counts.why_dependent()
    if why:
        return undefined(why)
    quantile = float(stats.norm.ppf((1 + confidence) / 2))
    value = (counts.first_only - counts.second_only) / counts.answers
    # Searched on either side of the estimate, where the score changes sign once.
    low = _limit(counts, -1 + _EDGE, value, quantile)
    high = _limit(counts, value, 1 - _EDGE, -quantile)
    method = f"Tango's score interval, {confidence:.0%} CI"
    return with_interval(value, min(low, value), max(high, value), method)


def score(counts: Discordant, delta: float) -> float:
    """Return Tango's score statistic: the difference's distance above `delta` in standard errors.

    The standard error is taken at the shares of maximum likelihood under this difference: q below
    is that share of answers that only the second judge gets right.

    Args:
        counts: The discordant answers.
        delta: -1 to 1, without the ends.
    """
    first, second, answers = counts.first_only, counts.second_only, counts.answers
    linear = -first - second + (2 * answers - first + second) * delta
    constant = -second * delta * (1 - delta)
    # Rounding can make the discriminant slightly negative at the ends of the range.
    root = math.sqrt(max(0.0, linear**2 - 8 * answers * constant))
    likeliest = (root - linear) / (4 * answers)
    variance = answers * (2 * likeliest + delta * (1 - delta))
    apart = first - second - answers * delta
    if variance <= 0:
        return math.copysign(math.inf, apart) if apart else 0.0
    return apart / math.sqrt(variance)


def _limit(counts: Discordant, low: float, high: float, wanted: float) -> float:
    """Return the difference at which the score is `wanted`; an end of the range without one."""
    # brentq needs a change of sign; without one the limit is an end of the range.
    if (score(counts, low) - wanted) * (score(counts, high) - wanted) >= 0:
        return round(low if wanted > 0 else high)
    return float(optimize.brentq(lambda delta: score(counts, delta) - wanted, low, high))
