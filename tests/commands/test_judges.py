"""The commands judges and export-judge: a combined judge frozen, and a judge for other tools."""

import json

from concord.judges.definition.model import load
from tests.support.judges.building import judge_file


def test_a_combined_judge_is_run_and_frozen_into_a_new_file(run, tmp_path):
    run("demo")
    own, frozen = tmp_path / "jury.toml", tmp_path / "frozen.toml"
    own.write_text(
        'name = "jury"\nkind = "combined"\nrubric = "doc-qa-0-3"\nrule = "weighted"\n'
        'members = ["simulated-careful-judge", "simulated-lenient-judge"]\n'
    )
    (expected,) = json.loads(run("judge", str(own), "--estimate", "--json").stdout)["runs"]
    assert (expected["estimate"]["calls"], expected["estimate"]["cost_usd"]) == (0, [0.0, 0.0])
    (found,) = json.loads(run("judge", str(own), "--json").stdout)["runs"]
    assert (found["rule"], found["frozen"]) == ("weighted", False)
    assert found["counts"]["statuses"] == {"scored": 576}
    run("judges", "jury", "--freeze", str(frozen))
    assert load(frozen).fit.digest == found["fit"]
    run("judges", "jury", "--freeze", str(frozen), code=2)
    run("judges", "baseline", "--freeze", "x.toml", code=2)


def test_an_edited_copy_is_the_next_version_with_another_prompt_and_other_settings(run, tmp_path):
    run("demo")
    path = tmp_path / "prompt.txt"
    text = json.loads(run("judges", "gpt-4-zero-shot", "--json").stdout)["prompt"]
    path.write_text(text.replace("one to three sentences", "one sentence"), encoding="utf-8")
    edit = ("--prompt", path, "--set", "temperature=0", "--set", "endpoint.timeout_s=30", "--json")
    made = json.loads(run("judges", "--copy", "gpt-4-zero-shot", *edit).stdout)
    assert made["judge"].startswith("gpt-4-zero-shot-v2@")
    judge = json.loads(run("judges", made["judge"], "--json").stdout)["judge"]
    assert (judge["edited_from"], judge["temperature"]) == (["gpt-4-zero-shot"], 0)
    assert judge["endpoint"]["timeout_s"] == 30 and "one sentence" in judge["prompt"]
    run("judges", "--copy", "gpt-4-zero-shot-v2", "--as", "strict", "--set", "temperature=")
    strict = json.loads(run("judges", "strict", "--json").stdout)["judge"]
    assert strict["edited_from"] == ["gpt-4-zero-shot", "gpt-4-zero-shot-v2"]
    assert "temperature" not in strict
    run("judges", "--copy", "gpt-4-zero-shot", "--as", "strict", code=2)
    run("judges", "--copy", "gpt-4-zero-shot", "--set", "temperature=9", code=2)
    run("judges", "--set", "temperature=0", code=2)


def test_running_the_frozen_file_of_a_certified_judge_leaves_its_certificate_as_it_is(
    run, two_sheets
):
    """It was certified on the sheet that it was fitted to; the fit is what was certified."""
    path, certificate = two_sheets / "jury-frozen.toml", two_sheets / "certificate.json"
    fitted = judge_file(two_sheets, "ordinal")
    run("judge", fitted, "--sheet", "pilot")
    run("choose", "--sheet", "pilot", "--against", "worse", "--margin", 0.2, "--yes")
    body = run("certificate", "jury", "--sheet", "pilot", "--json").stdout
    certificate.write_text(body, encoding="utf-8")
    run("judges", "jury", "--freeze", path)
    run("judge", path, "--sheet", "new")
    run("gate", "--certificate", certificate, "--judge-file", path, "--exact", 0.3)
    run("gate", "--certificate", certificate, "--judge-file", fitted, code=1)
    assert not any("server" in remark for remark in json.loads(body)["remarks"])  # it asks none
    run("judge", fitted, "--sheet", "new")  # another fit under the same name
    run("gate", "--certificate", certificate, code=1)
