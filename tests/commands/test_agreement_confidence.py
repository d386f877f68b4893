"""The quality of judges' probabilities in the command `agreement`."""

import json

JUDGE = "simulated-decision-judge"


def test_json_has_the_diagram_sharpness_and_recalibration_of_each_criterion(sampled):
    found = json.loads(sampled("agreement", "--json").stdout)
    rows = {row["criterion"]: row for row in found["confidence"] if row["judge"] == JUDGE}
    assert [*rows] == ["correctness", "comprehensiveness", "readability"]
    row = rows["correctness"]
    (same,) = (
        one["probabilities"]
        for one in found["rows"]
        if (one["judge"], one["criterion"]) == (JUDGE, "correctness")
    )
    assert (row["figures"], row["n"]) == (same, 192)
    assert sum(one["answers"] for one in row["diagram"]) == 192
    assert 0.25 < row["sharpness"]["low"] < row["sharpness"]["value"] < 1
    assert row["temperature"]["temperature"] > 1 > row["temperature"]["after"]["value"]
    assert row["temperature"]["difference"]["method"].endswith("fits repeated")


def test_the_text_has_the_diagram_as_a_table(sampled):
    text = sampled("agreement", "--all").stdout
    assert f"Reliability diagram of {JUDGE}" in text
