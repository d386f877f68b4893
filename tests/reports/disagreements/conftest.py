"""A sheet with disagreements of a judge and two annotators."""

import pytest

from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreements import every, keys
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel

TEXTS = [
    ("When does the meeting start?", "It starts at nine."),
    ("When does the second meeting start?", "It starts at ten."),
    ("Who is the chair?", "Nobody knows."),
    ("When does the meeting start today?", "It starts at nine sharp."),
]


@pytest.fixture
def graded(store, sheet, doc_qa):
    """Six disagreements of gpt: 3 against 0, 0 against 3, 3 against 1 and three by one point."""
    give(store, doc_qa, "Ana", {0: 0, 1: 3, 2: 1, 3: 2, 4: 2, 5: 3})
    give(store, doc_qa, "Ben", {0: 0, 3: 1})
    judge(store, doc_qa, "gpt", {0: 3, 1: 0, 2: 3, 3: 3, 4: 3, 5: 3, 6: 2})
    return panel(store, doc_qa)


@pytest.fixture
def talks(store):
    made = [
        made_item(n, question=question, answer=answer, contexts=(), reference=())
        for n, (question, answer) in enumerate(TEXTS)
    ]
    additions.add(store, "talks", made, "t.csv", "0" * 64, {})
    return rubric_versions.named(store, "doc-qa-0-3")[1]


@pytest.fixture
def missed(store, talks):
    """gpt passed the first answer with 3, which Ana failed with 1."""
    give(store, talks, "Ana", {0: 1, 1: 2, 2: 1, 3: 3}, reason="half")
    judge(store, talks, "gpt", {0: 3})
    return lambda: disagreements.read(
        store, found := panel(store, talks), keys(found, every(found))
    )
