"""promptfoo results, which promptfoo 0.123.1 wrote (tests/interop/write_promptfoo.py)."""

import json

import pytest

from concord.importing import recognition
from concord.messages import Problem
from tests.support.exports import grades, parsed, rows

JUDGE = "llm-rubric (file://grader.js)"


def read(results):
    return rows(json.dumps(results).encode(), "results.json")


def test_an_evaluation_without_results_is_said_to_be_empty():
    prompts = [{"raw": "a", "label": "a"}]
    results = {"prompts": prompts, "results": []}
    empty = {"evalId": "e", "results": results, "config": {"tests": prompts}}
    with pytest.raises(Problem, match="has nothing to import: it is empty"):
        read(empty)


def test_the_judge_keeps_its_score_where_a_rating_overwrote_the_result(results):
    (overruled,) = (
        one
        for one in results["results"]["results"]
        if one["failureReason"] == 0 and not one["success"]
    )
    found, _ = read(results)
    (row,) = (row for row in found if row["item_id"] == overruled["id"])
    assert ("judge", JUDGE, "correctness", 0.9) in grades(row)
    assert ("annotator", "promptfoo user", "overall", 0) in grades(row)
    assert {(one["grader_kind"], one["passed"]) for one in row["grades"]} == {
        ("judge", True),
        ("metric", True),
        ("annotator", False),
    }


def test_members_that_are_only_nested_are_read(results):
    """As older versions write a set."""
    for row in results["results"]["results"]:
        parts = (row["gradingResult"] or {}).get("componentResults", [])
        nested = [one for whole in parts for one in whole.get("componentResults", ())]
        row["gradingResult"] = {"componentResults": [one for one in parts if one not in nested]}
    found, _ = read(results)
    assert sum(criterion == "tone" for row in found for _, _, criterion, _ in grades(row)) == 4


def test_assertions_of_one_type_without_a_metric_are_told_apart_by_value(results):
    row = results["results"]["results"][0]
    row["failureReason"], row["response"] = 0, {"output": "x"}
    row["gradingResult"] = {
        "componentResults": [
            {"score": 1, "pass": True, "assertion": {"type": "llm-rubric", "value": f"Is {word}"}}
            for word in ("polite", "short")
        ]
    }
    results["results"]["results"] = [row]
    (found,), _ = read(results)
    assert [criterion for _, _, criterion, _ in grades(found)] == [
        "llm-rubric: Is polite",
        "llm-rubric: Is short",
    ]


def test_prompts_are_systems_of_their_own(results):
    for row in results["results"]["results"]:
        row["prompt"]["label"], row["promptIdx"] = f"P{row['testIdx'] % 2}", row["testIdx"] % 2
    found, _ = read(results)
    assert {row["answer_model"] for row in found} == {
        f"{name}, prompt P{n}" for name in ("atlas", "birch") for n in (0, 1)
    }


@pytest.mark.parametrize("part", [1, 100])
def test_json_lines_hold_the_same_answers_and_grades(part, monkeypatch):
    """Read as one, since criteria and prompts are named by what all rows hold."""
    monkeypatch.setattr(recognition, "_LINES", part)
    assert rows("promptfoo.jsonl") == rows("promptfoo.json")
    changed = parsed("promptfoo.json")["results"]["results"]
    for n, row in enumerate(changed):
        row["prompt"]["label"], row["promptIdx"] = f"P{n % 2}", n % 2
    whole, _ = read({"results": {"results": changed}, "evalId": "e"})
    lines, _ = rows("\n".join(map(json.dumps, changed)).encode(), "results.jsonl")
    assert lines == whole and ", prompt P1" in lines[1]["answer_model"]


def test_a_single_line_is_an_evaluation_of_one_result(results):
    (*_, row) = (one for one in results["results"]["results"] if one["failureReason"] == 0)
    found, origin = rows(json.dumps(row).encode(), "results.jsonl")
    assert [one["item_id"] for one in found] == [row["id"]]
    assert origin.tool == "promptfoo results"


def test_another_rubric_prompt_is_another_judge(results):
    for n, row in enumerate(results["results"]["results"]):
        row["testCase"]["options"]["rubricPrompt"] = f"Grade strictly. {n % 2}"
    _, origin = read(results)
    judges = [one for one in origin.judges if one.model]
    assert len({one.name for one in judges}) == 2
    assert {one.prompt for one in judges} == {"Grade strictly. 0", "Grade strictly. 1"}
