"""The grading screen: all tests of a module share a server and its database."""

import pytest

from concord.grading import grading_sets
from concord.model import Cell
from concord.store import graders
from concord.store.rubrics import rubric_versions
from concord.store.units import units


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
