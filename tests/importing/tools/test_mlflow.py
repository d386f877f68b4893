"""MLflow traces, which MLflow 3.17.2 wrote with SQLite (tests/interop/write_mlflow.py)."""

import json

from tests.support.exports import grades, left_out, rows

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
    assert all(row["item_id"].startswith("tr-") for row in found)


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


def test_people_saw_the_other_assessments():
    found, _ = rows("mlflow.json")
    blind = {one["blind"] for row in found for one in row["grades"] if one["kind"] == "annotator"}
    assert blind == {False}


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
