"""Power of a decision, by simulation of the procedure that decides.

Sheets of n questions are drawn from a pool, and `procedure.decide` gives the verdicts on each, with
all conditions, across all candidates, and with the interim looks that are planned. The power is the
share of sheets in which the candidate is good enough.

How many questions 80 percent takes is where the power, made to rise with n, crosses it. A pilot is
a sample itself: it is drawn again many times, and the middle 80 percent of the numbers that these
pilots give is the range.

How many further questions a decision takes: those graded so far stay as they are, those to come are
drawn from them, and the judge is taken to be as good as the reference judge there: on half of the
questions to come the two are interchanged. The verdict on both together is given at the look that
follows those already taken. The questions at hand are a sample, so they are redrawn for those to
come; the range is made of these as above.

The pool that sheets are drawn from holds the graded questions of a pilot, or many questions made
from stated assumptions. A question is always drawn whole, with the grades of all its annotators and
judges, so whatever makes grades of one question alike stays in the sheets.

A plan asks for the power if a candidate is exactly as good as the reference judge, since the
difference found on few questions is mostly chance. So each question is there twice, once with the
two judges interchanged: no figure can tell them apart then, while how much they differ from one
question to another stays as it was.

Of questions made from assumptions every answer has a true score. Annotators and judges err on a
share of the answers, four times in five by one step of the scale and once by two. What is hard for
one judge is hard for the other, and answers to one question are alike in score and in difficulty.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy import special

from concord.stats.core.estimate import Reason, Why, reason, under
from concord.stats.core.minimums import CEILING_PILOT_FLOOR, PILOT_FLOOR
from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs
from concord.stats.core.tables import NEGLIGIBLE, alike, effective_number, ranked
from concord.stats.decision.conditions import (
    Decided,
    Grades,
    ProcedureTerms,
    decide,
    least_likely,
    overlaps,
)
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.intervals.resampling import SEED

COPIES_AT_LEAST, QUESTIONS_AT_LEAST = 1, 200


class Pool(NamedTuple):
    """Questions and how likely each is.

    Attributes:
        grades: Tables of U * C questions, C in a row made from one of the pilot.
        times: (U,) how often the pilot holds each of its different questions.
        pilot: True where it is a sample, and not assumed to be all there is.
    """

    grades: Grades
    times: np.ndarray
    pilot: bool = True

    @property
    def questions(self) -> int:
        """Number of questions it was made from."""
        return int(self.times.sum())

    @property
    def effective(self) -> float:
        """Effective number of these questions."""
        sizes = self.grades.judges[0].sum(axis=(-2, -1)).reshape(len(self.times), -1)[:, 0]
        return float(effective_number(sizes, self.times))

    @property
    def overlap(self) -> int:
        """Number of questions that two annotators or more graded."""
        shared = self.grades.annotators.sum(axis=(-2, -1)).reshape(len(self.times), -1)[:, 0]
        return int(self.times[shared > NEGLIGIBLE].sum())

    def why_too_small(self) -> Reason | None:
        """Return why the pilot cannot plan under the human ceiling, where that is a condition."""
        if not overlaps(self.overlap) or self.overlap >= CEILING_PILOT_FLOOR:
            return None
        return reason("too_small_pilot_for_ceiling", n=self.overlap, least=CEILING_PILOT_FLOOR)

    @property
    def size(self) -> int:
        """Number of questions with different tables."""
        return self.grades.judges.shape[-3]

    def chances(self, times: np.ndarray | None = None) -> np.ndarray:
        """Return (..., U * C) chances, of the pilot or of (..., U) redrawn ones."""
        times = self.times if times is None else times
        copies = self.size // len(self.times)
        return np.repeat(times / (times.sum(axis=-1, keepdims=True) * copies), copies, axis=-1)

    def redrawn(self, random: np.random.Generator, number: int) -> np.ndarray:
        """Return (number, U) how often pilots of the same size hold each question."""
        return random.multinomial(self.questions, self.times / self.questions, number)

    def with_candidates(self, number: int, figure: str, seed: int) -> Self:
        """Return the pool with so many candidates, each as good as the first.

        A further candidate has, on each question, the grades of the first one on a question drawn
        from those on which the reference judge did equally well. So candidates make errors of their
        own, as often and as far off as the first.
        """
        if number == 1:
            return self
        random = np.random.default_rng([seed, number])
        copies = max(COPIES_AT_LEAST, -(-QUESTIONS_AT_LEAST // self.size))
        rows = np.repeat(np.arange(self.size), copies)
        drawn = np.stack([rows, *(_matched(self, figure, rows, random) for _ in range(number - 1))])
        made = {
            name: np.concatenate([one[:1, rows], one[1][drawn]])
            for name, one in self.grades.by_judge().items()
        }
        annotators = self.grades.annotators[rows]
        return self._replace(grades=self.grades._replace(**made, annotators=annotators))


def equally_good(grades: Grades, pilot: bool = True) -> Pool:
    """Return the pool of a reference judge and a candidate, interchanged on half the questions.

    Args:
        grades: (2, G, K, K) tables of the two; answers and pairs of all of them together.
        pilot: The questions are a sample.
    """
    names, number = [*grades.by_judge()], len(grades.judges)
    by_question = [np.moveaxis(one, -3, 0) for one in grades.by_judge().values()]
    rows, times = alike(np.concatenate([*by_question, grades.annotators[:, None]], axis=1))
    tables, annotators = np.moveaxis(rows, 1, 0), np.repeat(rows[:, -1], 2, axis=0)
    made = {}
    for place, name in enumerate(names):
        own = tables[place * number : (place + 1) * number]
        # Each question, followed by itself with the two judges interchanged.
        both = np.stack([own, own[[1, 0, *range(2, number)]]], axis=2)
        made[name] = both.reshape(number, -1, *own.shape[-2:])
    return Pool(grades._replace(**made, annotators=annotators), times, pilot)


def _matched(pool: Pool, figure: str, rows: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return for each row a question with as many answers, as well judged by the reference."""
    made = pool.grades
    sums = FIGURES[figure].sums(made.judges[0], made.scale, made.failing)
    key = np.round(np.stack([made.judges[0].sum(axis=(-2, -1)), sums[:, 0]]), 9)
    _, group = np.unique(key, axis=1, return_inverse=True)
    chances, found = pool.chances(), rows.copy()
    for one in range(group.max() + 1):
        members, wanted = np.flatnonzero(group == one), np.flatnonzero(group[rows] == one)
        upto = np.cumsum(chances[members]) / chances[members].sum()
        even = (np.arange(len(wanted)) + random.random()) / len(wanted)
        found[wanted] = random.permutation(members[np.searchsorted(upto[:-1], even)])
    return found


