"""Fixtures of the tests of readers."""

import pytest

from concord.store import additions
from tests.support.files import TEXTS
from tests.support.made_items import made_item


@pytest.fixture
def hostile(store):
    made = [
        made_item(n, "=model", question=f"{text} {n}?", answer=text, metadata={"score": "-2.5"})
        for n, text in enumerate(TEXTS)
    ]
    return additions.add(store, "=hostile", made, "h.csv", "0" * 64, {})
