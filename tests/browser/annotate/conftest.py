"""The grading screen: all tests of a module share a server and its database."""

import pytest

from concord.grading import grading_sets
from concord.model import Cell
from concord.store import graders
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.panels import give, judge


@pytest.fixture
def server(kept_server):
    return kept_server


@pytest.fixture
def store(kept_store):
    return kept_store


@pytest.fixture
def grading(store, sheet, ana):
    """The whole sheet as a grading set with one criterion on 1-10: one key is one answer."""
    rubric_id, _ = rubric_versions.named(store, "holistic-1-10")
    return grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1)


@pytest.fixture
def three_criteria(whole_set, ana):
    """The whole sheet as a grading set with three criteria on 0-3."""
    return whole_set


@pytest.fixture
def labelling(store, sheet, ana):
    """Three claims for each answer, taken by a judge, in one set without hidden repeats."""
    rubric_id, _ = rubric_versions.named(store, "claims-in-contexts")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    for (item_id,) in store.rows("select id from items order by id"):
        cells = [Cell(f"Claim {place} of {item_id}.", place) for place in range(3)]
        units.keep(store, item_id, "claim", cells, judge)
    return grading_sets.create(store, sheet.id, rubric_id, "Claims", None, seed=1, repeat_share=0)


@pytest.fixture
def differing(store, sheet):
    """Ana and Ben differ on the first two answers."""
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    give(store, rubric, "Ana", {0: 3, 1: 0, 2: 2}, reason="said one")
    give(store, rubric, "Ben", {0: 2, 1: 3, 2: 2}, reason="said two")
    judge(store, rubric, "gpt", {0: 0, 1: 1, 2: 0}, reason="a judge said so")
    return graders.ensure(store, "person", "Lea")
