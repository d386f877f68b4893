"""A DeepEval test run, which deepeval 4.3 wrote (tests/interop/write_deepeval.py)."""

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
