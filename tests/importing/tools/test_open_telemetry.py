"""OpenTelemetry events, built from the conventions: no collector wrote this file."""

import json

from concord.importing.recognition.recognise import recognised
from tests.support.exports import left_out, rows


def test_a_result_in_a_log_or_a_span_is_a_grade_of_a_response():
    found, origin = rows("open_telemetry.jsonl")
    names = ("item_id", "trace_id", "grader_kind", "grader", "criterion", "score", "reason")
    assert [tuple(row[name] for name in names) for row in found] == [
        ("resp-1", "t1", "judge", "relevance", "relevance", "0.8", "On topic."),
        ("a2", "t2", "judge", "relevance", "relevance", "not_relevant", None),
        ("a3", "t3", "judge", "relevance", "relevance", "1", None),
    ]
    assert origin.of == "grades"
    assert left_out(origin) == {("results", 1, "the evaluation returned an error")}


def test_logs_without_a_result_are_of_no_tool():
    log = {"resourceLogs": [], "about": "gen_ai.evaluation.result"}
    assert recognised(json.dumps(log).encode(), "log.json") is None
