"""Fixtures of the tests of caching."""

import pytest

from concord.grading import grading_sets
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.rubrics import with_another_meaning


@pytest.fixture
def later_sheet(store, rubric):
    """A sheet of which another one, imported before, holds out a question.

    It has a newer split of its own, an older grading set and a newer one.
    """
    other = additions.add(store, "other", [made_item(1)], "other.csv", "2" * 64, {})
    _hold_out(store, other, 0)
    made = [made_item(n, m) for n in range(12) for m in ("atlas", "birch")]
    sheet = additions.add(store, "later", made, "later.csv", "1" * 64, {})
    _hold_out(store, sheet, 5)
    for name in ("first", "second"):
        grading_sets.create(store, sheet.id, rubric[0], name, None, seed=1)
    rubric_versions.register(store, with_another_meaning(), "edited")
    graders.ensure(store, "person", "Ana")
    graders.ensure(store, "person", "Typed", accepted=False)
    return sheets.find(store, "later")


def _hold_out(store, sheet, place):
    question = splits.of_sheet(store, sheet.id)[place]["id"]
    split_assignment.assign(store, [question], "held-out", "kept")
