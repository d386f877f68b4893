"""Fixtures of the tests of the judges screen."""

import pytest

from concord.judges.running import launch
from concord.store.permissions import VIEWER, Who


@pytest.fixture
def keyed(monkeypatch):
    """An API key is known."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-quite-secret-0123456789")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def started(monkeypatch):
    """What the screen would have started, as (argument, options)."""
    calls = []
    monkeypatch.setattr(
        launch, "start", lambda _, plan, argument, opts: calls.append((argument, opts))
    )
    return calls


@pytest.fixture
def viewer(monkeypatch):
    """A viewer has signed in."""
    for module in ("concord.ui.sign_in", "concord.ui.page_run"):
        monkeypatch.setattr(f"{module}.person", lambda: Who("Vi", VIEWER))
