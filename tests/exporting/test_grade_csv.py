"""Grades as CSV: every current grade, safe in a spreadsheet, read back by `grades`."""

import csv
import errno
import io
import json
from unittest.mock import Mock

import pyarrow.parquet
import pytest

from concord.exporting import exported_tables, tool_grades
from concord.exporting.exported_tables import restored
from concord.exporting.reason_codes import read_reasons, with_reasons
from concord.messages import Problem, message_of
from concord.reports.document import as_json
from concord.stats.core.estimate import Estimate, reason, under
from concord.store import additions, graders, grades, items, sheets
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.exports import REASON, SPAN, TRACE
from tests.support.made_items import made_item
from tests.support.panels import give


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


FEW = under(20, reason("no_verdict"))
OTHER = "it is worse than before"  # of a version that stored no codes


def stored(document):
    return json.loads(json.dumps(document))


def test_reasons_are_read_back_with_their_codes_and_values():
    found = {
        "why": (FEW, OTHER, reason("difference_fails")),
        "value": Estimate(None, why_none=reason("too_few_pairs", n=30)),
        "left_out": {"simple": reason("baseline_is_no_candidate"), "why_none": OTHER},
        "uncounted": {},
    }
    plain = stored(with_reasons(as_json(found)))
    assert plain["why"] == [message_of(FEW), OTHER, message_of(found["why"][2])]
    assert plain["why_code"] == ["too_few_questions", None, "difference_fails"]
    assert plain["why_values"] == [{"floor": 20, "then": {"code": "no_verdict"}}, {}, {}]
    assert plain["value"]["why_code"] == "too_few_pairs"
    assert plain["value"]["why_values"] == {"n": 30}
    again = read_reasons(plain)
    assert again["why"] == [*found["why"]]
    assert Estimate(**again["value"]) == found["value"]
    assert again["left_out"] == found["left_out"] and again["uncounted"] == {}
    assert again.keys() == found.keys()


def test_a_file_that_cannot_be_read_is_a_problem(sheet, store, tmp_path, monkeypatch):
    folder = tmp_path / "out"
    exported_tables.export(store, folder, every=True)
    path = folder / "sheets.parquet"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(Problem), restored(folder):
        pass
    raw = PermissionError(errno.EACCES, "Failed to open local file. Detail: [errno 13]")
    monkeypatch.setattr(pyarrow.parquet, "read_table", Mock(side_effect=raw))
    with pytest.raises(Problem), restored(folder):
        pass


def records(written):
    return [json.loads(line) for line in written.content.decode().splitlines()]


def test_mlflow_gets_assessments_of_people_and_of_llm_judges(store, graded):
    written = tool_grades.write(store, graded, "mlflow")
    found = {(one["trace_id"], one["source"]["source_id"]): one for one in records(written)}
    assert len(found) == written.grades == 5
    ana, judge = found[TRACE, "Ana"], found["c" * 32, "careful"]
    assert ana["source"]["source_type"] == "HUMAN" and ana["feedback"] == {"value": 3}
    assert judge["source"]["source_type"] == "LLM_JUDGE" and judge["feedback"] == {"value": 1}
    assert ana["assessment_name"] == "correctness" and ana["rationale"] == REASON


def test_langfuse_gets_one_body_per_score_with_an_id_that_stays(store, graded):
    first = records(tool_grades.write(store, graded, "langfuse"))
    assert {one["traceId"] for one in first} == {"c" * 32}  # the other id is MLflow's
    assert [(one["name"], one["value"], one["dataType"]) for one in first] == [
        ("correctness", 0, "NUMERIC"),
        ("correctness", 1, "NUMERIC"),
    ]
    assert [one["metadata"]["kind"] for one in first] == ["HUMAN", "LLM"]
    assert first == records(tool_grades.write(store, graded, "langfuse"))
    assert len({one["id"] for one in first}) == 2


def test_phoenix_gets_annotations_with_an_identifier_for_each_annotator(store, graded):
    found = json.loads(tool_grades.write(store, graded, "phoenix").content)["data"]
    assert {one["span_id"] for one in found} == {SPAN}
    assert [
        (one["identifier"], one["annotator_kind"], one["result"]["score"]) for one in found
    ] == [
        ("Ana", "HUMAN", 3),
        ("Ben", "HUMAN", 1),
        ("careful", "LLM", 2),
    ]


def test_inspect_gets_the_scores_of_one_grader_by_sample_and_epoch(store, graded):
    with pytest.raises(Problem, match="Ana, Ben, careful"):
        tool_grades.write(store, graded, "inspect")
    found = records(tool_grades.write(store, graded, "inspect", ["Ana"]))
    assert [(one["id"], one["epoch"], one["value"]) for one in found] == [
        (TRACE, 1, {"correctness": 3}),
        ("s 1", 2, {"correctness": 0}),
        ("002-atlas", 1, {"correctness": 2}),
    ]


def test_inspect_is_not_given_two_scores_of_one_criterion(store, graded):
    other = rubric_versions.named(store, "doc-qa-0-4")[1]
    rubric_versions.register(store, other, "file")
    give(store, other, "Ana", {0: 4}, "correctness", "person")
    with pytest.raises(Problem):
        tool_grades.write(store, graded, "inspect", ["Ana"])
    written = tool_grades.write(store, graded, "inspect", ["Ana"], other)
    assert [one["value"] for one in records(written)] == [{"correctness": 4}]


def test_hugging_face_gets_a_row_for_each_grade_with_its_answer(store, graded):
    content = tool_grades.write(store, graded, "huggingface").content
    rows = pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()
    assert len(rows) == 6
    row = next(one for one in rows if one["grader"] == "Ben")
    assert row["score"] == 1.0
    assert row["grader_kind"] == "annotator"


def test_simulated_and_unscored_grades_and_repeats_are_left_out_and_counted(store, graded):
    ben = graders.named(store, "person", "Ben")
    with store.write():
        store.execute("update graders set simulated = 1 where id = ?", (ben.id,))
        store.execute("update grades set repeat = 2 where score = 2")
        store.execute("update grades set status = 'refused', score = null where score = 0")
    written = tool_grades.write(store, graded, "huggingface")
    assert written.grades == 2


@pytest.mark.parametrize(
    ("tool", "named"),
    [
        ("excel", ()),
        ("mlflow", ["Zoe"]),  # of no grades
        ("langfuse", ["Ben"]),  # of no answers that the tool knows
    ],
)
def test_what_cannot_be_exported_is_refused(store, graded, tool, named):
    with pytest.raises(Problem):
        tool_grades.write(store, graded, tool, named)


def test_a_sheet_without_grades_is_refused(store):
    additions.add(store, "empty", [made_item(1)], "empty.csv", "0" * 64, {})
    with pytest.raises(Problem):
        tool_grades.write(store, sheets.chosen(store, None), "mlflow")
