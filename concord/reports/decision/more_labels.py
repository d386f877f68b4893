"""More labels: how many further questions, and so answers, a verdict needs, as a range.

The error depends on the number of questions (documents, where several share one), so they come
first; equal ends of a range are printed once.

The answers labelled so far stay; of those to come it is assumed that the judge does as well as the
reference judge, and as well as annotators among themselves: a difference found on few questions is
mostly chance, and planning with it promises too much. For the minimum the agreement found so far is
planned, since zero would mean nothing there. `forecast` has the formula.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from concord.messages import said
from concord.reports.decision.results import (
    CANNOT_TELL,
    CEILING,
    DIFFERENCE,
    KAPPA,
    MAJORITY,
    MINIMUM,
    QUESTIONS_FLOOR,
    REFERENCE,
    Condition,
    Judged,
    Verdicts,
)
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.conditions import ACCURACY
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.planning.forecast import questions_more

POWER = 0.8
SETTLED = said("the verdict is final")
NO_LOOK = said(
    "all four interim looks are spent, so more labels of this sheet cannot give a verdict"
)
AT_CHANCE = said("more labels do not raise agreement above chance")
NO_ASSAY = {
    MAJORITY: said(
        "its agreement is below the majority-class baseline, and more labels do not raise it"
    ),
    REFERENCE: said(
        "more labels do not help while non-inferiority to the reference judge shows nothing: name "
        "a minimum agreement, or another reference judge"
    ),
}
NO_END = said("even 100,000 questions might not be enough")


class MoreLabels(NamedTuple):
    """Range of further answers annotators would have to grade.

    Attributes:
        low: 10 percent of the resampled pilots need fewer; None where undefined.
        high: 10 percent need more.
        why_none: The reason for None.
    """

    low: int | None
    high: int | None
    why_none: str | None = None

    @property
    def range(self) -> tuple[int, int] | None:
        """Both ends; None where undefined."""
        return None if self.low is None else (self.low, self.high)


def more_labels(judged: Judged, found: Verdicts, looks_left: bool) -> MoreLabels:
    """The range for one judge: that of the condition which needs the most."""
    if judged.verdict != CANNOT_TELL:
        return _none(SETTLED)
    if not looks_left:
        return _none(NO_LOOK)
    pending = [one for one in judged.conditions.values() if one.state == "open"]
    few = found.clusters < QUESTIONS_FLOOR
    ranges = [_condition(one, judged, found) for one in pending]
    why = next((one.why_none for one in ranges if one.why_none), None)
    if why:
        return _none(why)
    floor = math.ceil((QUESTIONS_FLOOR - found.clusters) * _per_question(found)) if few else 1
    low, high = (max([floor, *(one[end] for one in ranges)]) for end in (0, 1))
    return MoreLabels(low, high)


class _Counts(Protocol):
    @property
    def answers(self) -> int: ...

    @property
    def clusters(self) -> int: ...


def in_questions(labels: Sequence[int], found: _Counts) -> tuple[int, int]:
    """Return a range of answers in independent questions, as they were forecast."""
    low, high = (max(1, math.floor(end / _per_question(found) + 1e-9)) for end in labels)
    return low, high


def _condition(one: Condition, judged: Judged, found: Verdicts) -> MoreLabels:
    if one.name in (KAPPA, ACCURACY):
        return _none(AT_CHANCE)
    if one.name in NO_ASSAY:
        return _none(NO_ASSAY[one.name])
    if one.estimate.value is None:
        return _none(one.estimate.why_none)
    sign = FIGURES[found.figure].sign if one.name == MINIMUM else 1
    above = sign * one.above
    truth = {DIFFERENCE: 0.0, CEILING: 0.0, MINIMUM: sign * one.estimate.value}[one.name]
    if one.name == MINIMUM and truth <= above:
        why = said("its agreement is not above the minimum, and more labels do not raise it")
        return _none(why)
    rows = judged.rows[one.name]
    forecast = questions_more(rows, above, truth, found.below, POWER)
    if forecast.why_none:
        return _none(forecast.why_none)
    if forecast.high is None:
        return _none(NO_END)
    least = _exact_least(one, rows, found.below) - len(rows)
    return MoreLabels(*(_answers(max(least, end), found) for end in forecast[:2]))


def _exact_least(one: Condition, rows: np.ndarray, error: float) -> int:
    """Questions without one that differs until the exact bound lies within the margin."""
    if one.name == MINIMUM or (np.abs(rows[:, 0]) > NEGLIGIBLE).any():
        return 0
    return math.ceil(math.log(error) / math.log(1 + one.above)) if one.above > -1 else 0


def _answers(questions: float, found: Verdicts) -> int:
    return math.ceil(questions * _per_question(found))


def _per_question(found: _Counts) -> float:
    return found.answers / max(found.clusters, 1)


def _none(why: str | None) -> MoreLabels:
    return MoreLabels(None, None, why)
