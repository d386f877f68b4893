"""Fixtures of the tests of decide."""

import pytest

from tests.support import wavering
from tests.support.wavering import decide


@pytest.fixture
def asked(store, rubric):
    wavering.asked(store, rubric[1])
    decide(store, rubric[1], "big")
