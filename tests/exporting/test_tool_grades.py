"""Grades as MLflow, Langfuse, Phoenix, Inspect and Hugging Face take them."""

import io
import json
import re

import pyarrow.parquet
import pytest

from concord.exporting import tool_grades
from concord.messages import Problem
from concord.store import additions, graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.made_items import made_item
from tests.support.panels import give
from tests.support.traces import REASON, SPAN, TRACE


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
    with pytest.raises(Problem, match="several graded: Ana, Ben, careful"):
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
    ("tool", "named", "message"),
    [
        ("excel", (), "Name one of: csv, mlflow, langfuse, phoenix, inspect, huggingface."),
        ("mlflow", ["Zoe"], "“Zoe” has no grades on sheet “traces”. Name one of: Ana, Ben, "),
        ("langfuse", ["Ben"], "No grade of sheet “traces” can be exported for langfuse."),
    ],
)
def test_what_cannot_be_exported_is_said_with_its_remedy(store, graded, tool, named, message):
    with pytest.raises(Problem, match=re.escape(message)):
        tool_grades.write(store, graded, tool, named)


def test_the_command_writes_the_file_and_says_what_is_missing(store, graded, tmp_path):
    path = store.value("select file from pragma_database_list where name = 'main'")
    done = invoke(path, "export-grades", tmp_path / "out.jsonl", "--for", "mlflow", "--json")
    found = json.loads(done.stdout)
    assert (found["tool"], found["grades"]) == ("mlflow", 5)
    assert [*found["left_out"].values()] == [1]
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 5


def test_a_sheet_without_grades_is_said_to_have_none(store):
    additions.add(store, "empty", [made_item(1)], "empty.csv", "0" * 64, {})
    message = "No grade of sheet “empty” can be exported for mlflow. The sheet has no grades."
    with pytest.raises(Problem, match=re.escape(message)):
        tool_grades.write(store, sheets.chosen(store, None), "mlflow")
