"""Fixtures of the tests of decide."""

import pytest

from tests.support import wavering
from tests.support.screens import opened
from tests.support.wavering import decide


@pytest.fixture
def asked(store, rubric):
    wavering.asked(store, rubric[1])
    decide(store, rubric[1], "big")


@pytest.fixture
def certificate_page(monkeypatch, store, decided):
    return opened(monkeypatch, store.path, "pages/certificate.py")
