"""Fixtures of the tests of agreement."""

import pytest

from concord.store import additions
from tests.support.made_items import made_item
from tests.support.measured_sets import give
from tests.support.screens import opened


@pytest.fixture
def two_sets(store):
    """Two sets of twelve questions with a metric on each; `out` stands last."""
    made = [
        made_item(n, metadata={"set": "in" if n < 12 else "out"}, question=f"{n}?")
        for n in range(24)
    ]
    sheet = additions.add(store, "two", made, "t.csv", "1" * 64, {})
    give(store, sheet.id, "faithfulness", [0.8 + n / 100 for n in range(12)] + [0.1, 0.2] * 6)
    return sheet


@pytest.fixture
def sample_ranking(sample_db, monkeypatch):
    """Opens the ranking screen, with a query, on the sample."""
    return lambda **query: opened(monkeypatch, sample_db, "pages/ranking.py", **query)
