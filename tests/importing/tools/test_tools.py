"""Exports of tools as answers and grades; how the files were written is in tests/interop."""

import json

import pytest

from concord.importing.recognition.recognise import recognised
from concord.messages import Problem
from tests.support.exports import CASES, grades, left_out, parsed, rows

JUDGE = "openai:/gpt-4.1-mini v2"


def read(traces):
    return rows(json.dumps(traces).encode(), "traces.json")


def by_question(found):
    return {row["question"]: row for row in found}


def test_a_trace_is_an_answer_with_a_reference_where_one_was_expected():
    found, _ = rows("mlflow.json")
    row = by_question(found)["Which colour is the pump?"]
    assert (row["answer"], row["reference"], row["trace_name"]) == (
        "Blue.",
        "By the manual.",
        "answer",
    )
    assert row["contexts"] == ["The manual.", "Page 3."]
    assert row["expectation.expected_facts"] == ["blue", "40 °C"]
    assert all(row["item_id"].startswith("tr-") for row in found)


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
        ("grades", 1, "they have no single value"),
        ("assessments", 1, "they are of a kind that is not read"),
    } <= left_out(origin)


def test_people_and_judges_grade_and_an_expectation_does_not():
    found, origin = rows("mlflow.json")
    given = grades(by_question(found)["When does the pump start?"])
    assert sorted(given) == [
        ("annotator", "ana", "correctness", "yes"),
        ("annotator", "bo", "correctness", "no"),
        ("annotator", "cem", "correctness", "no"),
        ("judge", JUDGE, "correctness", "yes"),
        ("metric", "length.py", "length", 0.75),
        ("metric", "tone.py", "tone", 2),
    ]
    assert ("openai:/gpt-4.1-mini", "2") in {(one.model, one.version) for one in origin.judges}
    assert {one.model for one in origin.judges} == {"openai:/gpt-4.1-mini", ""}
    assert left_out(origin) == {
        ("assessments", 3, "the grader returned an error"),
        ("assessments", 3, "they belong to a span within the trace"),
    }


def test_the_verdict_of_a_judge_is_kept_where_a_person_overrode_it(traces):
    overridden = [
        (trace["info"]["trace_id"], one["feedback"]["value"])
        for trace in traces
        for one in trace["info"]["assessments"]
        if one["valid"] is False
    ]
    assert len(overridden) == 2
    found, _ = read(traces)
    kept = {row["item_id"]: grades(row) for row in found}
    for trace, verdict in overridden:
        assert ("judge", JUDGE, "correctness", verdict) in kept[trace]


def test_the_root_span_has_the_whole_answer_that_metadata_and_preview_cut(traces):
    (cut,) = [trace for trace in traces if "stop?" in trace["info"]["request_preview"]]
    assert cut["info"]["trace_metadata"]["mlflow.traceOutputs"].endswith("...")
    assert cut["info"]["response_preview"].endswith("...")
    found, _ = rows("mlflow.json")
    answer = by_question(found)["When does the pump stop?"]["answer"]
    assert answer == "It never stops. " * 80 + "The end."


def test_without_spans_a_cut_answer_is_left_out_and_a_short_one_is_not(traces):
    for trace in traces:
        trace["data"]["spans"] = []
    found, origin = read(traces)
    assert {row["answer"] for row in found} == {"At 40 °C.", "Blue."}
    ((what, count, reason),) = [one for one in left_out(origin) if one[0] == "traces"]
    assert (what, count) == ("traces", 1) and "only the beginning" in reason
    (long,) = [trace for trace in traces if "stop?" in trace["info"]["request_preview"]]
    long["info"]["response_preview"] = "It never stops, " * 40  # the metadata alone are cut
    found, _ = read(traces)
    assert "It never stops, " * 40 in {row["answer"] for row in found}


ANA, BO = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))


def test_a_record_is_an_answer_with_responses_and_suggestions():
    found, origin = rows("argilla.json")
    asked = [(row["item_id"], row["question"], row["answer"], row["answer_model"]) for row in found]
    assert asked == [
        ("r1", "When does the pump start?", "At 40 °C.", "atlas"),
        ("r2", "When does the pump stop?", "Never.", "atlas"),
    ]
    assert (found[0]["source"], found[0]["topic"]) == ("manual", "pump")
    assert grades(found[0]) == [
        ("judge", "gpt-4.1-mini", "correctness", 3),
        ("annotator", ANA, "correctness", 3),
        ("annotator", ANA, "verdict", "good"),
    ]
    assert grades(found[1]) == [("annotator", BO, "correctness", 0)]
    assert left_out(origin) == {
        ("responses", 2, "they were not submitted"),
        ("grades", 1, "they have no single value"),
        ("records", 1, "they have no question or no answer"),
    }


