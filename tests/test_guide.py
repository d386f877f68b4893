"""The methods that docs/guide.md names: each command runs, and each screen is there."""

import re

import pytest

from concord.resources import ROOT
from concord.ui.navigation import SCREENS
from tests.golden import commands

pytestmark = pytest.mark.usefixtures("half_of_sheets", "steady", "simulated_once")

GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
METHODS = re.findall(r"^- [^`]+: `([^`]+)`, (\w+)$", GUIDE.partition("## Methods")[2], re.MULTILINE)
HERE = {"ragas.jsonl": "data/samples/sample.jsonl", "FOLDER": "{documents}", "WRITER": "{writer}"}
ON = {"disagreements": "units", "build": "empty", "import": "empty"}  # the rest on the sample


@pytest.mark.parametrize(("command", "screen"), METHODS)
def test_a_method_of_the_guide_has_its_command_and_screen(command, screen, golden, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    verb, *words = command.split()
    found = commands.said(
        golden(ON.get(verb, "sample")), " ".join([verb, *(HERE.get(w, w) for w in words)])
    )
    assert "exit" not in found
    assert screen in {one.title for one in SCREENS}


def test_no_method_is_left_out():
    assert len(METHODS) == 13
