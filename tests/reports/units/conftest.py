"""Fixtures of the tests of units."""

import pytest

from concord.model import Cell, Context
from concord.store import additions, graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.evidence_room import (
    CLAIM_VERSION,
    CLAIMS,
    RUBRIC,
    cut,
    give_number,
)
from tests.support.made_items import made_item

TEXT = "Seoul is the capital.  About 9.4 million annotators live there."

CONTEXTS = (
    Context("", "", "Tea is grown in Assam.\nIt rains a lot there.", 1),
    Context("", "", "东京是日本的首都。大阪很大。", 2),
)


@pytest.fixture
def claims_judge(store):
    return graders.ensure(store, "metric", "rag-metrics", "f" * 16)


@pytest.fixture
def three_answers(store):
    made = [made_item(n, contexts=CONTEXTS) for n in range(3)]
    rubric_versions.register(store, RUBRIC, "preset")
    return additions.add(store, "three", made, "t.csv", "3" * 64, {})


@pytest.fixture
def mine(store):
    return graders.ensure(store, "metric", "mine", "f1")


@pytest.fixture
def thirty_seven(store, claims_judge):
    """A sheet of 37 questions with two claims each; a judge refutes the first of each."""
    contexts = (Context("c1", "d1", "Busan lies in the south.", 1), Context("c2", "d1", TEXT, 2))
    made = [made_item(n, contexts=contexts) for n in range(37)]
    sheet = additions.add(store, "facts", made, "facts.csv", "7" * 64, {})
    rubric_versions.register(store, CLAIMS, "preset")
    for (item_id,) in store.rows("select id from items order by id"):
        cells = [Cell("Nobody lives in Seoul.", 0), Cell("Seoul is the capital.", 1)]
        first, second = units.keep(store, item_id, "claim", cells, claims_judge).units
        press = Press(
            item_id, CLAIM_VERSION, claims_judge, score=0, label="contradicted", unit_id=first.id
        )
        quote = "About 9.4 million annotators live there."
        supported = press._replace(score=3, label="supported", unit_id=second.id)
        grades.record(store, [press._replace(quote=quote, reason="There are."), supported])
    return sheet


@pytest.fixture
def edited(store, four, ana):
    """Numbers for four answers, of which an annotator then edited the first one's list."""
    for item_id, value in enumerate((0.0, 0.25, 0.5, 1.0), 1):
        cut(store, item_id, "One.", "Two.")
        give_number(store, item_id, value, [item_id])
    old = units.current(store, [1], "claim")[1]
    units.edit(store, old, [(old.units[0].id, "One.")], ana)
    return four
