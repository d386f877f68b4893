"""Rubrics made for a test."""

from concord.rubrics.model import Rubric


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
