"""Power of a decision, by simulation of the procedure that decides.

Sheets of n questions are drawn from a pool, and `procedure.decide` gives the verdicts on each, with
all conditions, across all candidates, and with the interim looks that are planned. The power is the
share of sheets in which the candidate is good enough.

How many questions 80 percent takes is where the power, made to rise with n, crosses it. A pilot is
a sample itself: it is drawn again many times, and the middle 80 percent of the numbers that these
pilots give is the range.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Reason, Why, reason, under
from concord.stats.core.minimums import PILOT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.conditions import ProcedureTerms
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.decision.procedure import Decided, decide, least_likely
from concord.stats.intervals.resampling import SEED
from concord.stats.planning.power_curve import AT_MOST, POWER, crossing, rising
from concord.stats.planning.question_pool import Pool

TAIL = 0.1
SHEETS = 600
PILOTS, PILOTS_AT_LEAST, SHEETS_OF_EACH = 40, 24, 12
_EFFORT, _CELLS = 4_000_000, 250_000
_SCOUTS, _STEP, _CLEAR = 200, 1.6, 0.08


class Plan(NamedTuple):
    """A planned decision.

    Attributes:
        terms: Of the decision.
        looks: How many, at even shares of the planned questions; those too early for a verdict are
            left out.
    """

    terms: ProcedureTerms
    looks: int = 1

    @property
    def least(self) -> int:
        """The fewest questions for a verdict."""
        return FIGURES[self.terms.figure].questions

    def sizes(self, questions: int) -> tuple[int, ...]:
        """Return the number of questions at each look, rising."""
        each = {round(questions * look / self.looks) for look in range(1, self.looks + 1)}
        return tuple(sorted(size for size in each if size >= self.least)) or (questions,)


class Power(NamedTuple):
    """Shares of simulated sheets.

    Attributes:
        questions: Planned.
        good: The candidate is good enough, at one of the looks.
        bad: It is not.
        error: Monte Carlo standard error of `good`.
    """

    questions: int
    good: float
    bad: float
    error: float


class QuestionsNeeded(NamedTuple):
    """Number of questions for a power of 80 percent.

    Attributes:
        low: 10 percent of the redrawn pilots need fewer; of stated assumptions, Monte Carlo error.
        likely: From the pilot itself. None where no number up to 100,000 suffices; `high` likewise.
        high: 10 percent need more.
        blocked: The condition that more questions do not bring, where none suffices.
        why_none: Why the number is undefined.
    """

    low: int | None
    likely: int | None
    high: int | None
    blocked: str | None = None
    why_none: Why | None = None


def curve(
    pool: Pool, plan: Plan, sizes: Sequence[int], sheets: int = SHEETS, seed: int = SEED
) -> tuple[Power, ...]:
    """Return the power with each number of questions, made to rise with it.

    Args:
        pool: Where questions come from, with all candidates.
        plan: The terms and looks.
        sizes: Numbers of questions, rising.
        sheets: Simulated for each.
        seed: Of the simulation; the power at one size does not depend on the others.
    """
    found = [_power(pool, plan, size, sheets, seed) for size in sizes]
    good = np.clip(rising(np.array([[one[0] for one in found]]))[0], 0, 1)
    return tuple(
        Power(size, float(share), float(bad), float(np.sqrt(share * (1 - share) / sheets)))
        for size, share, (_, bad) in zip(sizes, good, found, strict=True)
    )


def questions_at(points: Sequence[Power]) -> int | None:
    """Return how many questions have 80 percent power on a curve; None where it stays below."""
    good = np.array([[one.good for one in points]])
    return _whole(crossing([one.questions for one in points], good)[0])


def questions_needed(
    pool: Pool, plan: Plan, sheets: int = SHEETS, seed: int = SEED
) -> QuestionsNeeded:
    """Return the number of questions for 80 percent power, with the uncertainty of the pilot."""
    if pool.pilot and pool.effective < PILOT_FLOOR - NEGLIGIBLE:
        why = under(PILOT_FLOOR, reason("no_forecast_from_pilot"))
        return QuestionsNeeded(None, None, None, why_none=why)
    ends = _bracket(pool, plan, seed)
    if ends is None:
        return QuestionsNeeded(None, None, None, _blocked(pool, plan, seed))
    sizes = _between(*ends, 9)
    found = curve(pool, plan, sizes, sheets, seed)
    good = np.array([[one.good for one in found]])
    likely = crossing(sizes, good)[0]
    if not pool.pilot:
        error = np.array([[one.error for one in found]])
        low, high = (crossing(sizes, good + side * error)[0] for side in (2, -2))
        return QuestionsNeeded(*map(_whole, (low, likely, high)))
    if not np.isfinite(likely):  # the fewer sheets of the bracket had crossed it by chance
        return QuestionsNeeded(None, None, None, _blocked(pool, plan, seed))
    each = _of_pilots(pool, plan, likely, seed)
    low, high = np.quantile(each, [TAIL, 1 - TAIL], method="nearest")
    return QuestionsNeeded(*map(_whole, (min(low, likely), likely, max(high, likely))))


def _whole(size: float) -> int | None:
    return int(np.ceil(size - 1e-9)) if np.isfinite(size) else None


def _power(pool: Pool, plan: Plan, questions: int, sheets: int, seed: int) -> tuple[float, float]:
    random = np.random.default_rng([seed, questions])
    chances = np.broadcast_to(pool.chances(), (sheets, pool.size))
    good, bad = _verdicts(pool, plan, questions, chances, random)
    return good.mean(), bad.mean()


def _bracket(pool: Pool, plan: Plan, seed: int) -> tuple[int, int] | None:
    """Numbers of questions between which the power crosses 80 percent; None where it never does."""
    low = size = plan.least
    while True:
        good, _ = _power(pool, plan, size, _SCOUTS, seed)
        low = size if good < POWER - _CLEAR else low
        if good > POWER + _CLEAR or (good >= POWER and size == AT_MOST):
            return low, size
        if size == AT_MOST:
            return None
        size = min(AT_MOST, int(np.ceil(size * _STEP)))


def _blocked(pool: Pool, plan: Plan, seed: int) -> Reason | None:
    """The condition that holds least often with as many questions as there can be."""
    random = np.random.default_rng([seed, AT_MOST])
    chances = np.broadcast_to(pool.chances(), (_SCOUTS, pool.size))
    decided = next(_decided(pool, plan.terms, (AT_MOST,), chances, random))
    return least_likely(decided)


def _of_pilots(pool: Pool, plan: Plan, likely: float, seed: int) -> np.ndarray:
    """(pilots,) the number of questions that each redrawn pilot gives."""
    random = np.random.default_rng([seed, pool.questions])
    sizes = _between(max(plan.least, likely / 8), min(AT_MOST, likely * 16), 14)
    rows = pool.grades.judges.shape[-4] * pool.size * SHEETS_OF_EACH * len(sizes)
    pilots = int(np.clip(_EFFORT // rows, PILOTS_AT_LEAST, PILOTS))
    each = pool.chances(pool.redrawn(random, pilots))
    chances = np.repeat(each, SHEETS_OF_EACH, axis=0)
    good = [_verdicts(pool, plan, size, chances, random)[0] for size in sizes]
    shares = np.stack(good, axis=-1).reshape(pilots, SHEETS_OF_EACH, -1).mean(axis=1)
    return crossing(sizes, rising(shares))


def _between(low: float, high: float, number: int) -> list[int]:
    return np.unique(np.geomspace(low, high, number).round().astype(int)).tolist()


def _verdicts(
    pool: Pool, plan: Plan, questions: int, chances: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """(S,) on which sheets the candidate is good enough, and not, at one of the looks."""
    good, bad = [], []
    chunk = max(1, _CELLS // (pool.grades.judges.shape[-4] * pool.size))
    for start in range(0, len(chances), chunk):
        part = chances[start : start + chunk]
        found = [
            (one.good[..., 1], one.bad[..., 1])
            for one in _decided(pool, plan.terms, plan.sizes(questions), part, random)
        ]
        for into, one in zip((good, bad), zip(*found, strict=True), strict=True):
            into.append(np.any(one, axis=0))
    return np.concatenate(good), np.concatenate(bad)


def _decided(
    pool: Pool,
    terms: ProcedureTerms,
    sizes: Sequence[int],
    chances: np.ndarray,
    random: np.random.Generator,
) -> Iterator[Decided]:
    """The verdicts on simulated sheets at each look, each sheet from its own (S, M) chances."""
    times, before = np.zeros(chances.shape, int), 0
    for look, size in enumerate(sizes, start=1):
        times = times + random.multinomial(size - before, chances)
        before = size
        shares = tuple(one / sizes[-1] for one in sizes[:look])
        yield decide(pool.grades._replace(times=times).sampled(), terms, shares)
