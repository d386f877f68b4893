"""Small items to test with.

Questions to draw from.

Sheets whose questions come from documents.
"""

from concord.model import Context, Item
from concord.sampling.sample import Question
from concord.store import additions


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


def asked(count: int, models: str = "ab") -> list[Question]:
    return [Question(n, tuple((10 * n + k, m) for k, m in enumerate(models))) for n in range(count)]


def sheet_of(store, name, *rows):
    """A sheet of one answer to each question, given as (text, cluster)."""
    made = [
        made_item(n, question_id=str(n), own_id=f"{n}", question=text, cluster=cluster)
        for n, (text, cluster) in enumerate(rows)
    ]
    return additions.add(store, name, made, name, "x", {})
