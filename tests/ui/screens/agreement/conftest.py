"""Fixtures of the tests of agreement."""

import pytest

from tests.support.screens import opened


@pytest.fixture
def sample_ranking(sample_db, monkeypatch):
    """Opens the ranking screen, with a query, on the sample."""
    return lambda **query: opened(monkeypatch, sample_db, "pages/ranking.py", **query)
