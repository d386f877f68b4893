"""Fixtures named for what they are."""

import pytest

from data import graders, rubric_versions, sheets
from data.model import Context, Item
from data.store import open_store


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "concord.db") as opened:
        yield opened


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


@pytest.fixture
def sheet(store):
    """Twelve questions, each answered by three models."""
    made = [made_item(n, m) for n in range(12) for m in ("atlas", "birch", "cobalt")]
    return sheets.add(store, "numbers", made, "numbers.csv", "0" * 64, {})


@pytest.fixture
def rubric(store):
    """The rubric doc-qa-0-3 with its id in the store, as (id, rubric)."""
    return rubric_versions.named(store, "doc-qa-0-3")


@pytest.fixture
def ana(store):
    """A person's grader id."""
    return graders.ensure(store, "person", "Ana")