QUESTIONS = 500
JUDGES_ALIKE, FAR = 0.3, 0.2


class Assumed(NamedTuple):
    """The assumptions of a plan; shares from 0 to 1.

    Attributes:
        agreement: Exact agreement of a judge, reference or candidate, with an annotator.
        ceiling: Exact agreement of two annotators.
        failing: Share of answers that fail.
        alike: Correlation of the answers to one question.
        answers: Of the questions of a sheet, how many each has; taken in order of size.
        annotators: Of each answer.
    """

    agreement: float = 0.8
    ceiling: float = 0.8
    failing: float = 0.25
    alike: float = 0.3
    answers: Sequence[int] = (2,)
    annotators: int = 1


def highest_agreement(of: Assumed, scale: Sequence[int], failing: Collection[int]) -> float:
    """Return what a judge without errors would reach: annotators err against it, too."""
    spread = _spread(of, scale, failing)
    annotator = _given(
        _error(lambda error: _both(spread, error, error), of.ceiling, spread), spread
    )
    return float(spread @ np.diagonal(annotator))


def made(
    of: Assumed,
    scale: Sequence[int],
    failing: Collection[int],
    questions: int = QUESTIONS,
    seed: int = SEED,
) -> Grades:
    """Return the tables of a reference judge and a candidate that are as good as each other.

    Raises:
        ValueError: No judge can agree so much with annotators who agree so little.
    """
    if of.agreement > highest_agreement(of, scale, failing) + 1e-6:
        raise ValueError(f"no judge agrees on {of.agreement} with such annotators")
    spread = _spread(of, scale, failing)
    own = _error(lambda error: _both(spread, error, error), of.ceiling, spread)
    error = _error(lambda error: _both(spread, own, error), of.agreement, spread)
    random = np.random.default_rng([seed, questions])
    sizes = np.sort(of.answers)[np.arange(questions) * len(of.answers) // questions]
    cluster = np.repeat(np.arange(questions), sizes)
    truth = np.searchsorted(
        np.cumsum(spread)[:-1], special.ndtr(_latent(random, cluster, of.alike))
    )
    annotators = [
        _erring(random, truth, _latent(random, cluster, of.alike), own, len(scale))
        for _ in range(of.annotators)
    ]
    hard = _latent(random, cluster, of.alike)
    judges = [
        _erring(
            random,
            truth,
            np.sqrt(JUDGES_ALIKE) * hard
            + np.sqrt(1 - JUDGES_ALIKE) * _latent(random, cluster, of.alike),
            error,
            len(scale),
        )
        for _ in range(2)
    ]
    return _grades(np.stack(annotators), judges, cluster, scale, failing)


def _spread(of: Assumed, scale: Sequence[int], failing: Collection[int]) -> np.ndarray:
    """(K,) share of answers with each true score, evenly over those that fail, and that pass."""
    fails = np.isin(scale, list(failing))
    share = np.where(fails, of.failing, 1 - of.failing)
    found = share / np.where(fails, max(fails.sum(), 1), max((~fails).sum(), 1))
    return found / found.sum()


def _both(spread: np.ndarray, one: float, other: float) -> float:
    """Exact agreement of two graders with these shares of errors."""
    return float(spread @ (_given(one, spread) * _given(other, spread)).sum(axis=1))


def _error(agreement: Callable[[float], float], wanted: float, spread: np.ndarray) -> float:
    """The share of errors at which graders agree so much."""
    low, high = 0.0, 1 - 1 / len(spread)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if agreement(middle) > wanted else (low, middle)
    return (low + high) / 2


def _steps(size: int) -> tuple[tuple[int, float], ...]:
    far = FAR if size > 2 else 0.0
    return tuple(
        (side * step, share / 2) for step, share in ((1, 1 - far), (2, far)) for side in (1, -1)
    )


def _given(error: float, spread: np.ndarray) -> np.ndarray:
    """(K, K) chance of each grade, in columns, for each true score."""
    size = len(spread)
    found, truth = (1 - error) * np.eye(size), np.arange(size)
    for step, share in _steps(size):
        np.add.at(found, (truth, _moved(truth, step, size)), error * share)
    return found


def _moved(truth: np.ndarray, step: np.ndarray | int, size: int) -> np.ndarray:
    """A step away from the truth; at an end of the scale, inwards."""
    grade = truth + step
    grade = np.where((grade < 0) | (grade >= size), truth - step, grade)
    return np.clip(grade, 0, size - 1)


def _latent(random: np.random.Generator, cluster: np.ndarray, alike: float) -> np.ndarray:
    """(N,) standard normal, correlated within questions."""
    shared = random.standard_normal(cluster[-1] + 1)[cluster]
    return np.sqrt(alike) * shared + np.sqrt(1 - alike) * random.standard_normal(len(cluster))


def _erring(
    random: np.random.Generator, truth: np.ndarray, latent: np.ndarray, error: float, size: int
) -> np.ndarray:
    steps, shares = zip(*_steps(size), strict=True)
    step = random.choice(steps, len(truth), p=shares)
    return np.where(special.ndtr(latent) < error, _moved(truth, step, size), truth)


def _grades(
    annotators: np.ndarray,
    judges: Sequence[np.ndarray],
    cluster: np.ndarray,
    scale: Sequence[int],
    failing: Collection[int],
) -> Grades:
    """Tables of (A, N) places on the scale by annotators, and of (N,) by each judge."""
    steps, items = np.asarray(scale), np.arange(len(cluster))
    item, score = np.tile(items, len(annotators)), steps[annotators].ravel()
    size = ranked(cluster)[0]
    tables = np.stack(
        [judge_pairs(items, steps[judge], item, score, cluster).tables(scale) for judge in judges]
    )
    several = len(annotators) > 1
    between: Pairs = annotators_pairs(item, score, cluster)
    return Grades(
        judges=tables,
        shared=tables if several else np.zeros_like(tables),
        annotators=between.tables(scale) if several else np.zeros((size, len(steps), len(steps))),
        scale=scale,
        failing=failing,
        squares=tables / len(annotators) if several else None,
    )


POWER = 0.8
AT_MOST = 100_000


def rising(shares: np.ndarray) -> np.ndarray:
    """(P, N) the closest shares that rise with the number of questions (isotonic regression)."""
    number = shares.shape[-1]
    sums = np.concatenate([np.zeros((len(shares), 1)), shares.cumsum(axis=-1)], axis=-1)
    first, last = np.meshgrid(np.arange(number), np.arange(number), indexing="ij")
    length = np.where(last >= first, last - first + 1, 1)
    means = (sums[:, last + 1] - sums[:, first]) / length
    means = np.where(last >= first, means, np.inf)
    least = np.minimum.accumulate(means[..., ::-1], axis=-1)[..., ::-1]  # over ends from here on
    least = np.where(last >= first, least, -np.inf)
    return np.diagonal(np.maximum.accumulate(least, axis=-2), axis1=-2, axis2=-1)


def crossing(sizes: Sequence[float], shares: np.ndarray) -> np.ndarray:
    """(P,) where rising (P, N) shares reach the power, on the scale of log n; inf for never."""
    at, places = np.log(sizes), np.arange(len(sizes))
    reached = shares >= POWER
    after = reached.argmax(axis=-1)
    before = np.maximum(after - 1, 0)
    rows = np.arange(len(shares))
    below, above = shares[rows, before], shares[rows, after]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(above > below, (POWER - below) / (above - below), 1.0)
    found = np.exp(at[before] + np.clip(part, 0, 1) * (at[after] - at[before]))
    found = np.where(after == places[0], sizes[0], found)
    return np.where(reached.any(axis=-1), found, np.inf)


TAIL = 0.1
SHEETS = 200
PILOTS, SHEETS_OF_EACH = 24, 8
_CELLS = 250_000
_SCOUTS = 100


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
        points: The power around that number.
    """

    low: int | None
    likely: int | None
    high: int | None
    blocked: str | None = None
    why_none: Why | None = None
    points: tuple[Power, ...] = ()


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


def questions_needed(
    pool: Pool, plan: Plan, sheets: int = SHEETS, seed: int = SEED
) -> QuestionsNeeded:
    """Return the number of questions for 80 percent power, with the uncertainty of the pilot."""
    if pool.pilot and pool.effective < PILOT_FLOOR - NEGLIGIBLE:
        why = under(PILOT_FLOOR, reason("no_forecast_from_pilot"))
        return QuestionsNeeded(None, None, None, why_none=why)
    ends = _bracket(lambda size: _power(pool, plan, size, _SCOUTS, seed)[0], plan.least, 1.6, 0.1)
    if ends is None:
        return QuestionsNeeded(None, None, None, _blocked(pool, plan, seed))
    sizes = _between(*ends, 7)
    found = curve(pool, plan, sizes, sheets, seed)
    good = np.array([[one.good for one in found]])
    likely = crossing(sizes, good)[0]
    if not pool.pilot:
        error = np.array([[one.error for one in found]])
        low, high = (crossing(sizes, good + side * error)[0] for side in (2, -2))
        return QuestionsNeeded(*map(_whole, (low, likely, high)), points=found)
    if not np.isfinite(likely):  # the fewer sheets of the bracket had crossed it by chance
        return QuestionsNeeded(None, None, None, _blocked(pool, plan, seed))
    each = _of_pilots(pool, plan, likely, seed)
    low, high = np.quantile(each, [TAIL, 1 - TAIL], method="nearest")
    ends = min(low, likely), likely, max(high, likely)
    return QuestionsNeeded(*map(_whole, ends), points=found)


def _whole(size: float) -> int | None:
    return int(np.ceil(size - 1e-9)) if np.isfinite(size) else None


def _power(pool: Pool, plan: Plan, questions: int, sheets: int, seed: int) -> tuple[float, float]:
    random = np.random.default_rng([seed, questions])
    good, bad = _verdicts(pool, plan, questions, pool.chances()[None], sheets, random)
    return good.mean(), bad.mean()


def _bracket(
    power: Callable[[int], float], size: int, step: float, clear: float
) -> tuple[int, int] | None:
    """Numbers of questions between which the power crosses 80 percent; None where it never does.

    Tried are `size` and `step` times as many each time, until the power is `clear` above.
    """
    low = size
    while True:
        good = power(size)
        low = size if good < POWER - clear else low
        if good > POWER + clear or (good >= POWER and size == AT_MOST):
            return low, size
        if size == AT_MOST:
            return None
        size = min(AT_MOST, int(np.ceil(size * step)))


def _blocked(pool: Pool, plan: Plan, seed: int) -> Reason | None:
    """The condition that holds least often with as many questions as there can be."""
    random = np.random.default_rng([seed, AT_MOST])
    decided = next(_decided(pool, plan.terms, (AT_MOST,), pool.chances()[None], _SCOUTS, random))
    return least_likely(decided)


def _of_pilots(pool: Pool, plan: Plan, likely: float, seed: int) -> np.ndarray:
    """(pilots,) the number of questions that each redrawn pilot gives."""
    random = np.random.default_rng([seed, pool.questions])
    sizes = _between(max(plan.least, likely / 8), min(AT_MOST, likely * 16), 10)
    chances = pool.chances(pool.redrawn(random, PILOTS))
    good = [_verdicts(pool, plan, size, chances, SHEETS_OF_EACH, random)[0] for size in sizes]
    shares = np.stack(good, axis=-1).reshape(PILOTS, SHEETS_OF_EACH, -1).mean(axis=1)
    return crossing(sizes, rising(shares))


def _between(low: float, high: float, number: int) -> list[int]:
    return np.unique(np.geomspace(low, high, number).round().astype(int)).tolist()


def _verdicts(
    pool: Pool,
    plan: Plan,
    questions: int,
    chances: np.ndarray,
    each: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """(S,) on which sheets the candidate is good enough, and not, at one of the looks.

    `each` sheets are drawn with each row of the (P, M) chances.
    """
    good, bad = [], []
    most = max(1, _CELLS // (pool.grades.judges.shape[-4] * min(questions, pool.size)))
    rows = max(1, most // each)  # of the chances, at once
    sheets = [each] if rows > 1 else [min(most, each - n) for n in range(0, each, most)]
    for start in range(0, len(chances), rows):
        for number in sheets:
            part = chances[start : start + rows]
            sizes = plan.sizes(questions)
            found = [
                (one.good[..., 1], one.bad[..., 1])
                for one in _decided(pool, plan.terms, sizes, part, number, random)
            ]
            for into, one in zip((good, bad), zip(*found, strict=True), strict=True):
                into.append(np.any(one, axis=0))
    return np.concatenate(good), np.concatenate(bad)


def _decided(
    pool: Pool,
    terms: ProcedureTerms,
    sizes: Sequence[int],
    chances: np.ndarray,
    each: int,
    random: np.random.Generator,
) -> Iterator[Decided]:
    """The verdicts at each look on `each` simulated sheets of each row of (P, M) chances."""
    drawn, before = None, 0
    few = 2 * sizes[-1] <= pool.size
    for look, size in enumerate(sizes, start=1):
        new = (_drawn if few else _times)(chances, each, size - before, random)
        drawn = new if drawn is None else np.hstack([drawn, new]) if few else drawn + new
        before = size
        sheets = pool.grades.of(drawn) if few else pool.grades._replace(times=drawn)
        yield decide(sheets, terms, tuple(one / sizes[-1] for one in sizes[:look]))


def _drawn(chances: np.ndarray, each: int, size: int, random: np.random.Generator) -> np.ndarray:
    """(S, size) the questions of each sheet: of many of which few are drawn."""
    upto = chances.cumsum(axis=-1)
    rows = [np.searchsorted(row / row[-1], random.random((each, size)), "right") for row in upto]
    return np.concatenate(rows)


def _times(chances: np.ndarray, each: int, size: int, random: np.random.Generator) -> np.ndarray:
    """(S, M) how often each sheet holds each question."""
    return random.multinomial(size, np.repeat(chances, each, axis=0))


_PILOTS_AHEAD, _SHEETS_AHEAD, _EFFORT_AHEAD = 32, 8, 150_000


class Further(NamedTuple):
    """Number of further questions.

    Attributes:
        low: 10 percent of the redrawn questions need fewer; None where undefined.
        high: 10 percent need more; None where 100,000 might not be enough.
        blocked: The condition that more questions do not bring, where none suffices.
        why_none: Why the number is undefined.
    """

    low: int | None
    high: int | None
    blocked: str | None = None
    why_none: Why | None = None


class Looked(NamedTuple):
    """The state of a decision after its looks.

    Attributes:
        shares: Of the planned questions at the looks that spent error, the last one last.
        planned: Questions planned; with more than these, as many as there are.
    """

    shares: tuple[float, ...]
    planned: int

    def after(self, questions: int) -> tuple[float, ...]:
        """Return the shares of all looks with the next one, at so many questions in all."""
        planned = max(self.planned, questions)
        return (*(one * self.planned / planned for one in self.shares), questions / planned)


def further_questions(
    grades: Grades, place: int, terms: ProcedureTerms, looked: Looked, seed: int = SEED
) -> Further:
    """Return how many more questions give 80 percent power to find a judge good enough.

    Args:
        grades: At hand, the reference judge first.
        place: Of the judge.
        terms: Of the decision.
        looked: The looks so far.
        seed: Of the simulation.
    """
    if effective_number(grades.judges[0].sum(axis=(-2, -1))) < PILOT_FLOOR - NEGLIGIBLE:
        return Further(None, None, why_none=under(PILOT_FLOOR, reason("no_forecast")))
    order, size = np.arange(len(grades.judges)), grades.judges.shape[1]
    order[[0, place]] = place, 0
    # The questions at hand, then the same as questions to come, as they are and interchanged.
    made = {
        name: np.concatenate([one, one, one[order]], axis=1)
        for name, one in grades.by_judge().items()
    }
    whole = grades._replace(**made, annotators=np.tile(grades.annotators, (3, 1, 1)))
    # Of each redrawn pilot: fewer where sheets are large.
    sheets = _EFFORT_AHEAD // (_PILOTS_AHEAD * whole.judges[..., 0, 0].size)
    sheets = int(np.clip(sheets, 3, _SHEETS_AHEAD))
    random = np.random.default_rng([seed, size])
    redrawn = random.multinomial(size, np.full(size, 1 / size), _PILOTS_AHEAD) / (2 * size)
    chances = np.repeat(np.tile(redrawn, 2), sheets, axis=0)

    def decided(more: int) -> Decided:
        """The verdicts on sheets with so many more questions, pilot after pilot."""
        drawn = np.random.default_rng([seed, size, more]).multinomial(more, chances)
        times = np.concatenate([np.ones((len(drawn), size), int), drawn], axis=1)
        return decide(whole._replace(times=times), terms, looked.after(size + more))

    def good(more: int) -> np.ndarray:
        return decided(more).good[:, place]

    least = max(1, FIGURES[terms.figure].questions - size)
    ends = _bracket(lambda more: good(more).mean(), least, 1.7, 0.15)
    if ends is None:
        return Further(None, None, least_likely(decided(AT_MOST), place))
    sizes = _between(max(1, ends[0] / 4), min(AT_MOST, 8 * ends[1]), 12)
    shares = [good(more).reshape(_PILOTS_AHEAD, -1).mean(axis=1) for more in sizes]
    each = crossing(sizes, rising(np.stack(shares, axis=-1)))
    return Further(*map(_whole, np.quantile(each, [TAIL, 1 - TAIL], method="nearest")))
