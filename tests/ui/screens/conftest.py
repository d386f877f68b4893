"""Fixtures of the tests of screens."""

from functools import partial

import pytest

from tests.support.screens import opened


@pytest.fixture
def screen(store, monkeypatch, request):
    """Opens the PAGE of the test's module, with a query, on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path, request.module.PAGE)


@pytest.fixture(autouse=True)
def _simulated_once(simulated_once):
    """Each run of a page asks for its simulations anew."""
