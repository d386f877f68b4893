"""The verb `pack` and the way back through `grades`, on the command line."""

import json

import openpyxl
import pytest

from concord.grading import assignments, grading_sets, regrades
from concord.store import import_undo, imports, sheets
from concord.store.database import Refused, open_store
from concord.store.rubrics import rubric_versions
from tests.support.rubrics import reworded

pytestmark = pytest.mark.usefixtures("twelve_in_a_set")


def fill(path, rows):
    """Grade the first rows of a workbook, as a spreadsheet program would save it."""
    book = openpyxl.load_workbook(path)
    sheet = book["Answers"]
    last = len(sheet[1])
    for row in range(2, rows + 2):
        for column in range(last - 3, last):
            sheet.cell(row, column).value = 3
    book.save(path)


def test_a_set_leaves_as_a_file_for_each_of_three_graders_and_one_comes_back(run, tmp_path):
    out = tmp_path / "out"
    names = [word for n in (1, 2, 3) for word in ("--grader", f"Grader {n}")]
    said = run("pack", "Team", *names, "--out", out, "--json")
    document = json.loads(said.stdout)
    assert document["packs"] == [{"grader": f"Grader {n}", "rows": 13} for n in (1, 2, 3)]
    assert len(document["files"]) == len([*out.iterdir()]) == 3
    back = out / "Team - Grader 2.xlsx"
    fill(back, 11)
    assert "2 of 13 rows" in run("grades", back, code=2).stderr
    done = run("grades", back, "--partial", "--rubric", "doc-qa-0-3", "--json")
    taken = json.loads(done.stdout)
    assert (taken["grades"], taken["annotator"], taken["bad_rows"]) == (33, "Grader 2", 2)
    fill(back, 13)
    assert run("grades", back).stdout == "meetings: 6 grades added, 33 rows already stored.\n"
    assert run("grades", back).stdout == "meetings: 39 rows already stored.\n"


def test_whoever_has_finished_is_named_and_the_others_get_their_files(run, tmp_path):
    words = ("pack", "Team", "--grader", "Ana", "--grader", "Bo", "--json")
    first, second = tmp_path / "first", tmp_path / "second"
    assert json.loads(run(*words, "--out", first).stdout)["finished"] == []
    fill(first / "Team - Ana.xlsx", 13)
    run("grades", first / "Team - Ana.xlsx")
    done = run(*words, "--out", second)
    document = json.loads(done.stdout)
    assert [one["grader"] for one in document["packs"]] == ["Bo"]
    assert document["finished"] == ["Ana"]
    assert [path.name for path in second.iterdir()] == ["Team - Bo.xlsx"]


def test_grades_of_who_was_removed_before_the_package_came_back_count_in_the_campaign(
    run, tmp_path
):
    run("campaign", "Team", "--annotators", "Ana", "--annotators", "Bo", "--blocks", 1)
    out = tmp_path / "out"
    run("pack", "Team", "--grader", "Ana", "--out", out)
    run("campaign", "Team", "--leave", "Ana")
    assert "Ana" not in of_annotators(run)
    back = out / "Team - Ana.xlsx"
    fill(back, 13)
    run("grades", back)
    ana = of_annotators(run)["Ana"]
    assert (ana["done"], ana["of"], ana["removed"]) == (13, 13, True)
    with open_store(tmp_path / "concord.db") as store:
        [sheet] = sheets.all_sheets(store)
        assert assignments.of_sheet(store, sheet.id).done == ana["done"]


def test_a_file_that_comes_back_into_a_closed_set_stores_nothing(run, tmp_path):
    out = tmp_path / "out"
    run("pack", "Team", "--grader", "Ana", "--out", out)
    back = out / "Team - Ana.xlsx"
    fill(back, 13)
    closed = json.loads(run("campaign", "Team", "--close", "--json").stdout)["closed"]
    assert closed["by"] == "command line"
    run("grades", back, code=2)
    rows = {"item_id": "q1-atlas", "criterion": "correctness", "grader": "Ana", "score": 1}
    with open_store(tmp_path / "concord.db") as store:
        rows["item_id"] = store.value("select min(own_id) from items")
    text = f"{','.join(rows)}\n{','.join(map(str, rows.values()))}\n"
    (tmp_path / "more.csv").write_text(text)
    run("grades", tmp_path / "more.csv", "--rubric", "doc-qa-0-3", code=2)
    assert of_annotators(run)["Ana"]["done"] == 0
    assert json.loads(run("campaign", "Team", "--open", "--json").stdout)["closed"] is None
    run("grades", back)
    run("campaign", "Team", "--close")
    with open_store(tmp_path / "concord.db") as store:
        [sheet], newest = sheets.all_sheets(store), imports.last_id(store, "imports")
        with pytest.raises(Refused):
            import_undo.undo(store, sheet, newest)
    assert of_annotators(run)["Ana"]["done"] == 13


def test_a_file_made_before_a_rewording_is_graded_by_its_own_words(run, tmp_path):
    out = tmp_path / "out"
    run("pack", "Team", "--grader", "Ana", "--out", out)
    with open_store(tmp_path / "concord.db") as store:
        made = grading_sets.get(store, 1)
        old = rubric_versions.get(store, made.rubric_id)
        regrades.ask_again(store, made, "Lea", reworded(old, old.name))
    back = out / "Team - Ana.xlsx"
    fill(back, 13)
    run("grades", back)
    with open_store(tmp_path / "concord.db") as store:
        versions = {*store.column("select distinct version from grades")}
    assert versions == {*old.versions().values()}


def of_annotators(run):
    """Return what `campaign` says of each annotator, by name."""
    told = json.loads(run("campaign", "Team", "--json").stdout)["annotators"]
    return {one["name"]: one for one in told}


def test_a_blank_cell_costs_its_grade_and_a_decimal_comma_nothing(run, tmp_path):
    out = tmp_path / "out"
    run("pack", "Team", "--grader", "Ana", "--out", out)
    back = out / "Team - Ana.xlsx"
    fill(back, 13)
    book = openpyxl.load_workbook(back)
    for row in range(2, 14):
        for column in range(4, 7):
            book["Answers"].cell(row, column).value = "2,0"
    book["Answers"]["F2"].value = None
    book["Answers"]["F3"].value = "2,5"
    book.save(back)
    assert "2 of 13 rows" in run("grades", back, code=2).stderr
    done = run("grades", back, "--partial")
    assert done.stdout == "meetings: 37 grades added, 2 rows not imported in full.\n"


def test_what_cannot_be_packed_or_written_is_said_and_leaves_no_trace(run, tmp_path):
    new = tmp_path / "new"
    run("pack", "Other", "--out", new, code=2)
    run("pack", "Team", "--out", new, code=2)
    (tmp_path / "Team - Ana.xlsx").write_text("mine")
    words = ("pack", "Team", "--grader", "Ana", "--out", tmp_path)
    run(*words, code=2)
    with open_store(tmp_path / "concord.db") as store:
        assert store.value("select count(*) from packs") == 0
        assert store.value("select count(*) from assignments") == 0
