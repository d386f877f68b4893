"""Fixtures of the tests of sampling."""

import pytest

from tests.support.made_items import sheet_of


@pytest.fixture
def clusters(store):
    """Two questions of document a, one of document b, one of none."""
    return sheet_of(store, "first", ("How?", "a"), ("Why?", "a"), ("When?", "b"), ("Who?", None))
