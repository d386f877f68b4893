"""Fixtures of the tests of the tabs of the agreement screen."""

import pytest

from tests.support.panels import give, judge
from tests.support.screens import opened


@pytest.fixture
def open_confidence(monkeypatch, db):
    """Open the tab Confidence, with more of the link."""

    def show(**query):
        app = opened(monkeypatch, db, "pages/agreement.py", detail="confidence", **query)
        assert not app.exception and not app.error
        return app

    return show


@pytest.fixture
def annotated(store, sheet, doc_qa):
    """Ana, and a judge without probabilities, have graded every answer alike."""
    give(store, doc_qa, "Ana", {n: n % 4 for n in range(36)})
    judge(store, doc_qa, "plain", {n: n % 4 for n in range(36)})
