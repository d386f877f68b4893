"""Grades as CSV: every current grade, safe in a spreadsheet, read back by `grades`."""

import csv
import io
import json

from concord.exporting import tool_grades
from concord.store import graders, grades, items
from concord.store.grades import Press
from tests.support.commandline import invoke


def rows_of(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def test_every_current_grade_is_a_row_that_names_the_answer_as_lists_do(store, odd, graded_odd):
    written = tool_grades.write(store, odd, "csv")
    rows = rows_of(written.content)
    names = items.answer_names(store, odd.id)
    assert (len(rows), written.grades, written.left_out) == (7, 7, {})
    assert {row["item_id"] for row in rows} <= {*names.values()}
    assert any(row["item_id"].startswith("no. ") for row in rows)  # an answer without an id
    first = rows[0]
    assert first["item_id"] == "007" and first["question"] == 'Say "hi",\nplease; 中文？'
    assert (first["grader"], first["grader_kind"]) == ("Ana 李", "annotator")
    assert (first["criterion"], first["score"], first["status"]) == ("correctness", "3", "scored")
    assert first["reason"] == 'He said "no",\nI think'
    unscored = next(row for row in rows if row["status"] == "cannot_grade")
    assert (unscored["score"], unscored["reason"]) == ("", "empty")
    assert [row["blind"] for row in rows if row["criterion"] == "readability"] == ["0"]
    assert [row["grader"] for row in rows][-2:] == ["gpt@aaaa", "gpt@bbbb"]


def test_the_command_grades_reads_the_file_back_unchanged(store, odd, graded_odd, tmp_path):
    ben = graders.ensure(store, "person", "=1+1", simulated=True)
    first = items.item_ids(store, odd.id)[0]
    version = store.value("select version from criteria where name = 'correctness'")
    grades.record(store, [Press(first, version, ben, score=1, reason="@SUM(A1)")])
    path = store.value("select file from pragma_database_list where name = 'main'")
    file = tmp_path / "grades.csv"
    done = json.loads(invoke(path, "export-grades", file, "--for", "csv", "--json").stdout)
    assert (done["grades"], done["left_out"]) == (8, {})
    before = [tuple(row) for row in store.rows("select * from grades")]
    back = json.loads(invoke(path, "grades", file, "--rubric", "doc-qa-0-3", "--json").stdout)
    assert (back["grades"], back["grades_unchanged"], back["bad_rows"]) == (0, 8, 0)
    assert [tuple(row) for row in store.rows("select * from grades")] == before
    assert store.value("select count(*) from graders where name like '%=1+1'") == 1


def test_no_cell_is_run_by_a_spreadsheet(store, odd, graded_odd):
    ana = graders.named(store, "person", "Ana 李")
    first = items.item_ids(store, odd.id)[0]
    version = store.value("select version from criteria where name = 'correctness'")
    grades.record(store, [Press(first, version, ana.id, score=2, reason="=HYPERLINK(1)", why="x")])
    rows = rows_of(tool_grades.write(store, odd, "csv").content)
    assert "'=HYPERLINK(1)" in {row["reason"] for row in rows}
    assert not any(cell[:1] in "=+-@" for row in rows for cell in row.values() if cell)


def test_closed_questions_are_left_out_and_counted(store, odd, graded_odd):
    question = items.items(store, [items.item_ids(store, odd.id)[0]])[0].question_id
    written = tool_grades.write(store, odd, "csv", closed={question})
    assert written.grades + written.left_out["Held-out questions are left out."] == 7
    assert {row["question"] for row in rows_of(written.content)} == {"No ids?"}
