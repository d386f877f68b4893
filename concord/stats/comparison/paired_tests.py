"""Paired tests: is one judge better than another on the same answers, or could it be chance?

The sign flip needs no distribution: were there no difference, each question's summed difference
could as well have had the other sign. McNemar's test and Tango's score interval for the difference
of the two shares of right answers are for one answer per question: they count answers as
independent, which answers to one question are not, and are withheld there.

Source: Tango (1998), Equivalence test and confidence interval for the difference in proportions for
the paired-sample design. The difference is the first judge minus the second.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from concord.stats.core.estimate import (
    CONFIDENCE,
    Estimate,
    Why,
    reason,
    with_interval,
)
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.resampling import SEED

OUTCOMES_AT_MOST = 100_000
FLIPS = 100_000
_BITS_AT_ONCE = 4_000_000


class SignFlip(NamedTuple):
    """Result of the sign-flip test.

    Attributes:
        p_value: Two-sided, 0 to 1: probability under random signs of a total at least as far from
            0. None without questions.
        total: The observed sum over the questions.
        questions: Number of questions, those with sum 0 included.
        method: How the p-value was computed.
        why_none: Why `p_value` is None.
    """

    p_value: float | None
    total: float
    questions: int
    method: str = ""
    why_none: Why | None = None


def sign_flip(sums: np.ndarray, flips: int = FLIPS, seed: int = SEED) -> SignFlip:
    """Test that the questions' differences lie around 0 alike on both sides (Fisher 1935).

    Questions with equal sums up to sign are interchangeable, so only how many of each kind keep
    their sign matters. Where that makes at most 100,000 outcomes (always with up to 16 questions)
    all are counted, with their probabilities, and p is exact. Else signs are flipped at random and
    p is (1 + r) / (R + 1), r of the R flips being at least as far from 0 as what was observed.

    `sums` is (G,), the summed differences of each question; `flips` and `seed` count where p is not
    exact.
    """
    sums = np.asarray(sums, float)
    total = float(sums.sum())
    if len(sums) == 0:
        return SignFlip(None, 0.0, 0, why_none=reason("no_shared_question"))
    sizes = np.abs(sums[np.abs(sums) > NEGLIGIBLE])
    # Weights such as 1/3 leave equal sums a rounding error apart.
    _, first, times = np.unique(np.round(sizes, 9), return_index=True, return_counts=True)
    sizes = sizes[first]
    # The tolerance counts the observed total itself as extreme, whatever the order of addition.
    least = abs(total) - 1e-9 * max(1.0, abs(sums).max(initial=0))
    if np.log(times + 1.0).sum() <= np.log(max(1, OUTCOMES_AT_MOST)) + NEGLIGIBLE:
        totals, chances = np.zeros(1), np.ones(1)
        for size, count in zip(sizes, times, strict=True):
            kept = np.arange(count + 1)
            totals = (totals[:, None] + size * (2 * kept - count)).ravel()
            chances = (chances[:, None] * stats.binom.pmf(kept, count, 0.5)).ravel()
        p_value = min(1.0, float(chances[np.abs(totals) >= least].sum()))
        method = "sign flip of question sums, exact"
        return SignFlip(p_value, total, len(sums), method)
    random = np.random.default_rng(seed)
    # Equal sums are drawn together as one binomial; only distinct ones need a bit for each sign.
    lone = sizes[times == 1]
    totals, octets = np.zeros(flips), -(-len(lone) // 8)
    block = max(1, _BITS_AT_ONCE // max(1, len(lone)))
    for start in range(0, flips if octets else 0, block):
        part = slice(start, min(start + block, flips))
        drawn = random.integers(0, 256, (part.stop - start, octets), dtype=np.uint8)
        kept = np.unpackbits(drawn, axis=1, count=len(lone)).astype(float)
        totals[part] = 2 * (kept @ lone) - lone.sum()
    for size, count in zip(sizes[times > 1], times[times > 1], strict=True):
        totals += size * (2.0 * random.binomial(count, 0.5, flips) - count)
    # What was observed is one of the possible outcomes, so p is never 0.
    p_value = float((1 + np.count_nonzero(np.abs(totals) >= least)) / (flips + 1))
    method = f"sign flip of question sums, {flips} flips, seed {seed}"
    return SignFlip(p_value, total, len(sums), method)


class Discordant(NamedTuple):
    """Counts of two judges on the same answers, as McNemar's and Tango's tests use them.

    Attributes:
        first_only: Answers on which only the first judge is right.
        second_only: Answers on which only the second is.
    """

    first_only: int
    second_only: int
    answers: int


_EDGE = 1e-12


def difference(counts: Discordant, confidence: float = CONFIDENCE) -> Estimate:
    """Return the difference of the two shares, -1 to 1, with Tango's score interval.

    The two judges share at least one answer.
    """
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


class McNemar(NamedTuple):
    """Result of McNemar's test; all p-values are two-sided.

    Attributes:
        exact: Exact binomial test of the discordant answers; conservative with few of them.
        mid_p: The mid-p variant, which is less conservative.
        why_none: Why both are None.
    """

    exact: float | None
    mid_p: float | None
    why_none: Why | None = None


def mcnemar(counts: Discordant) -> McNemar:
    """The exact and the mid-p test of no difference between two paired shares.

    Sources: McNemar (1947); Fagerland, Lydersen and Laake (2013) for mid-p.
    """
    together = counts.first_only + counts.second_only
    if together == 0:
        return McNemar(None, None, reason("no_discordant_answer"))
    fewer = min(counts.first_only, counts.second_only)
    twice = 2 * float(stats.binom.cdf(fewer, together, 0.5))
    observed = float(stats.binom.pmf(fewer, together, 0.5))
    return McNemar(min(1.0, twice), min(1.0, twice - observed))
