"""Langfuse traces, built from its documented schemas: no server wrote these files."""

import json

from tests.support.exports import grades, left_out, parsed, rows

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


def test_averages_in_columns_are_refused_too():
    traces = parsed("langfuse_traces.json")[:1]
    traces[0] |= {"scores": None, "correctness": 2.5}
    found, origin = rows(json.dumps(traces).encode(), "traces.json")
    assert "correctness" not in found[0]
    assert left_out(origin) == {("traces' scores", 1, AVERAGED)}


def test_whole_scores_of_the_api_are_grades():
    traces = parsed("langfuse_traces.json")[:1]
    traces[0]["scores"] = parsed("langfuse_scores_v3.json")["data"][:2]
    (row,), origin = rows(json.dumps({"data": traces}).encode(), "traces.json")
    assert grades(row) == [
        ("annotator", "u-ana", "correctness", "good"),
        ("judge", "Langfuse (gpt-4.1-mini)", "correctness", "good"),
    ]
    assert not origin.left_out
