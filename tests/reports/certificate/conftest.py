"""Fixtures of the tests of certificate."""

import pytest

from tests.support.commandline import invoke


@pytest.fixture
def certificate(store, judged_by_mine, tmp_path):
    """The path of a certificate."""
    words = ("certificate", "mine", "--json")
    said = invoke(store.path, *words)
    assert said.exit_code == 0, said.output
    path = tmp_path / "certificate.json"
    path.write_text(said.stdout, encoding="utf-8")
    return path
