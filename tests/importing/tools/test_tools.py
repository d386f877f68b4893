"""Exports of tools as answers and grades; how the files were written is in tests/interop."""

import json

import pytest

from concord.importing.recognition import recognised
from concord.messages import Problem
from tests.support.exports import CASES, grades, left_out, parsed, rows


def read(traces):
    return rows(json.dumps(traces).encode(), "traces.json")


def test_the_frame_of_a_search_is_read_as_the_traces_it_has_in_a_column(traces):
    [row], _ = rows("mlflow_frame.csv")
    [same] = [one for one in rows("mlflow.json")[0] if one["question"] == row["question"]]
    volatile = ("item_id", "request_time")
    assert {k: v for k, v in row.items() if k not in volatile} == {
        k: v for k, v in same.items() if k not in volatile
    }
    by_columns = {"trace": {"0": json.dumps(traces[0])}, "trace_metadata": {},
                  "assessments": {}, "execution_duration": {}}  # fmt: skip
    assert len(read(by_columns)[0]) == 1


def test_an_assessment_of_no_known_kind_or_value_is_counted(traces):
    traces[0]["info"]["assessments"] += [
        {"assessment_name": "a", "source": {"source_type": "HUMAN"}, "feedback": {"value": [1]}},
        {"assessment_name": "b", "source": {"source_type": "HUMAN"}, "issue": {}},
        {"assessment_name": "ground_truth", "expectation": {"value": "Blue."}},
        {"assessment_name": "c", "source": {"source_type": "X", "source_id": "x"},
         "feedback": {"value": 1}},
    ]  # fmt: skip
    found, origin = read(traces)
    assert [row.get("expectation.ground_truth") for row in found] == ["Blue.", None, None]
    assert "x" not in {one.model for one in origin.judges}
    assert {
        ("grades", 1, "who gave them is not known"),
        ("grades", 1, "they have no single score"),
        ("assessments", 1, "they are of a kind that is not read"),
    } <= left_out(origin)


def test_a_trace_without_its_spans_is_left_out(traces):
    traces[0]["data"]["spans"] = []
    found, origin = read(traces)
    assert len(found) == len(read(parsed("mlflow.json"))[0]) - 1
    assert ("traces", 1) in {one[:2] for one in left_out(origin) if "spans" in one[2]}


ANA, BO = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))


def test_a_metric_without_a_score_and_an_error_was_skipped(test_run):
    run = test_run.get("testRunData", test_run)
    run["testCases"][0]["metricsData"][0] |= {"score": None, "error": None}
    _, origin = rows(json.dumps(test_run).encode(), "run.json")
    assert ("grades", 1, "the metric was skipped") in left_out(origin)


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ("run_id,key,score,feedback_source\nr,c,1,{'type': 'app'}\n", "no_source"),
        ("q,[openai] p,Grader Reason,Comment\nWhy?,Because.,,\n", "no_assertions"),
    ],
)
def test_a_lossy_export_is_refused_by_the_name_of_a_better_one(table, code):
    with pytest.raises(Problem) as problem:
        recognised(table.encode(), "a.csv")
    assert problem.value.code == code


def test_tasks_of_no_answers_are_left_to_the_reader_of_tables():
    tasks = parsed("label_studio.json")
    for task in tasks:
        task["data"] = {"text": "A sentence."}
    assert recognised(json.dumps(tasks).encode(), "tasks.json") is None


def test_ratings_are_found_where_keys_are_sorted():
    found, _ = rows(CASES / "ls_min_sorted_keys.json")
    assert [row["item_id"] for row in found] == [str(n) for n in range(1, 9)]
    assert [one[3] for row in found for one in grades(row)] == [1, 2, 3, 4, 1]


def test_a_question_that_once_has_several_choices_is_left_out_whole():
    task = parsed("label_studio.json")[0]
    one = task["annotations"][0]
    task["annotations"] = [
        one | {"completed_by": by, "result": [
            {"from_name": "verdict", "value": {"choices": choices}},
            {"from_name": "rating", "value": {"rating": 2}},
        ]}
        for by, choices in ((1, ["a"]), (2, ["a", "b"]))
    ]  # fmt: skip
    task["predictions"] = []
    found, origin = rows(json.dumps([task]).encode(), "tasks.json")
    assert [g[2:] for g in grades(found[0])] == [("rating", 2), ("rating", 2)]
    assert {(what, n) for what, n, _ in left_out(origin)} == {("results", 2)}


def test_predictions_of_which_an_export_has_numbers_are_counted_and_were_shown():
    tasks = parsed("label_studio.json")
    tasks[0]["predictions"] = [1]
    found, origin = rows(json.dumps(tasks).encode(), "tasks.json")
    assert [(g["grader_kind"], g["blind"]) for g in found[0]["grades"]] == [
        ("annotator", False)
    ] * 2
    assert ("tasks' predictions", 1) in {one[:2] for one in left_out(origin)}


def test_rows_without_a_question_are_left_to_the_reader_of_tables():
    given = parsed("label_studio_min.json")[-1:]
    assert recognised(json.dumps(given).encode(), "rows.json") is None


def given(found):
    names = ("item_id", "grader_kind", "grader", "criterion", "score", "blind")
    return [tuple(row[name] for name in names) for row in found]


