"""docs/library.md: its examples run as they are printed, in a folder with what they name."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from concord import Problem, agreement, choose, import_answers, judge, open_store
from concord.reports.agreement import agreement as report
from concord.store import sheets
from concord.store.rubrics import rubric_versions
from tests.support.exports import FOLDER
from tests.support.panels import panel
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


def test_the_table_has_every_statistic_of_the_report(store, close_judges):
    found = agreement(store, "numbers", rubric="doc-qa-0-3")
    expected = report.report(panel(store, rubric_versions.named(store, "doc-qa-0-3")[1]))
    assert found == expected
    table = found.to_pandas().set_index(["judge", "criterion", "statistic"])
    assert table.index.is_unique
    assert len(table) == sum(len(row.statistics.by_key) for row in found.rows)
    row = next(one for one in found.rows if one.judge == "cheap")
    line = table.loc["cheap", row.criterion, "exact"]
    assert tuple(line[["value", "low", "high"]]) == row.statistics["exact"][:3]
    assert line["human_ceiling"] == row.ceiling.statistics["exact"].value
    assert line["majority_baseline"] == row.majority_baseline.exact and line["n"] == row.n


def test_what_is_undefined_is_nan_with_its_reason(store, close_judges):
    store.execute("delete from grades where id > 8")
    store.execute("update grades set grader_id = (select id from graders where name = 'cheap')")
    with pytest.raises(Problem):
        agreement(store, annotators=["Ana"])
    table = agreement(store).to_pandas()
    assert len(table) and table.value.isna().all() and table.why_none.str.len().gt(0).all()
    assert table.value.dtype == np.float64


def test_the_consensus_and_the_whole_report_can_be_asked_for(store, close_judges):
    assert {row.reference for row in agreement(store, reference="consensus").rows} == {"consensus"}
    assert agreement(store, whole=True).bias_tests
    with pytest.raises(Problem):
        agreement(store, reference="mean of all")


def test_a_choice_fixes_its_terms_and_takes_one_look(store, close_judges):
    asked = {"margin": 0.15, "minimum": 0.6, "criterion": "correctness"}
    found = choose(store, "dear", **asked)
    again = choose(store, "dear", **asked)
    assert store.value("select count(*) from looks") == 1
    assert found.verdict == again.verdict == "good_enough" and found.winner == "cheap"
    table = found.to_pandas().set_index("judge")
    assert [*table.index] == [one.judge for one in found.judges]
    assert bool(table.is_reference["dear"]) and table.verdict["cheap"] == "good_enough"
    (cheap,) = (one for one in found.judges if one.judge == "cheap")
    assert table.value["cheap"] == cheap.value.value
    assert table.difference_low["cheap"] == cheap.difference.low
    assert np.isnan(table.cost_per_1000["cheap"])  # its grades were imported


def test_a_choice_among_unknown_or_without_answers_is_a_problem(store, close_judges):
    with pytest.raises(Problem):
        choose(store, "nobody")
    with pytest.raises(Problem, match="nowhere"):
        choose(store, "dear", "nowhere")
    with pytest.raises(Problem, match="margin"):
        choose(store, "dear", figure="mae")


MAPPING = {"question": "question", "answer": "response", "answer_model": "system"}


@pytest.mark.usefixtures("few_answers")
def test_a_run_that_costs_money_needs_a_budget_or_yes(store, priced_judge):
    with pytest.raises(Problem):
        judge(store, priced_judge)
    assert store.value("select count(*) from grades") == 0
    outcome = judge(store, priced_judge, budget=5)
    assert (outcome.status, outcome.failed) == ("done", False)
    criteria = len(rubric_versions.named(store, "doc-qa-0-3")[1].criteria)
    assert store.value("select count(*) from grades") == 4 * criteria
    again = judge(store, priced_judge)  # nothing is left to pay for
    assert again.status == "done" and again.estimate.calls == 0


@pytest.mark.usefixtures("few_answers")
def test_a_run_stops_at_its_limit_of_answers_and_resumes(store, priced_judge):
    judge(store, priced_judge, yes=True, limit=1)
    first = store.value("select count(distinct item_id) from grades")
    judge(store, priced_judge, yes=True)
    assert (first, store.value("select count(distinct item_id) from grades")) == (1, 4)


def test_an_unknown_judge_is_a_problem(store):
    with pytest.raises(Problem, match="nobody"):
        judge(store, "nobody")


def test_the_baseline_is_free(store, graded_answers):
    mapping = MAPPING | {"score:annotator:Lea:correctness": "lea"}
    import_answers(store, graded_answers, "pilot", mapping=mapping, rubric="doc-qa-0-3")
    assert judge(store, "baseline").stored == 60


@pytest.mark.usefixtures("few_answers")
def test_a_metric_judge_computes_its_metrics(store):
    outcome = judge(store, "computed")
    assert outcome.status == "done"
    assert store.value("select count(*) from graders where kind = 'metric'") > 0


@pytest.mark.usefixtures("few_answers")
@pytest.mark.parametrize(
    ("argument", "value"),
    [("budget", -1.0), ("budget", float("nan")), ("limit", 0), ("repeats", 0), ("concurrency", 0)],
)
def test_a_number_out_of_its_range_is_a_problem_and_runs_nothing(
    store, priced_judge, argument, value
):
    with pytest.raises(Problem, match=rf"{argument} is {value}. Give [01] or more\."):
        judge(store, priced_judge, **{"yes": True, argument: value})
    assert store.value("select count(*) from replies") == 0
