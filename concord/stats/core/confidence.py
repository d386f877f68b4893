"""Confidence: the level of intervals, and Student's quantile at it."""

from scipy import special

CONFIDENCE = 0.95


def t_quantile(degrees: float, confidence: float = CONFIDENCE) -> float:
    """Student's t quantile of the two-sided interval at a confidence level, 95 percent by default.

    Questions are the independent units, so `degrees` is their effective number minus 1.
    """
    return float(special.stdtrit(degrees, (1 + confidence) / 2))


def adjusted(comparisons: int, confidence: float = CONFIDENCE) -> float:
    """Confidence level of each of some intervals that all hold together (Bonferroni)."""
    return 1 - (1 - confidence) / max(1, comparisons)


def level_note(confidence: float) -> str:
    """Return the level as a part of `method`; empty for 95 percent."""
    return "" if confidence == CONFIDENCE else f", {100 * confidence:.4g}% CI"
