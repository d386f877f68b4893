"""Exports of other tools as parsed JSON, for tests to change."""

import json

import pytest

from tests.support.exports import FOLDER


def parsed(name):
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


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
