"""The verb `judges`: a combined judge is frozen into a file of its own."""

import json

from concord.judges.definition.model import load


def test_a_combined_judge_is_run_and_frozen_into_a_new_file(run, tmp_path):
    run("demo")
    own, frozen = tmp_path / "jury.toml", tmp_path / "frozen.toml"
    own.write_text(
        'name = "jury"\nkind = "combined"\nrubric = "doc-qa-0-3"\nrule = "weighted"\n'
        'members = ["simulated-careful-judge", "simulated-lenient-judge"]\n'
    )
    assert json.loads(run("judge", str(own), "--estimate", "--json").stdout)["runs"][0][
        "estimate"
    ] == {"calls": 0}
    (found,) = json.loads(run("judge", str(own), "--json").stdout)["runs"]
    assert (found["rule"], found["counts"], found["frozen"]) == ("weighted", {"grades": 576}, False)
    pair = found["error_correlations"][0]
    assert pair["criterion"] == "correctness" and (pair["n"], pair["clusters"]) == (192, 30)
    assert 0 < pair["low"] < pair["value"] < pair["high"] < 1 and pair["why_none"] is None
    run("judges", "jury", "--freeze", str(frozen))
    assert load(frozen).fit.digest == found["fit"]
    assert "cannot be written" in run("judges", "jury", "--freeze", str(frozen), code=2).stderr
    assert "no fit to freeze" in run("judges", "baseline", "--freeze", "x.toml", code=2).stderr
    assert "Name a combined judge and a file" in run("judges", "jury", code=2).stderr
