"""Confidence: the level of intervals, and Student's quantile at it."""

from functools import cache

from scipy import special

CONFIDENCE = 0.95


@cache
def t_quantile(degrees: int) -> float:
    """Student's t quantile of the two-sided 95 percent interval.

    Questions are the independent units, so `degrees` is their number minus 1.
    """
    return float(special.stdtrit(degrees, (1 + CONFIDENCE) / 2))
