"""Forecast: how many more questions a lower limit needs to clear a bound, given a pilot.

The answers labelled so far stay in the figure; only those to come are unknown. With N questions of
which m are to come, truth d among those, estimate e so far and spread s of one question, the lower
limit clears with the wanted power where

    ((N - m) e + m d) / N - s (t_level sqrt(N) + z_power sqrt(m)) / N > above.

The spread is what few questions say least about, so the questions so far are drawn again many times
and each redrawn pilot makes its own forecast; the middle 80 percent of them is the range.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from concord.stats.core.clustered import clustered_variance
from concord.stats.core.estimate import QUESTION_FLOOR
from concord.stats.core.reasons import reason, under
from concord.stats.core.tables import NEGLIGIBLE, row_keys
from concord.stats.intervals.resampling import SEED

PILOTS = 1000
AT_MOST = 100_000
_SIZES = np.unique(np.geomspace(1, AT_MOST, 1500).round())


class More(NamedTuple):
    """Number of further questions needed.

    Attributes:
        low: 10 percent of the resampled pilots need fewer; None where `AT_MOST` would not suffice.
        high: 10 percent need more; None likewise.
        why_none: Why the forecast is undefined.
    """

    low: int | None
    high: int | None
    why_none: str | None = None


def questions_more(
    rows: np.ndarray,
    above: float,
    truth: float,
    level: float,
    power: float = 0.8,
    seed: int = SEED,
) -> More:
    """Questions to come until the lower limit of a ratio lies above `above`.

    Args:
        rows: (G, 2) sums per question: what is averaged, and the weight of the answers.
        above: What the limit must exceed.
        truth: The true figure of the questions to come; 0 is the honest plan for a difference.
        level: One-sided error of the limit.
        power: Chance to clear it.
        seed: Of the redrawn pilots.
    """
    if len(rows) < QUESTION_FLOOR:
        return More(None, None, under(QUESTION_FLOOR, reason("no_forecast")))
    if truth <= above:
        return More(None, None, reason("plan_below_limit"))
    spreads = np.sqrt(len(rows) * _variances(rows, seed))
    so_far = rows[:, 0].sum() / rows[:, 1].sum()
    total = len(rows) + _SIZES
    middle = (len(rows) * so_far + _SIZES * truth) / total
    quantile = stats.t.isf(level, total - 1) * np.sqrt(total)
    # The t quantile for the final limit, the normal one for the chance of the questions to come.
    wanted = (quantile + stats.norm.ppf(power) * np.sqrt(_SIZES)) / total
    enough = middle - spreads[:, None] * wanted > above
    sizes = np.where(enough.any(axis=1), _SIZES[enough.argmax(axis=1)], np.inf)
    low, high = np.quantile(sizes, [0.1, 0.9], method="nearest")
    return More(*(None if np.isinf(end) else int(end) for end in (low, high)))


def _variances(rows: np.ndarray, seed: int) -> np.ndarray:
    """(pilots,) variance of the figure in each redrawn pilot; its own where one has none.

    Questions that are alike are held once, so that their order does not matter and many take no
    longer than few.
    """
    questions = len(rows)
    _, first, times = np.unique(row_keys(rows), return_index=True, return_counts=True)
    random = np.random.default_rng([seed, questions])
    # A multinomial over distinct rows has the distribution of redrawing every question.
    counts = random.multinomial(questions, times / questions, PILOTS)
    hits, base = rows[first].T
    values = (counts @ hits) / (counts @ base)
    # The residual sum of squares, expanded, so that all pilots are one matrix product.
    squares = counts @ hits**2 - 2 * values * (counts @ (hits * base))
    squares += values**2 * (counts @ base**2)
    # A redrawn pilot has lost (G - 1) / G of the variance, and is itself only a sample.
    short = (questions / (questions - 1)) ** 2
    found = short * squares / (counts @ base) ** 2
    return np.where(found > NEGLIGIBLE**2, found, clustered_variance(*rows.T))
