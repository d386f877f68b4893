"""The command `confidence`: the tab of that name as text and as JSON."""

import json

JUDGE = "simulated-decision-judge"


def test_the_tab_is_there_as_text_with_the_diagram_as_a_table(sampled):
    text = sampled("confidence").stdout
    assert f"When {JUDGE} says 98% on correctness, annotators agree 76% [" in text
    assert f"Reliability diagram of {JUDGE}" in text
    assert "isotonic regression  RMSE of the expected score" in text


def test_json_has_the_diagram_sharpness_and_recalibration(sampled):
    (row,) = json.loads(sampled("confidence", "--judge", JUDGE, "--json").stdout)["rows"]
    assert (row["judge"], row["criterion"], row["n"]) == (JUDGE, "correctness", 192)
    in_agreement = json.loads(sampled("agreement", "--json").stdout)["rows"]
    (same,) = (
        one["probabilities"]
        for one in in_agreement
        if (one["judge"], one["criterion"]) == (JUDGE, "correctness")
    )
    assert row["figures"] == same
    assert sum(one["answers"] for one in row["diagram"]) == 192
    assert 0.25 < row["sharpness"]["low"] < row["sharpness"]["value"] < 1
    assert row["temperature"]["temperature"] > 1 > row["temperature"]["after"]["value"]
    assert row["temperature"]["difference"]["method"].endswith("fits repeated")


def test_another_criterion_and_a_judge_without_probabilities(sampled):
    found = json.loads(sampled("confidence", "--criterion", "readability", "--json").stdout)
    assert [one["criterion"] for one in found["rows"]] == ["readability"]
    text = sampled("confidence", "--judge", "simulated-careful-judge").stdout
    assert text == "No judge gave probabilities for correctness.\n"
    assert "no criterion" in sampled("confidence", "--criterion", "tone", code=2).stderr.lower()