def test_a_metric_with_a_model_is_a_judge_and_one_without_is_a_metric():
    found, origin = rows("deepeval.json")
    assert [grades(row) for row in found] == [
        [("judge", "deepeval (local-grader)", "Correctness", 0.9),
         ("metric", "Length", "Length", 0.45)],
        [("judge", "deepeval (local-grader)", "Correctness", 0.2),
         ("metric", "Length", "Length", 0.25)],
        [("metric", "Length", "Length", 0.65)],
    ]  # fmt: skip
    assert left_out(origin) == {("grades", 1, "the metric returned an error")}


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


def test_a_task_is_an_answer_with_the_grades_of_its_annotators():
    found, origin = rows("label_studio.json")
    assert [(row["item_id"], row["question"], row["answer"], row["topic"]) for row in found] == [
        ("11", "When does the pump start?", "At 40 °C.", "pump"),
        ("12", "When does the pump stop?", "Never.", "pump"),
    ]
    assert grades(found[0]) == [
        ("judge", "prediction judge-2", "correctness", 5),
        ("annotator", "ana@example.org", "correctness", 4),
        ("annotator", "7", "correctness", 2),
    ]
    assert grades(found[1]) == [("annotator", "7", "correctness", 1)]
    assert left_out(origin) == {
        ("annotations", 1, "the annotator skipped the task"),
        ("results", 1, "they mark parts of a text, or have several values"),
        ("results", 2, SEVERAL),
        ("tasks", 1, "they have no question or no answer"),
    }


def test_tasks_of_no_answers_are_left_to_the_reader_of_tables():
    tasks = parsed("label_studio.json")
    for task in tasks:
        task["data"] = {"text": "A sentence."}
    assert recognised(json.dumps(tasks).encode(), "tasks.json") is None


TEXTS = "this file does not tell a choice from a text of the task: export JSON instead"
SEVERAL = "their question has several choices in some annotations"


def test_a_row_of_json_min_is_an_annotation():
    found, origin = rows("label_studio_min.json")
    assert [(row["item_id"], row["question"], row["answer"], row["topic"]) for row in found] == [
        ("11", "When does the pump start?", "At 40 °C.", "pump"),
        ("11", "When does the pump start?", "At 40 °C.", "pump"),
        ("12", "When does the pump stop?", "Never.", "pump"),
    ]
    assert [one for row in found for one in grades(row)] == [
        ("annotator", "ana@example.org", "correctness", 4),
        ("annotator", "7", "correctness", 2),
        ("annotator", "7", "correctness", 1),
    ]
    assert found[0]["grades"][0]["reason"] == "By the manual.\nPage 3."
    assert left_out(origin) == {
        ("annotations", 1, "they have no question or no answer"),
        ("results", 2, SEVERAL),
    }


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


def test_csv_has_the_ratings_and_says_that_choices_are_not_told_from_texts():
    found, origin = rows("label_studio.csv")
    assert [one for row in found for one in grades(row)] == [
        ("annotator", "ana@example.org", "correctness", 4),
        ("annotator", "7", "correctness", 2),
        ("annotator", "7", "correctness", 1),
    ]
    assert found[0]["verdict"] == "correct" and found[0]["topic"] == "pump"
    assert {("texts", 4, TEXTS), ("results", 1, SEVERAL)} <= left_out(origin)


def test_rows_without_a_question_are_left_to_the_reader_of_tables():
    given = parsed("label_studio_min.json")[-1:]
    assert recognised(json.dumps(given).encode(), "rows.json") is None


def given(found):
    names = ("item_id", "grader_kind", "grader", "criterion", "score", "blind")
    return [tuple(row[name] for name in names) for row in found]


def test_the_scores_of_v3_are_grades_of_people_and_judges():
    found, origin = rows("langfuse_scores_v3.json")
    assert origin.of == "grades"
    assert given(found) == [
        ("t1", "annotator", "u-ana", "correctness", "good", "false"),
        ("t1", "judge", "Langfuse (gpt-4.1-mini)", "correctness", "good", None),
        ("t2", "annotator", "u-bo", "correctness", "bad", "false"),
        ("t2", "judge", "API", "correctness", "0.4", None),
        ("t1", "judge", "API", "grounded", "true", None),
    ]
    assert left_out(origin) == {
        ("scores", 2, "they are texts or corrections, not grades"),
        ("scores", 1, "they belong to no trace or observation"),
    }


