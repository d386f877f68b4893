"""A preset, and the same after an edit."""

from concord.rubrics.model import Rubric, presets

OLD = presets()["doc-qa-0-3"]


def edited(**of_first) -> Rubric:
    """The preset with its first criterion changed."""
    first = OLD.criteria[0].model_copy(update=of_first)
    return OLD.model_copy(update={"criteria": (first, *OLD.criteria[1:])})


def reworded() -> Rubric:
    """The preset with another meaning of one score."""
    levels = list(OLD.criteria[0].levels)
    levels[2] = levels[2].model_copy(update={"meaning": "One important fault."})
    return edited(levels=tuple(levels))
