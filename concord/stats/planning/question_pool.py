"""Pool of questions that simulated sheets are drawn from, for a plan.

It holds the graded questions of a pilot, or many questions made from stated assumptions. A question
is always drawn whole, with the grades of all its annotators and judges, so whatever makes grades of
one question alike stays in the sheets.

A plan asks for the power if a candidate is exactly as good as the reference judge, since the
difference found on few questions is mostly chance. So each question is there twice, once with the
two judges interchanged: no figure can tell them apart then, while how much they differ from one
question to another stays as it was.

Of questions made from assumptions every answer has a true score. Annotators and judges err on a
share of the answers, four times in five by one step of the scale and once by two. What is hard for
one judge is hard for the other, and answers to one question are alike in score and in difficulty.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy import special

from concord.stats.core.estimate import Reason, reason
from concord.stats.core.minimums import CEILING_PILOT_FLOOR
from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs
from concord.stats.core.tables import NEGLIGIBLE, alike, effective_number, ranked
from concord.stats.decision.conditions import Grades, overlaps
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
