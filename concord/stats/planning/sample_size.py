"""Sample size by formula, before anything is labelled.

All functions return answers, rounded up. Answers to one question are correlated, so every formula
takes the design effect, by which the number of independent answers is multiplied. With a labelled
pilot use `pilot_of_share`.
"""

import math

from scipy import stats


def for_share(
    half_width: float, share: float, design_effect: float = 1, confidence: float = 0.95
) -> int:
    """Return the answers for a CI of `share` plus or minus `half_width`: z^2 p (1 - p) / w^2.

    A share of .5 is the most conservative plan.

    Args:
        half_width: 0 to 1, without the ends.
        share: The agreement expected, 0 to 1.
        design_effect: At least 1 where answers share questions.
        confidence: Of the interval, two-sided.
    """
    _between(half_width, 0, 1, "half_width")
    quantile = _normal((1 + confidence) / 2)
    return _up(quantile**2 * share * (1 - share) / half_width**2 * design_effect)


def _normal(probability: float) -> float:
    return float(stats.norm.ppf(probability))


def _up(number: float) -> int:
    # 44.000000000001 is a rounding error, not a forty-fifth answer.
    return math.ceil(round(number, 9))


def _between(number: float, low: float, high: float, name: str) -> None:
    if not low < number < high:
        raise ValueError(f"{name} must lie between {low} and {high}: {number}")
