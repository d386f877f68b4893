"""Pool of questions that simulated sheets are drawn from, for a plan.

It holds the graded questions of a pilot, or many questions made from stated assumptions. A question
is always drawn whole, with the grades of all its annotators and judges, so whatever makes grades of
one question alike stays in the sheets.

A plan asks for the power if a candidate is exactly as good as the reference judge, since the
difference found on few questions is mostly chance. So each question is there twice, once with the
two judges interchanged: no figure can tell them apart then, while how much they differ from one
question to another stays as it was.
"""

from typing import NamedTuple, Self

import numpy as np

from concord.stats.core.clustered import effective_number
from concord.stats.core.estimate import Reason, reason
from concord.stats.core.minimums import CEILING_PILOT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, alike
from concord.stats.decision.conditions import overlaps
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.decision.grades import Grades

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
    return Pool(*_distinct(grades, interchanged=True), pilot)


def _distinct(grades: Grades, interchanged: bool) -> tuple[Grades, np.ndarray]:
    """The different questions, each followed by itself with the two judges interchanged."""
    names, number = [*grades.by_judge()], len(grades.judges)
    by_question = [np.moveaxis(one, -3, 0) for one in grades.by_judge().values()]
    rows, times = alike(np.concatenate([*by_question, grades.annotators[:, None]], axis=1))
    tables, annotators = np.moveaxis(rows, 1, 0), rows[:, -1]
    made = {name: tables[place * number : (place + 1) * number] for place, name in enumerate(names)}
    if interchanged:
        made = {name: _twice(one) for name, one in made.items()}
        annotators = np.repeat(annotators, 2, axis=0)
    return grades._replace(**made, annotators=annotators), times


def _twice(tables: np.ndarray) -> np.ndarray:
    both = np.stack([tables, tables[[1, 0, *range(2, len(tables))]]], axis=2)
    return both.reshape(len(tables), -1, *tables.shape[-2:])


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
