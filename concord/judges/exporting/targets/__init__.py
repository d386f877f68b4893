"""Targets: the tools that a judge can be exported for."""

from concord.judges.exporting.target import Target
from concord.judges.exporting.targets import (
    mlflow_make_judge,
    openai_grader,
    promptfoo_llm_rubric,
    scripts,
)
from concord.messages import Problem, joined

_NEAR = (mlflow_make_judge.TARGET, openai_grader.TARGET, promptfoo_llm_rubric.TARGET)


def known() -> dict[str, Target]:
    """Return every target by name, in alphabetical order."""
    return {one.name: one for one in sorted((*scripts.TARGETS, *_NEAR), key=lambda one: one.name)}


def named(name: str) -> Target:
    """Return the target of that name; a Problem that lists them otherwise."""
    found = known()
    if name not in found:
        raise Problem(
            "There is no export for “{name}”. Name one of: {names}.",
            name=name,
            names=joined(", ", found),
        )
    return found[name]
