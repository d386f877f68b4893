"""Fixtures of the tests of units."""

import pytest

from concord.store import graders


@pytest.fixture
def person(store):
    return graders.ensure(store, "person", "ana")
