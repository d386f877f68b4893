"""Fixtures of the tests of judges."""

import pytest

from concord.store import additions
from tests.support.made_items import made_item


@pytest.fixture
def sixty(store):
    """A sheet of sixty answers."""
    made = [made_item(n, m) for n in range(20) for m in ("atlas", "birch", "cobalt")]
    return additions.add(store, "sixty", made, "s.csv", "6" * 64, {})


@pytest.fixture
def api_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
