"""Second grader: whether to grade more answers once or fewer answers twice, at equal hours.

For the mean score of a sheet, by the parts of the variance of annotators' scores
(`variance_components`). All plans have the same annotators, who share the same number of grades.
"""

import numpy as np

from concord.messages import said
from concord.reports.panel.comparison import Ground
from concord.reports.reliability.panel_reliability import why_none
from concord.reports.terminal import table
from concord.stats.core.estimate import undefined
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.reliability import variance_components as parts
from concord.stats.reliability.variance_components import NAMES, Components, Plan

MORE_ANNOTATORS, MORE_ANSWERS = "a second annotator", "more answers"
WORTH = 0.01
_HEADLINES = {
    MORE_ANSWERS: said("Grade more answers rather than adding a second annotator"),
    MORE_ANNOTATORS: said("Add a second annotator rather than grading more answers"),
}
_DESIGNS = {
    1: said("one annotator per answer, answers shared out"),
    2: said("two annotators per answer"),
    3: said("three annotators per answer"),
}
OVERLAP = said(
    "Equal annotator hours: every design spends the same grades by the same annotators. Standard "
    "error of the mean score. Have 30 answers or more to 10 questions graded twice in any case: "
    "without them inter-annotator agreement is unknown."
)
ALIKE = said("all scores are alike, so the mean has no error to lessen")
REVERSE = said("Grading more answers lowers the standard error by less than 1%.")


def second_grader(on: Ground) -> dict:
    """The `components`, the `plans` at equal hours, which is `better`, and the `sentence`.

    Without components `why_none` says why, and so does the sentence.
    """
    found = _components(on)
    missing = next(filter(None, (_why(found, part) for part in ("answer", "grader", "rest"))), None)
    most = 0 if missing else min(found.graders, len(_DESIGNS))
    plans = [parts.plan(found, found.grades, each) for each in range(1, most + 1)]
    if plans and plans[0].standard_error <= NEGLIGIBLE:
        plans, missing = [], ALIKE
    better = _better(plans) if plans else None
    return {
        "components": {name: getattr(found, name)._asdict() for name in NAMES},
        "annotators": found.graders,
        "grades": found.grades,
        "answers_per_question": found.per_question,
        "plans": [plan._asdict() for plan in plans],
        "better": better,
        "why_none": missing,
        "sentence": _HEADLINES[better]
        if better
        else said("Whether to add a second annotator is unknown: {why}", why=missing),
    }


def shown(found: dict) -> list[dict]:
    """The plans as rows of a table."""
    return [
        {
            said("design"): _DESIGNS[plan["annotators_per_answer"]],
            said("answers"): round(plan["answers"]),
            said("annotators per answer"): plan["annotators_per_answer"],
            said("standard error"): f"{plan['standard_error']:.3f}",
        }
        for plan in found["plans"]
    ]


def notes(found: dict) -> list[str]:
    """What belongs under the table; empty without plans."""
    return [REVERSE, OVERLAP] if found["better"] == MORE_ANNOTATORS else [OVERLAP]


def text(found: dict) -> str:
    """The headline and the table for a terminal."""
    rows = shown(found)
    if not rows:
        return f"{found['sentence']}."
    plans = table(list(rows[0]), [row.values() for row in rows])
    return "\n".join([f"{found['sentence']}:", plans, *notes(found)])


def _better(plans: list[Plan]) -> str:
    """More answers, unless they hardly make the mean more certain than a second annotator would."""
    more_answers, twice = (plan.standard_error for plan in plans[:2])
    return MORE_ANSWERS if more_answers < (1 - WORTH) * twice else MORE_ANNOTATORS


def _why(found: Components, part: str) -> str | None:
    one = getattr(found, part)
    return one.why_none if one.value is None else None


def _components(on: Ground) -> Components:
    why = why_none(on, len(on.overlap()[0]))
    if why:
        return Components(*[undefined(why)] * len(NAMES), len(on.panel.annotators), 0, 0.0)
    scores = [
        np.where(on.panel.counted(on.name, person), on.panel.of(on.name, person).score, np.nan)
        for person in on.panel.annotators
    ]
    return parts.components(np.stack(scores), on.panel.cluster)
