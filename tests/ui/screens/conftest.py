"""Fixtures of the tests of screens."""

from functools import partial

import pytest

from concord.grading import assignments, grading_sets
from concord.sampling import split_assignment, splits
from concord.store import graders
from concord.store import items as store_items
from concord.store.grades import Press, record
from tests.support.screens import opened


@pytest.fixture
def screen(store, monkeypatch, request):
    """Opens the PAGE of the test's module, with a query, on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path, request.module.PAGE)


@pytest.fixture(autouse=True)
def _simulated_once(simulated_once):
    """Each run of a page asks for its simulations anew."""


@pytest.fixture
def app(store, monkeypatch):
    """Opens a page on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path)


@pytest.fixture
def half_graded(store, sheet, whole_set, rubric):
    """A set of 36 answers of which Ana graded 20 and Bo 4, when two questions left for the pool."""
    versions = list(rubric[1].versions().values())
    items = store_items.item_ids(store, sheet.id)
    for name, count in (("Ana", 20), ("Bo", 4)):
        one = graders.ensure(store, "person", name)
        assignments.queue(store, whole_set, one, versions, 1)
        record(store, [Press(item, v, one, score=2) for item in items[:count] for v in versions])
    ids = splits.questions_named(store, sheet, ["000", "001"])
    split_assignment.assign(store, ids, "few-shot", "")
    return grading_sets.get(store, whole_set.id)
