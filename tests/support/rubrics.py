"""Rubrics made for a test.

A preset, and the same after an edit.
"""

from concord.rubrics.model import Rubric, presets


def reworded(rubric: Rubric, name: str = "mine", words: str = "Is it right?") -> Rubric:
    """The rubric with another question for correctness."""
    first, *others = rubric.criteria
    first = first.model_copy(update={"question": words})
    return rubric.model_copy(update={"name": name, "criteria": (first, *others)})


def rubric(*names, scale=(0, 1, 2, 3)) -> Rubric:
    """A rubric of these criteria, all of one weight; of correctness alone by default."""
    names = names or ("correctness",)
    criteria = [
        {
            "name": name,
            "weight": 1 if len(names) == 1 else f"1/{len(names)}",
            "question": "How good?",
            "levels": [{"score": score, "meaning": f"means {score}"} for score in scale],
        }
        for name in names
    ]
    return Rubric(name="r", title="R", scale=scale, criteria=criteria)


OLD = presets()["doc-qa-0-3"]


def edited(**of_first) -> Rubric:
    """The preset with its first criterion changed."""
    first = OLD.criteria[0].model_copy(update=of_first)
    return OLD.model_copy(update={"criteria": (first, *OLD.criteria[1:])})


def with_another_meaning() -> Rubric:
    """The preset with another meaning of one score."""
    levels = list(OLD.criteria[0].levels)
    levels[2] = levels[2].model_copy(update={"meaning": "One important fault."})
    return edited(levels=tuple(levels))
