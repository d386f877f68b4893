"""Runs of LangSmith as the schema of its SDK has them; no server wrote them."""

import json

from tests.support.exports import grades, left_out, rows

RUN = {
    "id": "run-1", "name": "pump-bot", "run_type": "chain", "session_id": "s", "trace_id": "t1",
    "inputs": {"question": "When?"}, "outputs": {"output": "Now."}, "error": None,
    "parent_run_id": None, "reference_example_id": "e1",
    "extra": {"metadata": {"ls_model_name": "atlas"}},
    "feedback_stats": {"correctness": {"n": 2, "avg": 0.5}},
}  # fmt: skip
PERSON = {
    "run_id": "run-1", "key": "correctness", "score": 1, "comment": "Fine.",
    "feedback_source": {"type": "app", "user_name": "Ana"},
}  # fmt: skip
JUDGE = {
    "run_id": "run-1", "key": "correctness", "score": 0.4,
    "feedback_source": {"type": "model", "metadata": {"model": "gpt-4.1", "version": "3"}},
}  # fmt: skip


def read(*runs):
    return rows(json.dumps(runs).encode(), "runs.json")


def test_a_run_with_its_feedback_is_an_answer_with_grades():
    (row,), origin = read({**RUN, "feedback": [PERSON, JUDGE]})
    assert (row["item_id"], row["question"], row["answer"]) == ("run-1", "When?", "Now.")
    assert (row["answer_model"], row["reference_example_id"]) == ("atlas", "e1")
    assert grades(row) == [
        ("annotator", "Ana", "correctness", 1),
        ("judge", "LangSmith model (gpt-4.1) v3", "correctness", 0.4),
    ]
    assert row["grades"][0]["blind"] is False and left_out(origin) == set()


def test_averages_are_refused_with_the_reason():
    (row,), origin = read(RUN)
    assert not grades(row)
    ((what, count, reason),) = left_out(origin)
    assert (what, count) == ("runs' feedback", 1) and "averages without authors" in reason


def test_inner_runs_and_runs_without_an_output_are_left_out():
    inner = {**RUN, "id": "run-2", "parent_run_id": "run-1", "feedback_stats": None}
    failed = {**RUN, "id": "run-3", "outputs": None, "feedback_stats": None}
    graded = {**inner, "id": "run-4", "feedback": [PERSON]}
    found, origin = read(RUN, inner, failed, graded)
    assert [row["item_id"] for row in found] == ["run-1", "run-4"]
    assert {("runs", 1, "they are within a trace and have no feedback"),
            ("runs", 1, "they have no output")} <= left_out(origin)  # fmt: skip
