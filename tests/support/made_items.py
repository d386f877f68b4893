"""Small items to test with."""

from concord.model import Context, Item


def made_item(number: int, model: str = "atlas", /, **changes) -> Item:
    """A small item: question n, answered by a model."""
    fields = {
        "own_id": f"{number:03}-{model}",
        "question_id": f"{number:03}",
        "cluster": None,
        "question": f"What is {number}?",
        "contexts": (Context("c1", "d1", f"{number} is a number.", 1),),
        "answer": f"{number} is a number, says {model}.",
        "answer_model": model,
        "reference": ("A number.",),
        "reference_contexts": (),
        "turns": None,
        "synthetic": False,
        "metadata": {},
        "row": number,
    }
    return Item(**{**fields, **changes})
