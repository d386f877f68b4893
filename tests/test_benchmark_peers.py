"""The benchmark beside other tools: an adapter for each, and no figure for one that is absent."""

import re

import pytest
from packaging.requirements import Requirement

from benchmarks import judge_peers, judge_run
from benchmarks.peers.run import FOLDER, adapter
from tests.support.source import ROOT

FILES = sorted((ROOT / "benchmarks").glob("requirements-peers*.txt"))
# What stands in the files only so that a tool can be imported or run.
NEEDED_BY_TOOLS = {"langchain-community", "openai"}


def required(file):
    lines = (line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines())
    return {Requirement(line).name for line in lines if line}


def test_every_tool_of_the_requirements_files_has_an_adapter_and_every_adapter_a_tool():
    names = set().union(*map(required, FILES)) - NEEDED_BY_TOOLS | {"promptfoo"}
    assert names == set(judge_peers.NAMES)
    assert {file.stem for file in FOLDER.glob("*.py")} - {"run"} == names


@pytest.mark.parametrize("name", judge_peers.NAMES)
def test_an_adapter_says_what_its_judge_replies_and_the_score_in_it_and_needs_no_tool(name):
    form = adapter(name)
    assert callable(form.judge)
    graded = re.findall(r"\d[\d.]*|GRADE: \w", form.REPLY)
    # G-Eval grades from 0 to 10 and divides; inspect_ai counts a partial answer as a half.
    worth = {"7": 0.7, "GRADE: P": 0.5}
    assert [worth.get(text) or float(text) for text in graded] == [form.SCORE]
    # Neither end of a scale, so that no tool hits it by falling back on one.
    assert form.SCORE not in (0, 1, 5)


def test_tools_see_no_key_and_nothing_else_of_the_environment(monkeypatch, tmp_path):
    for key in ("OPENAI_API_KEY", "CONFIDENT_API_KEY", "PROMPTFOO_API_KEY"):
        monkeypatch.setenv(key, "secret")
    seen = judge_peers._environment(str(tmp_path))
    assert set(seen) == {"PATH", "HOME", *judge_peers.OFF} and "secret" not in seen.values()


def test_a_case_is_answers_by_seconds():
    assert judge_run._case("500x0.2") == (500, 0.2)
