"""Exports of other tools as parsed JSON, for tests to change."""

import pytest

from tests.support.exports import parsed


@pytest.fixture
def results():
    return parsed("promptfoo.json")


@pytest.fixture
def traces():
    return parsed("mlflow.json")


@pytest.fixture
def log():
    return parsed("inspect.json")


@pytest.fixture
def test_run():
    return parsed("deepeval.json")
