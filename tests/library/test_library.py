"""docs/library.md: its examples run as they are printed, in a folder with what they name."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from concord import open_store
from concord.store import sheets
from concord.store.rubrics import rubric_versions
from tests.support.exports import FOLDER
from tests.support.source import ROOT

PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def blocks(heading: str, language: str = "python") -> list[str]:
    """The code of a section of the page, block by block."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def environment(**more: str) -> dict[str, str]:
    """That of a project in which Concord is installed, as this checkout."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("CONCORD")}
    return kept | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests/offline'}"} | more


def script(folder: Path, code: str) -> subprocess.CompletedProcess:
    (folder / "script.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "script.py"]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


def run_cells(cells: list[str]) -> list[object]:
    """Run code as a notebook does; the value of the last expression of each cell, else None."""
    known: dict[str, object] = {}
    shown = []
    for cell in cells:
        *before, last = ast.parse(cell).body
        is_value = isinstance(last, ast.Expr)
        exec(compile(ast.Module([*before, *([] if is_value else [last])], []), "c", "exec"), known)
        shown.append(
            eval(compile(ast.Expression(last.value), "c", "eval"), known) if is_value else None
        )
    known["store"].close()
    return shown


def test_the_page_has_its_examples():
    (first,), (tested,), (gate,) = map(
        blocks, ("pandas in, pandas out", "In pytest", "A gate of your own")
    )
    assert "import_answers(" in first and "certified_judge" in tested and "sys.exit" in gate
    assert len(blocks("From the file of another tool")) == 1
    assert len(blocks("Grades in a table of their own")) == 2
    assert len(blocks("In a notebook")) == 4
    assert len(blocks("In a GitHub Actions job", "yaml")) == 1


def test_answers_go_in_from_pandas_and_figures_come_out(project):
    done = script(project, *blocks("pandas in, pandas out"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("pilot: 60 answers added, 180 grades added.\n")
    assert re.search(r"gpt +exact +0\.\d+", done.stdout) and "qwk" in done.stdout


def test_grades_follow_in_a_table_of_their_own(project):
    script(project, *blocks("pandas in, pandas out"))
    done = script(project, "\n".join(blocks("Grades in a table of their own")))
    told = "pilot: 2 grades added.\nverdicts: 2 grades added.\n"
    assert (done.stdout, done.stderr) == (told, "")
    with open_store(project / "judges.db") as store:
        (sheet,) = (one for one in sheets.all_sheets(store) if one.name == "verdicts")
        assert rubric_versions.annotators_use(store, sheet.id) == "doc-qa-0-1"


def test_the_file_of_another_tool_is_reported_and_imported(project):
    shutil.copy(FOLDER / "promptfoo.json", project / "results.json")
    done = script(project, *blocks("From the file of another tool"))
    assert done.returncode == 0, done.stderr
    found, *_, imported = done.stdout.splitlines()
    assert found == "promptfoo results: 10 answers by birch (6), atlas (4)."
    assert "{'promptfoo user': 3}\n" in done.stdout
    assert "2 answers the provider returned an error\n" in done.stdout
    assert imported.startswith("results: 10 answers added, ")


def test_the_cells_of_the_notebook_run(project, monkeypatch):
    script(project, *blocks("pandas in, pandas out"))
    monkeypatch.chdir(project)
    _, outcome, exact, chosen = run_cells(blocks("In a notebook"))
    assert outcome.status == "done" and not outcome.failed
    assert {"gpt", "mine"} <= {*exact.index} and 0 < exact.correctness["mine"] < 1
    assert chosen.judge[0] == "gpt" and "mine" in {*chosen.judge}
    with open_store("judges.db") as store:
        assert store.value("select count(*) from looks") == 1


def test_the_test_passes_with_its_certificate_and_fails_after_an_edit(project):
    (project / "test_judge.py").write_text(*blocks("In pytest"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "concord.pytest_plugin", "."]
    where = {"cwd": project, "env": environment(), "capture_output": True, "text": True}
    passed = subprocess.run(command, check=False, **where)
    assert passed.returncode == 0 and "1 passed" in passed.stdout, passed.stdout
    file = project / "judges/my-judge.toml"
    file.write_text(file.read_text().replace('model = "m"', 'model = "n"'))
    failed = subprocess.run(command, check=False, **where)
    assert failed.returncode == 1


@pytest.mark.parametrize("edit", [False, True])
def test_the_job_runs_its_gate_in_a_shell(project, edit):
    (page,) = blocks("In a GitHub Actions job", "yaml")
    (job,) = yaml.safe_load(page)["jobs"].values()
    install, gate = (step["run"] for step in job["steps"] if "run" in step)
    assert install == "pip install concord-judges"
    programs = project / "bin"
    programs.mkdir()
    program = programs / "concord"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m concord "$@"\n')
    program.chmod(0o755)
    if edit:
        file = project / "judges/my-judge.certificate.json"
        file.write_text(file.read_text().replace("cheap", "cheaper", 1))
    named = environment(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}", RUNNER_TEMP=".")
    shell = ["sh", "-e", "-c", gate]
    done = subprocess.run(
        shell, cwd=project, env=named, capture_output=True, text=True, check=False
    )
    said = "The gate fails" if edit else "The certificate is valid."
    assert (done.returncode, said in done.stdout) == (int(edit), True), done.stdout + done.stderr


def test_the_gate_passes_and_fails_by_its_minimums(project, monkeypatch):
    script(project, *blocks("pandas in, pandas out"))
    (gate,) = blocks("A gate of your own")
    passed = script(project, gate)
    assert passed.returncode == 0, passed.stderr
    monkeypatch.chdir(project)
    for old, new, why in (
        ('"exact": 0.6', '"exact": 0.99', r"exact: the lower limit 0\."),
        ("'correctness'", "'readability'", "the lower limit nan is below"),
        ('"pilot"', '"pilots"', "pilots"),
    ):
        with pytest.raises(SystemExit, match=why):
            exec(gate.replace(old, new), {})
