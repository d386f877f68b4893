"""docs/library.md: its examples run as they are printed, in a folder with what they name."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import concord
from concord import Problem, agreement, choose, import_answers, import_grades, judge, open_store
from concord.library import arguments
from concord.reports.agreement import agreement as report
from concord.store import items, sheets
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
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
    assert found == "Recognised: promptfoo results."
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
    assert line["majority_baseline"] == row.majority_baseline["exact"] and line["n"] == row.n


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


def test_an_unknown_judge_is_a_problem(store):
    with pytest.raises(Problem, match="nobody"):
        judge(store, "nobody")


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


MAPPING_OF_ANSWERS = {
    "question": "question",
    "answer": "response",
    "answer_model": "system",
    "score:annotator:Lea:correctness": "lea",
}


def test_a_frame_is_imported_once(store, graded_answers):
    first = import_answers(
        store, graded_answers, "pilot", mapping=MAPPING_OF_ANSWERS, rubric="doc-qa-0-3"
    )
    assert (first.sheet, first.rubric) == ("pilot", "doc-qa-0-3")
    assert (first.counts.items, first.counts.grades) == (60, 60)
    again = import_answers(
        store, graded_answers, "pilot", mapping=MAPPING_OF_ANSWERS, rubric="doc-qa-0-3"
    )
    assert (again.counts.items, again.counts.grades, again.counts.grades_unchanged) == (0, 0, 60)


def test_what_cannot_be_imported_is_a_problem_and_stores_nothing(store, graded_answers):
    with pytest.raises(Problem):
        import_answers(store, graded_answers)
    with pytest.raises(Problem, match="not from list"):
        import_answers(store, [{"question": "q"}], "x")
    with pytest.raises(Problem):
        import_answers(store, graded_answers.assign(system=[1, "b"] * 30), "x")
    with pytest.raises(Problem):
        import_answers(store, pd.concat([graded_answers, graded_answers], axis=1), "x")
    with pytest.raises(Problem, match="9"):
        wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
        import_answers(store, wrong, "x", mapping=MAPPING_OF_ANSWERS, rubric="doc-qa-0-3")
    assert sheets.all_sheets(store) == []


def test_a_problem_names_the_frame_and_the_arguments(store, graded_answers):
    def problem(frame, **more):
        with pytest.raises(Problem) as raised:
            import_answers(store, frame, "p", **more)
        return str(raised.value)

    wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
    text = problem(wrong, mapping=MAPPING_OF_ANSWERS, rubric="doc-qa-0-3")
    problem(graded_answers.assign(lea="fine"), mapping=MAPPING_OF_ANSWERS, rubric="doc-qa-0-3")
    words = {"answer": "response", "item_id": "question", "question": "question"}
    import_answers(store, graded_answers[:1], "p", mapping=words)
    text = problem(graded_answers[:1].assign(response="Other."), mapping=words)
    assert "--" not in text


@pytest.mark.parametrize(
    ("of_command", "of_python"),
    [
        ("as in --map answer=COLUMN, or add it.", 'as in mapping={"answer": "COLUMN"}, or add it.'),
        (
            'models: --map "answer:a b=a b" --map "answer:c=c"',
            'models: mapping={"answer:a b": "a b", "answer:c": "c"}',
        ),
        (
            "as in --map \"answer:it's=it's\", or --map answer=it's; or not.",
            'as in mapping={"answer:it\'s": "it\'s"}, or mapping={"answer": "it\'s"}; or not.',
        ),
        (
            'as in --score "x y=1", or --score "x y=".',
            'as in scores={"x y": 1}, or scores={"x y": None}.',
        ),
        ("as in --scale 1-5.", "as in scale=range(1, 6)."),
        ("Name one with --rubric.", "Name one with rubric=."),
        ("the file p.csv, and --partially", "the file p.csv, and --partially"),
    ],
)
def test_options_become_arguments(of_command, of_python):
    assert arguments.in_python(of_command) == of_python


def test_with_partial_the_good_rows_are_imported_and_the_others_named(store, graded_answers):
    wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
    taken = import_answers(
        store, wrong, "x", mapping=MAPPING_OF_ANSWERS, rubric="doc-qa-0-3", partial=True
    )
    assert taken.counts.grades == 59
    assert len(taken.left_out) == 1 and "9" in taken.left_out[0]


@pytest.mark.parametrize("name", ["promptfoo.json", "inspect.json", "mlflow.json", "deepeval.json"])
def test_a_file_of_another_tool_is_imported_as_by_the_command(store, name, tmp_path):
    db = tmp_path / "other.db"
    done = invoke(db, "import", FOLDER / name, "--json")
    (told,) = json.loads(done.stdout)["sheets"]
    taken = import_answers(store, FOLDER / name)
    assert json.loads(json.dumps(taken.found.to_json())) == told["found"]
    assert (taken.counts.items, taken.counts.grades) == (told["items"], told["grades"])
    assert taken.rubric == told["rubric"] and taken.counts.grades > 0
    noted = [one for one in done.stderr.splitlines() if not one.startswith("new rubric")]
    assert all(any(str(said) in line for line in noted) for said in taken.found.sentences())


def test_the_report_of_an_export_is_typed_and_nothing_is_stored_by_a_dry_run(store):
    taken = import_answers(store, FOLDER / "mlflow.json", "traces", dry_run=True)
    assert sheets.all_sheets(store) == []
    (judge,) = (one for one in taken.found.judges if one.version)
    assert (judge.model, judge.version) == ("openai:/gpt-4.1-mini", "2")
    assert taken.scores == {"no": 0, "yes": 1}
    assert [one.count for one in taken.found.left_out] == [3, 3]


def test_grades_whose_answers_are_elsewhere_are_no_answers(store):
    with pytest.raises(Problem):
        import_answers(store, FOLDER / "langfuse_scores_v3.json")


HUMAN = {"grader_kind:": "annotator"}


def frame(*scores, ids=("a", "b")):
    return pd.DataFrame(
        {"item_id": ids, "annotator": "Lea", "criterion": "correctness", "score": scores}
    )


def taken(store, grades, **more):
    return import_grades(store, grades, "pilot", mapping=HUMAN, rubric="doc-qa-0-3", **more)


def test_grades_of_a_frame_are_imported_once(store, two_answers):
    first = taken(store, frame(2, 3))
    assert (first.sheet, first.rubric, first.counts.grades) == ("pilot", "doc-qa-0-3", 2)
    again = import_grades(store, frame(2, 3), mapping=HUMAN)  # the only sheet, and its rubric
    assert (again.counts.grades, again.counts.grades_unchanged) == (0, 2)
    assert store.column("select score from grades order by id") == [2, 3]


def test_another_score_is_kept_or_replaced_as_the_script_says(store, two_answers):
    taken(store, frame(2, 3))
    with pytest.raises(Problem):
        taken(store, frame(2, 2))
    assert taken(store, frame(2, 2), on_conflict="keep").counts.grades_replaced == 0
    assert taken(store, frame(2, 2), on_conflict="replace").counts.grades_replaced == 1


def test_what_cannot_be_imported_stores_nothing(store, two_answers):
    with pytest.raises(Problem, match="grader_kind"):
        import_grades(store, frame(2, 3), "pilot")
    with pytest.raises(Problem, match="not from list"):
        import_grades(store, [{"item_id": "a"}], "pilot")
    with pytest.raises(Problem):
        taken(store, frame(2, 3, ids=("z", "b")))
    assert store.value("select count(*) from grades") == 0
    good = taken(store, frame(2, 3, ids=("z", "b")), partial=True)
    assert good.counts.grades == 1 and good.left_out[0].startswith("row 1: ")


HALF = "half \ud800"


def frame_of_arguments(**columns):
    return pd.DataFrame({"question": ["Q?"], "answer": ["A"], **columns}, dtype=object)


@pytest.mark.parametrize(
    "call",
    [
        lambda store: concord.agreement(None),
        lambda store: concord.import_answers("x.db", frame_of_arguments(), "s"),
        lambda store: concord.import_answers(store, frame_of_arguments(), 5),
        lambda store: concord.import_answers(
            store, frame_of_arguments(), "s", mapping="question=x"
        ),
        lambda store: concord.import_answers(store, frame_of_arguments(), HALF),
        lambda store: concord.import_answers(store, frame_of_arguments(question=[HALF]), "s"),
        lambda store: concord.import_grades(store, frame_of_arguments(), 5),
        lambda store: concord.agreement(store, 5),
        lambda store: concord.agreement(store, HALF),
        lambda store: concord.agreement(store, rubric=5),
        lambda store: concord.agreement(store, annotators=5),
        lambda store: concord.choose(store, 5),
        lambda store: concord.judge(store, 5),
        lambda store: concord.judge(store, HALF),
        lambda store: concord.judge(store, "baseline", budget="x"),
    ],
)
def test_a_wrong_argument_is_a_problem_and_stores_nothing(store, call):
    with pytest.raises(concord.Problem):
        call(store)
    assert store.value("select count(*) from sheets") == 0


@pytest.mark.parametrize("close", [False, True])
def test_a_store_of_another_thread_or_a_closed_one_is_a_problem(store, close):
    raised = []

    def use():
        for call in (
            lambda: concord.agreement(store),
            lambda: concord.import_answers(store, frame_of_arguments(), "s"),
        ):
            try:
                call()
            except BaseException as error:
                raised.append(type(error))

    if close:
        store.close()
        use()
    else:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert raised == [concord.Problem] * 2


def test_an_answer_that_is_nan_is_missing_and_counted(store):
    answers = ["A", float("nan"), None, ""]
    table = pd.DataFrame({"question": [f"Q{n}?" for n in range(4)], "answer": answers})
    done = concord.import_answers(store, table, "s")
    stored = [one.item.answer for one in items.items(store, [1, 2])]
    assert (done.counts.items, stored, len(done.left_out)) == (2, ["A", ""], 1)
    assert store.value("select count(*) from items") == 2
