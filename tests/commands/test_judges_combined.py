"""A combined judge from its fit on one sheet to its gate on another, by commands."""

import json

from tests.support.judges.combined import judge_file


def test_a_frozen_judge_is_certified_and_gated_on_a_sheet_it_was_not_fitted_to(
    run, frozen_jury, tmp_path
):
    chosen = json.loads(
        run("choose", "--sheet", "new", "--against", "worse", "--yes", "--json").stdout
    )
    (jury,) = (one for one in chosen["judges"] if one["judge"].startswith("jury"))
    assert jury["verdict"] == "good_enough"
    certificate = tmp_path / "certificate.json"
    body = run("certificate", "jury", "--sheet", "new", "--json").stdout
    certificate.write_text(body, encoding="utf-8")
    found = json.loads(body)
    assert found["certified"]
    fit = found["judge"]["definition"]["fit"]["digest"]
    assert fit in frozen_jury.read_text(encoding="utf-8")
    assert (
        f"Its rule is one full refit, frozen ({fit}), to questions not among these."
        in (found["remarks"])
    )
    run("gate", "--sheet", "new", "--judge", "jury", "--criterion", "correctness", "--exact", 0.5)
    run("gate", "--certificate", certificate, "--judge-file", frozen_jury, "--exact", 0.5)
    run("gate", "--certificate", certificate, "--exact", 0.999, code=1)
    run("export", tmp_path / "out")
    run("verify", certificate, "--from", tmp_path / "out")


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
    changed = run("gate", "--certificate", certificate, "--judge-file", fitted, code=1)
    assert (
        "The judge's file has no fit. Name the frozen file; `judges jury --freeze" in changed.stdout
    )
    assert not any("server" in remark for remark in json.loads(body)["remarks"])  # it asks none
    run("judge", fitted, "--sheet", "new")  # another fit under the same name
    other = run("gate", "--certificate", certificate, code=1)
    assert "jury is now a different combined judge" in other.stdout


def test_a_combined_judge_cannot_be_rechecked(run, frozen_jury, tmp_path):
    run("choose", "--sheet", "new", "--against", "worse", "--yes")
    written = run("certificate", "jury", "--sheet", "new", "--json").stdout
    (tmp_path / "c.json").write_text(written, encoding="utf-8")
    assert "Recheck its members." in run("recheck", tmp_path / "c.json", "--yes", code=2).stderr
