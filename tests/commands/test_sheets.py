"""Sheets, answers, grades and splits on the command line: what goes in and is never lost."""

import json

from tests.support.commandline import ANSWERS, grades_file


def test_a_sheet_is_named_after_its_file_or_by_the_option(run, answers):
    assert run("import", answers).stdout == "meetings: 12 answers added.\n"
    run("import", answers, "--sheet", "other")
    assert run("import", answers).stdout == "meetings: 12 rows already stored.\n"
    found = json.loads(run("sheets", "--json").stdout)["sheets"]
    assert [(s["name"], s["items"], s["answer_models"]) for s in found] == [
        (name, 12, ["atlas", "birch"]) for name in ("meetings", "other")
    ]
    assert "several sheets: meetings, other" in run("splits", code=2).stderr


def test_several_files_are_imported_all_or_none(run, answers, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text(f"{ANSWERS}1,1,,x,atlas\n", encoding="utf-8")
    result = run("import", answers, bad, "--json", code=2)
    assert (result.stdout, "bad.csv" in result.stderr) == ("", True)
    done = json.loads(run("import", answers, bad, "--partial", "--json").stdout)["sheets"]
    assert [(one["sheet"], one["items"], one["bad_rows"]) for one in done] == [
        ("meetings", 12, 0),
        ("bad", 0, 1),
    ]


def test_grades_are_taken_under_the_rubric_named_then_under_the_sheets(run, answers, tmp_path):
    run("import", answers)
    first = grades_file(tmp_path, ["0-atlas,correctness,Ana,annotator,3"])
    assert "--rubric" in run("grades", first, code=2).stderr
    assert run("grades", first, "--rubric", "doc-qa-0-3").stdout == "meetings: 1 grade added.\n"
    second = grades_file(tmp_path, ["1-atlas,correctness,Ana,annotator,3"])
    result = run("grades", second, "--json")
    assert json.loads(result.stdout)["rubric"] == "doc-qa-0-3"


def test_deleting_asks_and_without_a_terminal_it_is_a_problem(run, answers, db):
    run("import", answers)
    asked = run("sheets", "--delete", "meetings", code=2)
    assert "12 answers" in asked.stderr and "--yes" in asked.stderr
    assert "no sheet “else”" in run("sheets", "--delete", "else", "--yes", code=2).stderr
    done = json.loads(run("sheets", "--delete", "meetings", "--yes", "--json").stdout)
    assert (done["deleted"], done["went"]["answers"]) == ("meetings", 12)
    assert json.loads(run("sheets", "--json").stdout)["sheets"] == []


def test_ctrl_c_at_the_question_is_130_and_deletes_nothing(run, answers, monkeypatch):
    run("import", answers)
    monkeypatch.setattr("concord.commands.frame.at_a_terminal", lambda: True)
    run("sheets", "--delete", "meetings", given="", code=130)
    assert len(json.loads(run("sheets", "--json").stdout)["sheets"]) == 1


def test_splits_are_set_by_the_sheets_own_ids(run, answers):
    run("import", answers)
    run("splits", "--set", "few-shot", "--question", "2", "--question", "3", "--why", "shown")
    found = json.loads(run("splits", "--json").stdout)["questions"]
    assert {row["own_id"] for row in found if row["split"] == "few-shot"} == {"2", "3"}
    unknown = run("splits", "--set", "held-out", "--question", "2", "--question", "99", code=2)
    assert "no question “99”" in unknown.stderr
    assert "takes both" in run("splits", "--set", "held-out", code=2).stderr
    assert "takes both" in run("splits", "--question", "2", code=2).stderr


def test_the_sample_is_loaded_once_and_not_again_after_it_was_removed(sampled):
    sampled("sheets", "--delete", "sample", "--yes")
    assert "--again" in sampled("demo").stdout
    assert "loaded" in sampled("demo", "--again").stdout
    sampled("demo", "--sheet", "other", code=2)


def test_an_import_is_listed_and_undone_by_its_number(run, answers, tmp_path):
    run("import", answers)
    rows = [f"{n}-atlas,correctness,Ana,annotator,2" for n in range(3)]
    run("grades", grades_file(tmp_path, rows), "--rubric", "doc-qa-0-3")
    assert "import  file" in run("sheets", "--imports").stdout
    found = json.loads(run("sheets", "--imports", "--json").stdout)["imports"]
    assert [(one["number"], one["kind"], one["answers"], one["grades"]) for one in found] == [
        (1, "sheet", 12, 0),
        (2, "grades", 0, 3),
    ]
    asked = run("sheets", "--undo", 1, code=2).stderr
    assert "--yes" in asked
    done = json.loads(run("sheets", "--undo", 2, "--yes", "--json").stdout)
    assert (done["undone"], done["answers"], done["grades"]) == (2, 0, 3)
    run("sheets", "--undo", 2, "--yes", code=2)
    assert "no import 7" in run("sheets", "--undo", 7, "--yes", code=2).stderr
