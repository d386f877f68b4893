"""Fixtures of the tests of certificate."""

import pytest

from concord.store import graders
from tests.support.commandline import invoke


@pytest.fixture
def certified_judge(store):
    return graders.get(store, graders.ensure(store, "judge", "mine", "f" * 16))


@pytest.fixture
def certificate(store, judged_by_mine, tmp_path):
    """The path of a certificate."""
    words = ("certificate", "mine", "--json")
    said = invoke(store.path, *words)
    assert said.exit_code == 0, said.output
    path = tmp_path / "certificate.json"
    path.write_text(said.stdout, encoding="utf-8")
    return path