def test_the_export_of_scores_names_authors_and_observations():
    found, _ = rows("langfuse_scores.csv")
    assert given(found) == [
        ("t1", "annotator", "Ana", "correctness", "2", "false"),
        ("t1", "judge", "Langfuse", "correctness", "3", None),
        ("o7", "annotator", "Bo", "correctness", "0", "false"),
        ("t2", "judge", "API", "grounded", "true", None),
    ]
    assert found[2]["trace_id"] == "t2"


def test_lines_of_json_are_read_as_a_list():
    scores = parsed("langfuse_scores_v3.json")["data"]
    found, _ = rows("\n".join(map(json.dumps, scores)).encode(), "scores.jsonl")
    assert len(found) == 5


@pytest.mark.parametrize(
    "text", ["id,source,value,dataType\n1,a,2,b\n", "source,value\nx,dataType\n"]
)
def test_a_table_with_some_of_the_columns_is_no_export(text):
    assert recognised(text.encode(), "a.csv") is None


AVERAGED = (
    "the export of traces averages them and drops their authors: export the scores too, and import "
    "them with “grades”"
)


def test_a_trace_is_an_answer_and_averaged_scores_are_refused():
    found, origin = rows("langfuse_traces.json")
    assert [(row["item_id"], row["question"], row["answer"]) for row in found] == [
        ("t1", "When does the pump start?", "At 40 °C."),
        ("t2", "When does the pump stop?", "Never."),
    ]
    assert "grades" not in found[0]
    assert left_out(origin) == {
        ("traces' scores", 1, AVERAGED),
        ("traces", 1, "they have no output"),
    }


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
        ("grades", 1, "they have no score"),
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


def test_a_span_is_an_answer_with_flat_or_nested_attributes():
    found, _ = rows("phoenix.json")
    assert [(row["question"], row["answer"], row["answer_model"]) for row in found] == [
        ("When does the pump start?", "At 40 °C.", "atlas"),
        ("When does it stop?", "Never.", "atlas"),
    ]
    assert found[0]["contexts"] == ["It starts at 40 °C."]


def test_annotations_are_grades_by_identifier_and_kind():
    found, origin = rows("phoenix.json")
    assert grades(found[0]) == [
        ("annotator", "ana", "correctness", 1),
        ("annotator", "bo", "correctness", 0),
        ("judge", "correctness (gpt-4.1-mini)", "correctness", 1),
        ("metric", "length", "length", 0.3),
    ]
    assert grades(found[1]) == [("annotator", "u-ana", "correctness", "incorrect")]
    assert left_out(origin) == {
        ("grades", 1, "they have no score"),
        ("spans", 1, "they are within a trace and not annotated"),
        ("spans", 1, "they have no output"),
    }


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


def test_the_text_is_the_answer_and_the_choice_the_grade_of_its_annotator():
    found, origin = rows(CASES / "prodigy.jsonl")
    assert [(row["question"], row["answer"]) for row in found] == [
        (f"Q{n}?", f"A{n}") for n in range(8)
    ]
    assert found[0]["item_id"] == "100"
    given = [(n, grade) for n, row in enumerate(found) for grade in grades(row)]
    assert given == [
        (n, ("annotator", who, "choice", choice))
        for n, who, choice in (
            *((0, "ann-1", "0"), (1, "ann-2", "1"), (4, "ann-1", "0")),
            *((6, "ann-1", "2"), (7, "ann-2", "3")),
        )
    ]
    assert left_out(origin) == {
        ("tasks' grades", 2, "the annotator rejected or ignored the task"),
        ("tasks' grades", 1, "they have no single value"),
    }


def test_a_target_is_the_grade_of_a_person_and_the_output_that_of_a_judge():
    found, origin = rows("ragas_annotations.json")
    assert [grades(row) for row in found] == [
        [
            ("judge", "ragas faithfulness", "faithfulness", 1.0),
            ("annotator", "RAGAS annotator", "faithfulness", 1),
        ],
        [
            ("judge", "ragas faithfulness", "faithfulness", 0.0),
            ("annotator", "RAGAS annotator", "faithfulness accepted", False),
        ],
        [
            ("metric", "ragas exact_match", "exact_match", 0.0),
            ("annotator", "RAGAS annotator", "exact_match accepted", True),
        ],
    ]
    assert left_out(origin) == {("edited outputs", 1, "they correct a step of the metric")}
    assert found[0]["contexts"] == ["The pump starts at 40 °C."]
