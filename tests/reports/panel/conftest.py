"""Fixtures of the tests of panel."""

import pytest

from concord.store import additions, graders, items
from concord.store.grades import Press, record
from tests.support import scales
from tests.support.made_items import made_item
from tests.support.panels import SUSPECTED, drawn


@pytest.fixture
def made_sheet_between(store, sheet, doc_qa):
    """Another sheet whose items stand between two imports of the first, with a grade of its own."""
    from tests.support.made_items import made_item

    other = additions.add(store, "other", [made_item(1)], "other.csv", "1" * 64, {})
    additions.add(store, "numbers", [made_item(99)], "more.csv", "2" * 64, {})
    version = doc_qa.versions()["correctness"]
    ana = graders.ensure(store, "person", "Ana")
    record(store, [Press(items.item_ids(store, other.id)[0], version, ana, score=3)])


@pytest.fixture
def judged_sheet(store):
    made = scales.graded_sheet(store)
    scales.judged(store, made, "gpt")
    return made


@pytest.fixture
def forty_questions(store):
    """Forty questions with one answer each."""
    made = [made_item(n, ("atlas", "birch")[n % 2]) for n in range(40)]
    return additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})


@pytest.fixture
def enriched(store, forty_questions, rubric):
    """All four suspected questions and ten others: chances 1 and a quarter."""
    chances = {place: 1.0 if place in SUSPECTED else 0.25 for place in range(14)}
    every = {place: 1.0 if place in SUSPECTED else 0.25 for place in range(40)}
    drawn(store, forty_questions, rubric, "More", chances, every)
    return forty_questions
