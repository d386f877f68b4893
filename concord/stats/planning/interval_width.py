"""Width of an interval before anything is labelled, or from a pilot of a share.

From a pilot it is by the very rule the interval is made with.

Few questions say little about their own spread, so what they say about the number needed is a
range: the pilot's questions are drawn again many times, each redrawn pilot makes its own forecast,
and the range holds the middle 80 percent of them.

Every redrawn pilot makes its share, the number of independent answers it is worth and its effective
number of questions, from `tables.share_of`. These grow with the questions, and the limits are those
of `wilson`. At the pilot's own size the likely forecast is therefore half the width of the pilot's
own interval.

Sample sizes by formula are answers, rounded up. Answers to one question are correlated, so every
formula takes the design effect, by which the number of independent answers is multiplied.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from concord.stats.core.estimate import CONFIDENCE, Why, reason, under
from concord.stats.core.minimums import PILOT_FLOOR, QUESTION_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, effective_number, ranked, row_keys, share_of
from concord.stats.intervals.resampling import SEED
from concord.stats.intervals.wilson import limits

PILOTS, TAIL = 400, 0.1
QUESTIONS_AT_MOST = 100_000
SIZES = np.unique(np.geomspace(QUESTION_FLOOR, QUESTIONS_AT_MOST, 800).round())
_METHOD = f"{PILOTS} redrawn pilots, Wilson at effective n, middle {1 - 2 * TAIL:.0%}"
_FEW = under(PILOT_FLOOR, reason("no_forecast_from_pilot"))


class Range(NamedTuple):
    """A forecast with the pilot's own uncertainty.

    Attributes:
        low: 10 percent of the resampled pilots forecast less.
        likely: The forecast from the pilot itself.
        high: 10 percent forecast more. For a number of questions None means "no number up to
            100,000 suffices"; so with `low` and `likely`.
        method: How it was computed; empty where undefined.
        why_none: Why the forecast is undefined.
    """

    low: float | None
    likely: float | None
    high: float | None
    method: str = ""
    why_none: Why | None = None


class Shares(NamedTuple):
    """A pilot sample of a share.

    Attributes:
        rows: (G, 2) per question, summed weight of the answers that hit and of all, above 0.
        units: How many equally weighted pairs of scores that is.
    """

    rows: np.ndarray
    units: float

    @property
    def questions(self) -> float:
        """Effective number of questions."""
        return float(effective_number(self.rows[:, 1]))


class _Pilots(NamedTuple):
    """(1 + pilots,) of each pilot, the pilot itself first.

    Attributes:
        share: Of answers that hit.
        size: How many independent answers that is worth.
        questions: Effective number, as a part of the pilot's own.
    """

    share: np.ndarray
    size: np.ndarray
    questions: np.ndarray


def exact_shares(pairs: Pairs) -> Shares:
    """Return exact agreement per question with its effective sample size."""
    return Shares(hits(pairs), float(effective_number(pairs.weight)))


def hits(*pairs: Pairs) -> np.ndarray:
    """(G, 1 + judges) summed hits of each judge and summed weights, on the same answers."""
    count, group = ranked(pairs[0].cluster)
    sums = [one.weight * (one.judge == one.annotator) for one in pairs]
    sums.append(pairs[0].weight)
    return np.stack([np.bincount(group, weights=one, minlength=count) for one in sums], axis=1)


def questions_for_half_width(of: Shares, wanted: float, seed: int = SEED) -> Range:
    """Return the total number of questions for a CI of at most plus or minus `wanted` > 0."""
    if of.questions < PILOT_FLOOR - NEGLIGIBLE:
        return _withheld(_FEW)
    pilots = _pilots(of, seed)
    # Bisection for the first size that is enough, of each pilot: widths fall with the questions.
    low, high = np.zeros(1 + PILOTS, int), np.full(1 + PILOTS, len(SIZES))
    while (low < high).any():
        middle = (low + high) // 2
        size = SIZES[np.minimum(middle, len(SIZES) - 1)]
        enough = (_widths(pilots, size, len(of.rows)) <= wanted) | (middle == len(SIZES))
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    sizes = np.append(SIZES, np.inf)[low]
    found = _spanning(sizes, _METHOD)
    return found._replace(
        **{name: None for name in ("low", "likely", "high") if getattr(found, name) == np.inf}
    )


def _pilots(of: Shares, seed: int) -> _Pilots:
    _, first, times = np.unique(row_keys(of.rows), return_index=True, return_counts=True)
    kinds, count = np.asarray(of.rows, float)[first], len(of.rows)
    random = np.random.default_rng([seed, count])
    drawn = np.vstack([times, random.multinomial(count, times / count, PILOTS)])
    units = of.units * (drawn @ kinds[:, 1]) / of.rows[:, 1].sum()
    share, size, questions = share_of(*kinds.T, units, drawn)
    return _Pilots(share, size, questions / count)


def _widths(pilots: _Pilots, questions: np.ndarray, drawn: int) -> np.ndarray:
    """(1 + pilots,) half the width, each with its number of questions; the pilot had `drawn`."""
    degrees = np.maximum(1.0, pilots.questions * questions - 1)
    quantile = special.stdtrit(degrees, (1 + CONFIDENCE) / 2)
    low, high = limits(pilots.share, pilots.size * questions / drawn, quantile)
    return (high - low) / 2


def _spanning(forecasts: np.ndarray, method: str) -> Range:
    """Return the range of forecasts; the first one is that of the pilot itself."""
    redrawn = forecasts[1:][~np.isnan(forecasts[1:])]
    low, high = np.quantile(redrawn, [TAIL, 1 - TAIL], method="nearest")
    likely = float(forecasts[0])
    return Range(min(float(low), likely), likely, max(float(high), likely), method)


def _withheld(why: Why) -> Range:
    """No forecast, and why."""
    return Range(None, None, None, why_none=why)


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
    return float(special.ndtri(probability))


def _up(number: float) -> int:
    # 44.000000000001 is a rounding error, not a forty-fifth answer.
    return math.ceil(round(number, 9))


def _between(number: float, low: float, high: float, name: str) -> None:
    if not low < number < high:
        raise ValueError(f"{name} must lie between {low} and {high}: {number}")
