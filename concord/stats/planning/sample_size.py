"""Sample size by formula, before anything is labelled.

All functions return answers, rounded up. Answers to one question are correlated, so every formula
takes the design effect, by which the number of independent answers is multiplied. With a labelled
pilot use `planning.pilot`.
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


def for_non_inferiority(
    margin: float,
    discordant: float,
    difference: float = 0,
    design_effect: float = 1,
    level: float = 0.05,
    power: float = 0.8,
) -> int:
    """Return the answers needed to show, with this power, non-inferiority at `margin`.

    (z_level + z_power)^2 (psi - d^2) / (margin + d)^2 for the paired difference d of shares, psi
    the share of answers on which only one judge is right (Connor 1987, with the null moved).

    Args:
        margin: Non-inferiority margin, 0 to 1.
        discordant: psi, 0 to 1.
        difference: The true difference planned for, cheap minus dear; 0 is the honest default.
        design_effect: Of the difference, not of either share.
        level: One-sided.
        power: Power under the planned difference.

    Raises:
        ValueError: The plan lies at or below minus the margin, which no number of answers can show.
    """
    if margin + difference <= 0:
        raise ValueError("a difference at or below minus the margin cannot be shown to be above it")
    quantiles = _normal(1 - level) + _normal(power)
    spread = discordant - difference**2
    return _up(quantiles**2 * spread / (margin + difference) ** 2 * design_effect)


def _normal(probability: float) -> float:
    return float(stats.norm.ppf(probability))


def _up(number: float) -> int:
    # 44.000000000001 is a rounding error, not a forty-fifth answer.
    return math.ceil(round(number, 9))


def _between(number: float, low: float, high: float, name: str) -> None:
    if not low < number < high:
        raise ValueError(f"{name} must lie between {low} and {high}: {number}")
