"""Estimate: a figure with its interval, how the interval was made, and why anything is missing.

With the level of intervals, Student's quantile at it, and the names of statistics in tables,
sentences and axes.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from concord.stats.core.minimums import QUESTION_FLOOR

CONFIDENCE = 0.95


def t_quantile(degrees: float, confidence: float = CONFIDENCE) -> float:
    """Student's t quantile of the two-sided interval at a confidence level, 95 percent by default.

    Questions are the independent units, so `degrees` is their effective number minus 1.
    """
    from scipy import special  # reasons and estimates are read where nothing is computed

    return float(special.stdtrit(degrees, (1 + confidence) / 2))


def adjusted(comparisons: int, confidence: float = CONFIDENCE) -> float:
    """Confidence level of each of some intervals that all hold together (Bonferroni)."""
    return 1 - (1 - confidence) / max(1, comparisons)


def level_note(confidence: float) -> str:
    """Return the level as a part of `method`; empty for 95 percent."""
    return "" if confidence == CONFIDENCE else f", {100 * confidence:.4g}% CI"


@dataclass(frozen=True)
class Reason:
    """Why a figure is undefined or has no interval: a code that stays, and values.

    Its sentence is in concord/reasons.toml; `concord.messages.message_of` fills it with the values:
    numbers, or reasons that are parts of the sentence.
    """

    code: str
    values: tuple[tuple[str, Any], ...] = ()


# A reason of statistics has no text; reports give theirs as a message.
Why = Reason | str


def reason(code: str, /, **values: Any) -> Reason:
    """Return the reason of a code."""
    return Reason(code, tuple(values.items()))


def under(floor: int, then: Why) -> Reason:
    """Return the reason for too few questions; `then` says what they are too few for.

    What is counted and resampled is clusters, and those are documents. A sheet may hold more
    questions than the floor and still be refused, so the sentence says that those of one document
    count as one.
    """
    return reason("too_few_questions", floor=floor, then=then)


TOO_FEW = under(QUESTION_FLOOR, reason("no_interval"))


class Estimate(NamedTuple):
    """A statistic with its 95 % CI.

    `why_none` is None exactly when value, low and high are all defined.

    An undefined value has no interval either, and `why_none` says why the value is undefined. A
    value whose interval is withheld keeps its value, and `why_none` says why the interval is
    missing. NaN and infinity never appear.

    Attributes:
        value: The figure, or None where it is undefined.
        low: Lower limit of the interval (95 percent unless `method` says otherwise).
        method: One line on how the interval was, or would have been, computed, sufficient to
            reproduce it. Empty where no interval was attempted.
        why_none: The reason for what is None.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""
    why_none: Why | None = None


@dataclass(frozen=True)
class Statistics:
    """Statistics of some pairs.

    Attributes:
        by_key: Estimates by key of the registry.
        counts: By key of a figure of failing verdicts, the numbers of answers it is of.
    """

    by_key: dict[str, Estimate]
    counts: dict[str, dict[str, int | None]]

    def __getitem__(self, key: str) -> Estimate:
        return self.by_key[key]

    def to_json(self) -> dict[str, Any]:
        """Return each estimate as an object by its key; of failing verdicts with its counts."""
        found: dict[str, Any] = {key: one._asdict() for key, one in self.by_key.items()}
        for key in found.keys() & self.counts.keys():
            found[key] |= self.counts[key]
        return found


def undefined(why: Why) -> Estimate:
    """An undefined figure: no value and no limits, with the reason."""
    return Estimate(None, why_none=why)


def without_interval(value: float, why: Why, method: str = "") -> Estimate:
    """A figure whose interval is withheld, and the reason."""
    return Estimate(float(value), method=method, why_none=why)


def with_interval(value: float, low: float, high: float, method: str) -> Estimate:
    """A complete figure.

    Raises:
        ValueError: One of the three is not finite; that is a bug in the caller.
    """
    if not all(math.isfinite(number) for number in (value, low, high)):
        raise ValueError(f"an estimate must be finite: {value}, {low}, {high}")
    return Estimate(float(value), float(low), float(high), method)
