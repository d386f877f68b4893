"""Fixtures of the tests of cascade."""

import pytest

from tests.support import wavering
from tests.support.panels import panel


@pytest.fixture
def asked(store, rubric):
    wavering.asked(store, rubric[1])
    return panel(store, rubric[1])


@pytest.fixture
def decided(store, rubric):
    wavering.decided(store, rubric[1])
    return store
