"""A DeepEval test run, which deepeval 4.3 wrote (tests/interop/write_deepeval.py)."""

import json

from tests.support.exports import grades, left_out, rows


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


def test_a_case_is_an_answer_with_its_contexts_and_no_id_from_its_place():
    found, _ = rows("deepeval.json")
    row = found[0]
    assert (row["question"], row["answer"]) == ("When does the pump start?", "At 40 °C.")
    assert row["contexts"] == ["The pump starts at 40 °C."]
    assert row["reference"] == "At 40 °C."
    assert "item_id" not in row


def test_a_conversation_ends_with_the_answer(test_run):
    run = test_run
    run["testCases"] = []
    turns = [("user", "Hello"), ("assistant", "Hi."), ("user", "When?"), ("assistant", "Now.")]
    run["conversationalTestCases"] = [
        {
            "name": "greeting",
            "turns": [{"role": role, "content": said} for role, said in turns],
            "metricsData": [{"name": "Role [GEval]", "score": 1.0, "evaluationModel": "m"}],
        }
    ]
    run["hyperparameters"] = {"model": "atlas"}
    (row,), _ = rows(json.dumps(run).encode(), "run.json")
    assert (row["item_id"], row["question"], row["answer"]) == ("greeting", "When?", "Now.")
    assert [one["content"] for one in row["turns"]] == ["Hello", "Hi."]
    assert row["answer_model"] == "atlas"
    assert grades(row) == [("judge", "deepeval (m)", "Role", 1.0)]
