"""Second annotator: grade more answers once, or fewer answers twice, at equal hours.

For the mean score of a sheet, by the parts of the variance of annotators' scores
(`variance_components`). All designs have the same annotators, who share the same number of grades.
"""

from dataclasses import dataclass

import numpy as np

from concord.messages import said
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.reliability.panel_reliability import why_none
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.reliability import variance_components as parts
from concord.stats.reliability.variance_components import NAMES, Components, Plan

MORE_ANNOTATORS, MORE_ANSWERS = "a second annotator", "more answers"
DESIGNS = {
    1: said("one annotator per answer, answers divided among annotators"),
    2: said("two annotators per answer"),
    3: said("three annotators per answer"),
}
_WORTH = 0.01
_HEADLINES = {
    MORE_ANSWERS: said("Grade more answers rather than adding a second annotator"),
    MORE_ANNOTATORS: said("Add a second annotator rather than grading more answers"),
    None: said("Whether to add a second annotator is unknown: {why}"),
}
ALIKE = said("all scores are equal, so the mean has no standard error to reduce")


@dataclass(frozen=True)
class SecondAnnotator:
    """The designs at equal hours and which is better.

    Attributes:
        components: Variance components by name, in squared points.
        annotators: Annotators who grade.
        grades: Their grades, which every design spends.
        answers_per_question: The mean.
        plans: The designs, with one annotator per answer first; none without components.
        better: `MORE_ANNOTATORS` or `MORE_ANSWERS`.
        why_none: Why there are no designs.
    """

    components: dict[str, Estimate]
    annotators: int
    grades: int
    answers_per_question: float
    plans: tuple[Plan, ...]
    better: str | None
    why_none: str | None
    sentence: str


def second_annotator(on: CriterionPanel) -> SecondAnnotator:
    """Return the designs; a second annotator unless more answers lower the error by 1% or more."""
    found = _components(on)
    needed = (found.answer, found.grader, found.rest)
    missing = next((part.why_none for part in needed if part.value is None), None)
    most = 0 if missing else min(found.graders, len(DESIGNS))
    plans = [parts.plan(found, found.grades, each) for each in range(1, most + 1)]
    if plans and plans[0].standard_error <= NEGLIGIBLE:
        plans, missing = [], ALIKE
    better = None
    if plans:
        more_answers, twice = (plan.standard_error for plan in plans[:2])
        better = MORE_ANSWERS if more_answers < (1 - _WORTH) * twice else MORE_ANNOTATORS
    return SecondAnnotator(
        components={name: getattr(found, name) for name in NAMES},
        annotators=found.graders,
        grades=found.grades,
        answers_per_question=found.per_question,
        plans=tuple(plans),
        better=better,
        why_none=missing,
        sentence=said(_HEADLINES[better], why=missing),
    )


def _components(on: CriterionPanel) -> Components:
    why = why_none(on, len(on.overlap()[0]))
    if why:
        return Components(*[undefined(why)] * len(NAMES), len(on.panel.annotators), 0, 0.0)
    scores = [
        np.where(on.panel.counted(on.name, person), on.panel.of(on.name, person).score, np.nan)
        for person in on.panel.annotators
    ]
    return parts.components(np.stack(scores), on.panel.cluster)
