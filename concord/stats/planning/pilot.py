"""Pilot: how many more questions are needed, from those labelled so far, as a range.

Few questions say little about their own spread, and less about the size of a difference, so what
they say about the number needed is a range: the pilot's questions are drawn again many times, each
redrawn pilot makes its own forecast, and the range holds the middle 80 percent of them. It works
for every figure that can be computed from sums over questions, quadratic kappa and alpha included;
shares of answers have `pilot_of_share`, which keeps the rule of their interval.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from concord.stats.core.estimate import QUESTION_FLOOR
from concord.stats.core.reasons import reason, under
from concord.stats.core.tables import row_keys
from concord.stats.intervals.resampling import SEED, Statistic

PILOTS, PILOTS_AT_LEAST = 400, 100
RESAMPLES, RESAMPLES_AT_LEAST = 500, 150
TAIL = 0.1
QUESTIONS_AT_MOST = 100_000
_LOST_AT_MOST = 0.05
_EFFORT = 8_000_000
SIZES = np.unique(np.geomspace(QUESTION_FLOOR, QUESTIONS_AT_MOST, 800).round())


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
    why_none: str | None = None


class _Forecasts(NamedTuple):
    """Figure and standard error at the pilot's size; the pilot itself first, redrawn ones after."""

    value: np.ndarray
    spread: np.ndarray
    method: str


def questions_for_power(
    rows: np.ndarray,
    statistic: Statistic,
    above: float,
    truth: float | None = 0,
    level: float = 0.05,
    wanted: float = 0.8,
    seed: int = SEED,
) -> Range:
    """Questions in all until the one-sided lower limit lies above `above` with the wanted chance.

    The spread forecast at the pilot's own size shrinks with the root of the number of questions.

    Args:
        rows: (G, ...) sums per question of the pilot.
        statistic: Maps sums (..., *shape) to figures (...), NaN where undefined.
        above: What the lower limit must exceed: minus the margin for a difference of two judges.
        truth: The true figure planned for: 0 for a difference, which is the honest plan; None for
            whatever each pilot found, which makes the range far wider.
        level: One-sided error of the limit.
        wanted: The power wanted, 0 to 1.
        seed: Of the resamples.
    """
    found = _forecasts(rows, statistic, seed)
    if isinstance(found, str):
        return withheld(found)
    room = _room(found, truth, above)
    quantiles = stats.t.ppf(1 - level, SIZES - 1) + stats.norm.ppf(wanted)
    return needed(quantiles * _shrunk(found.spread, len(rows)) < room[:, None], found.method)


def needed(enough: np.ndarray, method: str) -> Range:
    """The first of `SIZES` that is enough, from (1 + pilots, sizes), the pilot itself first."""
    sizes = np.where(enough.any(axis=1), SIZES[enough.argmax(axis=1)], np.inf)
    found = spanning(sizes, method)
    return found._replace(
        **{name: None for name in ("low", "likely", "high") if getattr(found, name) == np.inf}
    )


def spanning(forecasts: np.ndarray, method: str) -> Range:
    """Return the range of forecasts; the first one is that of the pilot itself."""
    redrawn = forecasts[1:][~np.isnan(forecasts[1:])]
    low, high = np.quantile(redrawn, [TAIL, 1 - TAIL], method="nearest")
    likely = float(forecasts[0])
    return Range(min(float(low), likely), likely, max(float(high), likely), method)


def withheld(why: str) -> Range:
    """No forecast, and why."""
    return Range(None, None, None, why_none=why)


def _forecasts(rows: np.ndarray, statistic: Statistic, seed: int) -> _Forecasts | str:
    """Forecasts of all pilots, or why there are none."""
    if len(rows) < QUESTION_FLOOR:
        return under(QUESTION_FLOOR, reason("no_forecast_from_pilot"))
    kinds, times = _kinds(rows)
    many, resamples = _effort(len(kinds))
    random = np.random.default_rng([seed, len(rows)])
    share = times / len(rows)
    redrawn = random.multinomial(len(rows), share, many) / len(rows)
    pilots = [
        _forecast(kinds, one, statistic, (resamples, len(rows)), random)
        for one in [share, *redrawn]
    ]
    value, spread = np.array(pilots).T
    lost = int(np.isnan(value + spread).sum())
    if np.isnan(value[0] + spread[0]) or lost > _LOST_AT_MOST * many:
        return reason("undefined_in_pilots", lost=lost, n=many + 1)
    # Resampling G questions has (G - 1) / G of the variance; a redrawn pilot lost it twice.
    short = np.sqrt(len(rows) / (len(rows) - 1))
    spread *= np.where(np.arange(len(pilots)) == 0, short, short**2)
    method = f"{many} redrawn pilots, {resamples} resamples each, middle {1 - 2 * TAIL:.0%}"
    return _Forecasts(value, spread, method)


def _effort(kinds: int) -> tuple[int, int]:
    """Pilots and resamples of each: fewer where many different questions say more by themselves."""
    part = min(1.0, _EFFORT / (PILOTS * RESAMPLES * kinds)) ** 0.5
    return (
        max(PILOTS_AT_LEAST, int(part * PILOTS)),
        max(RESAMPLES_AT_LEAST, int(part * RESAMPLES)),
    )


def _forecast(
    kinds: np.ndarray,
    share: np.ndarray,
    statistic: Statistic,
    drawn: tuple[int, int],
    random: np.random.Generator,
) -> tuple[float, float]:
    """Figure of a pilot, and its standard deviation over (resamples, questions) drawn from it."""
    resamples, questions = drawn
    flat = kinds.reshape(len(kinds), -1)
    counts = random.multinomial(questions, share, resamples)
    figures = statistic((counts @ flat).reshape(resamples, *kinds.shape[1:]))
    value = float(statistic((share @ flat * questions).reshape(1, *kinds.shape[1:]))[0])
    defined = figures[~np.isnan(figures)]
    if len(defined) < (1 - _LOST_AT_MOST) * resamples:
        return value, np.nan
    return value, float(defined.std(ddof=1))


def _kinds(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct questions and the frequency of each, whatever their order."""
    _, first, times = np.unique(row_keys(rows), return_index=True, return_counts=True)
    return np.asarray(rows, float)[first], times


def _shrunk(spread: np.ndarray, questions: int) -> np.ndarray:
    """(pilots, sizes) standard errors at each of the sizes tried."""
    return spread[:, None] * np.sqrt(questions / SIZES)


def _room(found: _Forecasts, truth: float | None, above: float) -> np.ndarray:
    """(pilots,) how far the planned figure lies above the limit to be cleared."""
    planned = found.value if truth is None else np.full_like(found.value, truth)
    return planned - above
