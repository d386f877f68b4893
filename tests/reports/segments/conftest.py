"""Fixtures of the tests of segments."""

import pytest

from concord.store import additions
from tests.support.made_items import made_item


@pytest.fixture
def three_sets(store):
    """Three sets of twenty questions in one sheet, by a column."""
    made = [
        made_item(
            n, metadata={"set": name, "n": n}, question=f"{name} {n}?", own_id=f"{name}-{n}"
        )._replace(question_id=f"{name}-{n}")
        for name in ("sales", "basketball", "random")
        for n in range(20)
    ]
    return additions.add(store, "three", made, "t.csv", "1" * 64, {})
