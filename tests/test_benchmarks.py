"""What the benchmarks use of the package exists: nothing else runs all of them."""

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement

from benchmarks import coverage, judge_peers, judge_run
from benchmarks.peers.run import FOLDER, adapter
from tests.support.source import ROOT

OURS = ("concord", "benchmarks")


def imported(tree: ast.AST) -> dict[str, Any]:
    """What a file imports from the package, by the name it has there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OURS):
            module = importlib.import_module(node.module)
            for one in node.names:
                if not hasattr(module, one.name):
                    importlib.import_module(f"{node.module}.{one.name}")
                found[one.asname or one.name] = getattr(module, one.name)
    return found


def meant(node: ast.AST, names: dict[str, Any]) -> Any:
    """The object of the package that a name or `module.name` means; None for any other."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = names.get(node.value.id)
        return getattr(module, node.attr) if isinstance(module, ModuleType) else None
    return None


@pytest.mark.parametrize("path", sorted(Path("benchmarks").rglob("*.py")), ids=str)
def test_what_a_benchmark_names_is_there_and_takes_its_arguments(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = imported(tree)
    for node in ast.walk(tree):
        one = meant(node.func if isinstance(node, ast.Call) else node, names)
        if isinstance(node, ast.Call) and (inspect.isfunction(one) or inspect.isclass(one)):
            named = {each.arg: None for each in node.keywords if each.arg}
            is_whole = len(named) == len(node.keywords) and not any(
                isinstance(each, ast.Starred) for each in node.args
            )
            bind = inspect.signature(one).bind if is_whole else inspect.signature(one).bind_partial
            bind(*[None for each in node.args if not isinstance(each, ast.Starred)], **named)


@pytest.mark.parametrize("spread", ["balanced", "70/22/5/3"])
def test_made_up_sheets_are_as_described(spread):
    sizes = np.resize(coverage.SIZES["1 or 10"], 16_000)
    random = np.random.default_rng(1)
    sheet = coverage.made_up(random, coverage.World(spread, whole=True), sizes)
    assert (np.bincount(sheet.cluster) == sizes).all()
    p = np.array(coverage.SPREADS[spread])
    moved = np.array([p[1] / 2, p[0] + p[2] / 2, p[3] + p[1] / 2, p[2] / 2])
    shares = np.bincount(sheet.person.ravel()) / sheet.person.size
    assert shares == pytest.approx(0.85 * p + 0.15 * moved, abs=0.02)
    assert np.abs(sheet.judges[0] - sheet.judges[1]).max() == 2


def test_every_interval_is_measured_and_the_table_says_how_often_it_holds(monkeypatch):
    monkeypatch.setattr(coverage, "POPULATION", 2000)
    random, world = np.random.default_rng(2), coverage.World("balanced", whole=True)
    truth = coverage.true_values(random, world)
    cell = coverage.cell(random, world, coverage.SIZES["1/2/3/8"], 30, 6, truth)
    assert set(cell) == {*truth, coverage.ALL_HOLD, coverage.BY_SEGMENT}
    assert cell["exact"].given == 1 and cell["exact"].held > 0.5
    assert cell["Rogan-Gladen share"].given < 1


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
