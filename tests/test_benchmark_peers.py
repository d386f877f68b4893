"""The benchmark beside other tools: an adapter for each, and no figure for one that is absent."""

import json
import re

import pytest
from packaging.requirements import Requirement

from benchmarks import judge_faults, judge_peers, judge_run
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


@pytest.mark.parametrize("name", judge_peers.NAMES)
def test_an_absent_tool_is_said_to_be_not_installed_and_has_no_figure(name, tmp_path):
    absent = [str(tmp_path / "no-python")]
    assert judge_peers.installed(name, absent, str(tmp_path / "no-promptfoo")) is None
    line = judge_peers.line(name, None, tmp_path, 0.2, 64, 1.0)
    assert line.split() == [name, "not", "installed"]


def test_tools_see_no_key_and_nothing_else_of_the_environment(monkeypatch, tmp_path):
    for key in ("OPENAI_API_KEY", "CONFIDENT_API_KEY", "PROMPTFOO_API_KEY"):
        monkeypatch.setenv(key, "secret")
    seen = judge_peers._environment(str(tmp_path))
    assert set(seen) == {"PATH", "HOME", *judge_peers.OFF} and "secret" not in seen.values()


def test_scores_at_a_failing_server_are_counted_beside_what_it_delivered(tmp_path, monkeypatch):
    monkeypatch.setattr(judge_faults, "ANSWERS", 4)
    log = tmp_path / "log"
    # Body, fault, status, whether a good reply was delivered, when.
    tries = [
        ("a", "", 200, True),
        ("b", "429", 429, True),
        ("b", "", 200, True),
        ("c", "cut", 200, False),
        ("d", "", 200, True),
        ("d", "", 200, True),
    ]
    log.write_text("".join(json.dumps([*one, 0.0]) + "\n" for one in tries), "utf-8")
    ended = judge_faults._ended(log, [0.7, 0.7, 0.0], 0.7)
    assert ended[:4] == (2, 1, 1, 1)
    assert ended.faults == {"": 4, "429": 1, "cut": 1}


def test_an_answer_of_concord_has_the_score_only_if_every_criterion_has_it():
    assert judge_faults._joint([2.0, 2.0, 2.0]) == 2
    assert judge_faults._joint([2.0, float("nan"), 2.0]) is None
    assert judge_faults._joint([2.0, 3.0, 2.0]) == -1


def test_a_case_is_answers_by_seconds():
    assert judge_run._case("500x0.2") == (500, 0.2)
