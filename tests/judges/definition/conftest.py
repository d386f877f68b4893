"""Fixtures of the tests of definition."""

import pytest

from concord.store import graders


@pytest.fixture
def no_endpoint(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def unpriced_judge(store):
    graders.ensure(store, "judge", "gpt=mini")
    return lambda: graders.named(store, "judge", "gpt=mini")
