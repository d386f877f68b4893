"""Fixtures of the tests of language."""

import pytest
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po

from tests.support.source import ROOT


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Every text of the interface as it is in the source now."""
    file = tmp_path_factory.mktemp("texts") / "concord.pot"
    options = ["-F", f"{ROOT / 'pyproject.toml'}", "-o", f"{file}"]
    CommandLineInterface().run(["pybabel", "-q", "extract", *options, f"{ROOT}"])
    with file.open("rb") as written:
        return read_po(written)
