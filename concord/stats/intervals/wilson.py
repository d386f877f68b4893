"""Wilson's interval for shares of answers, at the effective sample size.

Coverage measured on the sheets described in `resampling` (1,200 per cell, nominal 95 percent):
exact agreement of .74 and .94 is covered in .96-.99 of cases at 10 to 20 questions, .95-.97 at 45
and .94-.96 at 90; recall of failing answers in .95-.99. Wilson's interval alone covers a share
close to 1 (.994, .997) in .87-.99, depending on how many misses it takes for the upper limit to
fall below it; with the exact limit at the near end coverage is .95 or more (1,500 sheets per cell,
10 to 90 questions, 2, 3 or 1 to 6 answers each).
"""

import numpy as np
from scipy import special

from concord.stats.core.estimate import (
    CONFIDENCE,
    TOO_FEW,
    Estimate,
    level_note,
    reason,
    t_quantile,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, share_of

_FEW = 4 - 1e-9  # 20 answers of which .8 hit miss 3.9999999999999996


def proportion(
    hits: np.ndarray,
    base: np.ndarray,
    units: float | None = None,
    times: np.ndarray | float = 1.0,
    confidence: float = CONFIDENCE,
    inflation: float = 1.0,
) -> Estimate:
    """Return a share with Wilson's interval at the effective sample size, from sums per question.

    Answers to one question are correlated, so `tables.share_of` gives the size, and the quantile
    is Student's t with the effective number of questions - 1 degrees of freedom. Where fewer than
    four of the effective answers miss (or hit), the limit towards that end is the exact one
    (Clopper and Pearson 1934) if it lies further out.

    Args:
        hits: (G,) summed weight of the answers that hit, per question.
        base: (G,) summed weight of all answers; questions without any are left out.
        units: How many equally weighted scores `base` amounts to (`effective_number`); default its
            sum.
        times: (G,) number of questions each row represents, where equal ones are stored once.
        confidence: Level of the interval.
        inflation: How many times as large the variance is as that over questions, 1 or more: where
            the answers are scored by a fit, which differs from sample to sample too.

    Returns:
        The share, 0 to 1; undefined without answers, no interval below 10 effective questions.
    """
    if not (base > 0).any():
        return undefined(reason("nothing_to_count"))
    share, size, questions = map(float, share_of(hits, base, units, times))
    if questions < QUESTION_FLOOR - NEGLIGIBLE:
        return without_interval(share, TOO_FEW)
    size /= inflation
    quantile, tail = t_quantile(questions - 1, confidence), (1 - confidence) / 2
    low, high = map(float, limits(share, size, quantile, tail))
    answers = float((times * base).sum()) if units is None else units
    method = f"Wilson at effective n {size:.1f} of {answers:.1f}, t({questions - 1:.4g})"
    return with_interval(share, low, high, method + level_note(confidence))


def limits(
    share: float | np.ndarray,
    size: float | np.ndarray,
    quantile: float,
    tail: float = (1 - CONFIDENCE) / 2,
) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's limits of shares of `size` answers, or the exact ones where further out.

    The exact limit (Clopper and Pearson 1934) is considered at an end with fewer than four
    effective misses (or hits), but not at one without any.

    Args:
        share: 0 to 1.
        size: Effective sample size.
        quantile: Of the two-sided interval, for Wilson's.
        tail: The error of each side, for the exact one.
    """
    low, high = wilson(share, size, quantile)
    hits, misses = np.multiply(share, size), np.multiply(1 - np.asarray(share), size)
    # betaincinv needs positive parameters, hence the 1 below where the result is not used.
    near_one, near_none = (misses > 0) & (misses < _FEW), (hits > 0) & (hits < _FEW)
    highest = special.betaincinv(hits + 1, np.where(near_one, misses, 1), 1 - tail)
    lowest = special.betaincinv(np.where(near_none, hits, 1), misses + 1, tail)
    return (
        np.where(near_none, np.minimum(low, lowest), low),
        np.where(near_one, np.maximum(high, highest), high),
    )


def wilson(
    share: float | np.ndarray, size: float | np.ndarray, quantile: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of Wilson's score interval (Wilson 1927), 0 to 1, each around its share.

    `share` is 0 to 1, `size` above 0, the number of answers, also an effective one, and `quantile`
    that of the normal or t distribution. Never NaN: a share of 0 or 1 has limits too.
    """
    share = np.asarray(share, float)
    spread = quantile**2 / size
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    # Rounding may put a limit on the wrong side of a share of exactly 0 or 1.
    return np.minimum(share, np.maximum(0, middle - half)), np.maximum(
        share, np.minimum(1, middle + half)
    )
