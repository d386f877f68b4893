"""The request to a decision model: the texts of an item, and one question for each criterion.

Pure. OpenAI's format (`dialect = "openai"`) has `input` and a list of questions, System One
(`dialect = "systemone"`) has `state` and questions by name. In both a level is known by its index
from 0; `decision_reply` maps it back to the score.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from concord.judges.definition.model import Judge
from concord.messages import Problem
from concord.model import Item
from concord.rubrics.model import Criterion, Rubric


class Limits(NamedTuple):
    """The most that a server takes; None where none is documented."""

    questions: int
    levels: int | None


LIMITS = {"openai": Limits(400, None), "systemone": Limits(64, 10)}
_TEXTS = {"openai": "input", "systemone": "state"}


def requester(
    judge: Judge, rubric: Rubric, criteria: Sequence[Criterion], texts: Callable[[Item], str]
) -> Callable[[Item], dict[str, Any]]:
    """Return the body of the request on some criteria as a function of the item.

    `texts` gives what there is to read of an item.

    Raises:
        Problem: The rubric has more criteria or levels than the server takes.
    """
    _check_limits(judge, rubric, criteria)
    if judge.dialect == "openai":
        questions = [_openai(criterion) for criterion in criteria]
    else:
        questions = {criterion.name: _systemone(criterion) for criterion in criteria}
    key = _TEXTS[judge.dialect]

    fixed = {"questions": questions, **judge.extra_body}
    return lambda item: {"model": judge.model, key: texts(item), **fixed}


def messages(sent: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the texts and each question of a request under what they are called there."""
    key = next(name for name in _TEXTS.values() if name in sent)
    asked = sent["questions"]
    named = asked.items() if isinstance(asked, Mapping) else ((one["name"], one) for one in asked)
    found = [{"role": key, "content": sent[key]}]
    return found + [
        {"role": f"question {name}", "content": json.dumps(one, ensure_ascii=False, indent=2)}
        for name, one in named
    ]


def _openai(criterion: Criterion) -> dict[str, Any]:
    levels = [
        {"label": str(level.score), "description": level.meaning.strip()}
        for level in criterion.levels
    ]
    asked = criterion.question.strip()
    return {"type": "score", "name": criterion.name, "instructions": asked, "levels": levels}


def _systemone(criterion: Criterion) -> dict[str, Any]:
    levels = [level.meaning.strip() for level in criterion.levels]
    return {"type": "score", "instructions": criterion.question.strip(), "criteria": levels}


def _check_limits(judge: Judge, rubric: Rubric, criteria: Sequence[Criterion]) -> None:
    most, told = LIMITS[judge.dialect], {"judge": judge.name, "rubric": rubric.name}
    if most.levels is not None and len(rubric.scale) > most.levels:
        raise Problem(
            "Rubric {rubric} has {n} scores, but judge {judge} takes at most {most}. Name a rubric "
            "with a shorter scale.",
            n=len(rubric.scale),
            most=most.levels,
            **told,
        )
    if len(criteria) > most.questions:
        raise Problem(
            "Rubric {rubric} has {n} criteria, but judge {judge} takes at most {most} in one "
            'request. Set calls to "separate".',
            n=len(criteria),
            most=most.questions,
            **told,
        )
