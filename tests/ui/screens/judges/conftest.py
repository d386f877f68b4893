"""Fixtures of the tests of the judges screen."""

import pytest

from concord.judges.running import launch


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