# As the page exports them: Langfuse's server writes it, none of its packages does.
SCORES = b"""id,traceId,source,name,dataType,value,stringValue,observationId,authorUserName
s1,t1,ANNOTATION,correctness,NUMERIC,2,,,Ana
s2,t1,EVAL,correctness,NUMERIC,3,,,
s3,t2,ANNOTATION,correctness,NUMERIC,0,,o7,Bo
s4,t2,API,grounded,BOOLEAN,1,True,,
s5,,ANNOTATION,correctness,NUMERIC,2,,,Ana
"""


def test_the_export_of_scores_names_authors_and_observations():
    found, origin = rows(SCORES, "scores.csv")
    assert given(found) == [
        ("t1", "annotator", "Ana", "correctness", "2", "false"),
        ("t1", "judge", "Langfuse", "correctness", "3", None),
        ("o7", "annotator", "Bo", "correctness", "0", "false"),
        ("t2", "judge", "API", "grounded", "True", None),
    ]
    assert found[2]["trace_id"] == "t2"
    assert left_out(origin) == {("scores", 1, "they belong to no trace or observation")}


def test_lines_of_json_are_read_as_a_list():
    scores = parsed("langfuse_scores_v3.json")["data"]
    found, _ = rows("\n".join(map(json.dumps, scores)).encode(), "scores.jsonl")
    assert len(found) == 5


@pytest.mark.parametrize(
    "text", ["id,source,value,dataType\n1,a,2,b\n", "source,value\nx,dataType\n"]
)
def test_a_table_with_some_of_the_columns_is_no_export(text):
    assert recognised(text.encode(), "a.csv") is None


RUN_1 = USER_1 = "00000000-0000-0000-0000-000000000001"
RUN_2 = USER_2 = "00000000-0000-0000-0000-000000000002"


def test_feedback_of_the_app_is_of_people_and_of_evaluators_of_judges():
    found, origin = rows("langsmith.json")
    names = ("item_id", "grader_kind", "grader", "criterion", "score", "blind")
    assert [tuple(row[name] for name in names) for row in found] == [
        (RUN_1, "annotator", USER_1, "correctness", "1", "false"),
        (RUN_1, "judge", "grader (gpt-4.1-mini)", "correctness", "0.8", None),
        (RUN_2, "annotator", USER_2, "correctness", "0", "false"),
        (RUN_2, "judge", "LangSmith evaluator", "correctness", "wrong", None),
    ]
    assert origin.of == "grades"
    assert left_out(origin) == {
        ("feedback", 1, "it is a preference between two runs"),
        ("grades", 1, "they have no single score"),
        ("feedback", 1, "it belongs to no run"),
    }


def test_a_root_run_is_an_answer_with_its_feedback_and_averages_are_refused():
    found, origin = rows("langsmith_runs.json")
    assert [(row["question"], row["answer"], row["answer_model"]) for row in found] == [
        ("When does the pump start?", "At 40 °C.", "atlas"),
        ("When does the pump stop?", "Never.", "atlas"),
    ]
    assert [one[:2] for one in grades(found[0])] == [
        ("annotator", USER_1),
        ("judge", "grader (gpt-4.1-mini)"),
    ]
    assert {(what, n) for what, n, _ in left_out(origin)} == {("runs", 1), ("runs' feedback", 1)}
    assert len(left_out(origin)) == 3


def test_a_result_in_a_log_or_a_span_is_a_grade_of_a_response():
    found, origin = rows("open_telemetry.jsonl")
    names = ("item_id", "trace_id", "grader_kind", "grader", "criterion", "score", "reason")
    assert [tuple(row[name] for name in names) for row in found] == [
        ("resp-1", f"{1:032x}", "judge", "relevance", "relevance", "0.8", "On topic."),
        (f"{12:016x}", f"{2:032x}", "judge", "relevance", "relevance", "not_relevant", None),
        (f"{13:016x}", f"{3:032x}", "judge", "relevance", "relevance", "1", None),
    ]
    assert origin.of == "grades"
    assert left_out(origin) == {("results", 1, "the evaluation returned an error")}


def test_logs_without_a_result_are_of_no_tool():
    log = {"resourceLogs": [], "about": "gen_ai.evaluation.result"}
    assert recognised(json.dumps(log).encode(), "log.json") is None


@pytest.mark.parametrize("flat", [False, True])
def test_contexts_are_what_the_retriever_of_the_trace_returned(flat):
    spans = parsed("phoenix.json")
    del spans[0]["attributes"]["retrieval.documents"]
    texts = ["First.", "Second."]
    documents = (
        {f"retrieval.documents.{n}.document.content": one for n, one in enumerate(texts)}
        if flat
        else {"retrieval": {"documents": [{"document": {"content": one}} for one in texts]}}
    )
    spans.append({"context": {"trace_id": "T1", "span_id": "r"}, "parent_id": "a1",
                  "span_kind": "RETRIEVER", "attributes": documents})  # fmt: skip
    found, origin = rows("\n".join(map(json.dumps, spans)).encode(), "spans.jsonl")
    assert found[0]["contexts"] == texts and not found[1]["contexts"]
    assert ("spans", 1, "they are within a trace and not annotated") in left_out(origin)


def test_a_frame_of_annotations_has_grades_of_spans():
    found, origin = rows("phoenix_annotations.csv")
    assert given(found) == [
        ("a1", "annotator", "ana", "correctness", "1.0", "false"),
        ("a1", "judge", "correctness", "correctness", "1.0", None),
        ("a2", "annotator", "bo", "correctness", "incorrect", "false"),
    ]
    assert (origin.of, {one[1] for one in left_out(origin)}) == ("grades", {1})
