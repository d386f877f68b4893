"""Second grader: whether two people per answer are worth more than twice as many answers, in words.

For the mean score of a sheet, at equal hours, by the parts of the variance of people's scores
(`stats.components`).
"""

import numpy as np

from data.counted import counted
from reports.among_people import why_none
from reports.ground import Ground
from stats import components as parts
from stats.components import NAMES, Components
from stats.estimate import Estimate, undefined
from words.said import Said, joined, said

GRADERS = (1, 2, 3)
MORE_GRADERS, MORE_ANSWERS = "a second grader", "twice as many answers"


def second_grader(on: Ground) -> dict:
    """The `components`, the `plans` at equal hours, which is `better`, and the `sentence`.

    `break_even` is from how many answers on a second grader is worth more, None where never;
    `sure` whether the same is better at both ends of the interval of the graders' part. Without
    components `why_none` says why, and so does the sentence.
    """
    found = _components(on)
    missing = next(filter(None, (_why(found, part) for part in ("answer", "grader", "rest"))), None)
    document = {
        "components": {name: getattr(found, name)._asdict() for name in NAMES},
        "people": found.graders,
        "grades": found.grades,
        "answers_per_question": found.per_question,
        **{"plans": [], "better": None, "sure": None, "break_even": None, "why_none": missing},
    }
    if not missing:
        plans = [parts.plan(found, found.grades, graders) for graders in GRADERS]
        document |= {
            "plans": [plan._asdict() for plan in plans],
            "better": _better(found),
            "sure": _is_sure(found),
            "break_even": parts.break_even(found),
        }
    return document | {"sentence": sentence(document)}


def sentence(found: dict) -> Said:
    """Which is worth more at the same hours, by how much, and when it would be otherwise."""
    if found["why_none"]:
        return said(
            "Whether a second grader is worth it cannot be told: {why}.", why=found["why_none"]
        )
    one, two = found["plans"][:2]
    values = {
        "few": round(two["answers"]),
        "many": round(one["answers"]),
        "double": two["same"],
        "single": one["same"],
        "shared": two["shared"],
    }
    worth = (
        said(
            "At the same hours a second person on each answer is worth more than twice as many "
            "answers: {few:,} answers that two people both grade give the mean score with a "
            "standard error of {double:.3f} points, {many:,} answers that one person grades with "
            "{single:.3f}; two people who share out {many:,} answers, with {shared:.3f}.",
            **values,
        )
        if found["better"] == MORE_GRADERS
        else said(
            "At the same hours twice as many answers are worth more than a second person on each: "
            "{many:,} answers that one person grades give the mean score with a standard error of "
            "{single:.3f} points, {few:,} answers that two people both grade with {double:.3f}; "
            "two people who share out {many:,} answers, with {shared:.3f}.",
            **values,
        )
    )
    return joined(" ", [worth, _otherwise(found)])


def _otherwise(found: dict) -> Said:
    if found["break_even"] is None:
        return said("No difference in strictness between people was found.")
    answers = counted(max(1, round(found["break_even"])), "answer")
    if found["sure"]:
        return said("A second person is worth more from about {answers} on.", answers=answers)
    return said(
        "A second person is worth more from about {answers} on, but {people} little about how much "
        "people differ: it may be otherwise.",
        answers=answers,
        people=counted(found["people"], "person says", "people say"),
    )


def _why(found: Components, part: str) -> str | None:
    one = getattr(found, part)
    return one.why_none if one.value is None else None


def _better(found: Components) -> str:
    one, two = (parts.plan(found, found.grades, graders) for graders in (1, 2))
    return MORE_GRADERS if two.same < one.same else MORE_ANSWERS


def _is_sure(found: Components) -> bool:
    low, high = found.grader.low, found.grader.high
    if low is None:
        return False
    ends = [found._replace(grader=Estimate(value)) for value in (low, high)]
    return _better(ends[0]) == _better(ends[1])


def _components(on: Ground) -> Components:
    why = why_none(on, len(on.overlap()[0]))
    if why:
        return Components(*[undefined(why)] * len(NAMES), len(on.panel.people), 0, 0.0)
    scores = [
        np.where(on.panel.counted(on.name, person), on.panel.of(on.name, person).score, np.nan)
        for person in on.panel.people
    ]
    return parts.components(np.stack(scores), on.panel.cluster)
