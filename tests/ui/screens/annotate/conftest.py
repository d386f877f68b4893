"""Fixtures of the tests of the grading pages."""

from functools import partial

import pytest

from tests.support.screens import opened


@pytest.fixture
def app(store, monkeypatch):
    """Opens a page of app.py with a query, on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path)
