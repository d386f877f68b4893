"""Further questions: how many more a decision takes, by simulation from the grades at hand.

The questions graded so far stay as they are. Those to come are drawn from them, and the judge is
taken to be as good as the reference judge there: on half of the questions to come the two are
interchanged. The verdict on both together is given by `decide`, at the look that follows those
already taken. The questions at hand are a sample, so they are redrawn for those to come, and the
middle 80 percent of the numbers that these redrawn ones give is the range.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.clustered import effective_number
from concord.stats.core.estimate import Why, reason, under
from concord.stats.core.minimums import PILOT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.conditions import ProcedureTerms
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.decision.grades import Grades
from concord.stats.decision.procedure import Decided, decide, least_likely
from concord.stats.intervals.resampling import SEED
from concord.stats.planning.power_curve import AT_MOST, POWER, crossing, rising

TAIL = 0.1
_PILOTS, _SHEETS, _STEP, _CLEAR = 32, 8, 1.7, 0.15
_EFFORT = 150_000


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
    ahead = _Ahead(_with_those_to_come(grades, place), place, terms, looked, seed)
    ends = ahead.bracket()
    if ends is None:
        return Further(None, None, least_likely(ahead.decided(AT_MOST), place))
    sizes = np.unique(np.geomspace(max(1, ends[0] / 4), min(AT_MOST, 8 * ends[1]), 12).round())
    low, high = np.quantile(ahead.crossings(sizes.astype(int)), [TAIL, 1 - TAIL], method="nearest")
    return Further(*(int(np.ceil(end)) if np.isfinite(end) else None for end in (low, high)))


def _with_those_to_come(grades: Grades, place: int) -> Grades:
    """The questions at hand, then the same as questions to come, as they are and interchanged."""
    order = np.arange(len(grades.judges))
    order[[0, place]] = place, 0
    made = {
        name: np.concatenate([one, one, one[order]], axis=1)
        for name, one in grades.by_judge().items()
    }
    return grades._replace(**made, annotators=np.tile(grades.annotators, (3, 1, 1)))


class _Ahead(NamedTuple):
    grades: Grades
    place: int
    terms: ProcedureTerms
    looked: Looked
    seed: int

    @property
    def questions(self) -> int:
        return self.grades.judges.shape[1] // 3

    @property
    def sheets(self) -> int:
        """Simulated of each redrawn pilot: fewer where sheets are large."""
        return int(np.clip(_EFFORT // (_PILOTS * self.grades.judges[..., 0, 0].size), 3, _SHEETS))

    def decided(self, more: int) -> Decided:
        """The verdicts on sheets with so many more questions, pilot after pilot."""
        size = self.questions
        random = np.random.default_rng([self.seed, size])
        redrawn = random.multinomial(size, np.full(size, 1 / size), _PILOTS) / (2 * size)
        chances = np.repeat(np.tile(redrawn, 2), self.sheets, axis=0)
        drawn = np.random.default_rng([self.seed, size, more]).multinomial(more, chances)
        times = np.concatenate([np.ones((len(drawn), size), int), drawn], axis=1)
        sheet = self.grades._replace(times=times)
        return decide(sheet, self.terms, self.looked.after(size + more))

    def bracket(self) -> tuple[int, int] | None:
        """Numbers between which the power crosses 80 percent; None where it never does."""
        low = more = max(1, FIGURES[self.terms.figure].questions - self.questions)
        while True:
            power = self.decided(more).good[:, self.place].mean()
            low = more if power < POWER - _CLEAR else low
            if power >= min(1, POWER + _CLEAR) or (power >= POWER and more == AT_MOST):
                return low, more
            if more == AT_MOST:
                return None
            more = min(AT_MOST, int(np.ceil(more * _STEP)))

    def crossings(self, sizes: Sequence[int]) -> np.ndarray:
        """(pilots,) how many more each redrawn pilot needs."""
        good = [
            self.decided(int(size)).good[:, self.place].reshape(_PILOTS, -1).mean(axis=1)
            for size in sizes
        ]
        return crossing(sizes, rising(np.stack(good, axis=-1)))
