"""The sheets screen, opened on a database."""

from functools import partial

import pytest

from tests.support.screens import opened


@pytest.fixture
def screen(store, monkeypatch):
    """Opens the sheets screen, with a query, on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path, "pages/data.py")
