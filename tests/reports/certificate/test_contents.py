"""Certificates of combined judges, why nothing is certified, and which formats are read."""

import json
from dataclasses import replace

import pytest

from concord.definitions import digest
from concord.judges.combined.run import freeze, run_combined
from concord.judges.definition.model import Judge
from concord.language.languages import shown
from concord.messages import Problem, for_screen, said
from concord.reports.certificate import certification, contents, verification
from concord.reports.certificate.certificate import of_sheet, read
from concord.reports.certificate.document import title
from concord.reports.certificate.verification import with_texts
from concord.reports.panel.named_judge import judge_of
from concord.store import certificates, graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.panels import panel


def certified(store, rubric, rule):
    """The certificate of a combined judge of both judges, and the judge as stored."""
    judge = Judge(
        name="jury", kind="combined", rubric=rubric.name, members=("dear", "cheap"), rule=rule
    )
    sheet = sheets.chosen(store, None)
    run = run_combined(store, sheet, *rubric_versions.named(store, rubric.name), judge)
    found = panel(store, rubric)
    body = certification.certify(store, found, judge_of(store, found, run.found.label))
    return body, graders.find(store, "judge", run.found.label)


def test_what_is_certified_of_a_fitted_rule_is_its_one_refit(store, close_judges):
    body, grader = certified(store, close_judges, "ordinal")
    fit = grader.definition["fit"]["digest"]
    assert "The judge combines the grades of dear, cheap (ordinal)." in body.remarks
    assert any(
        one.startswith(f"Certified is one full refit, frozen ({fit}).") for one in body.remarks
    )
    frozen = freeze(grader).model_dump(mode="json", exclude_defaults=True)
    assert body.judge.definition == frozen and frozen["fit"]["digest"] == fit


@pytest.mark.parametrize("rule", ["majority", "mean"])
def test_a_rule_that_is_not_fitted_has_no_refit(store, close_judges, rule):
    body, _ = certified(store, close_judges, rule)
    assert f"The judge combines the grades of dear, cheap ({rule})." in body.remarks
    assert not any("refit" in one for one in body.remarks)


def test_why_nothing_is_certified_names_the_judge_or_the_verdict_not_the_criterion(store, written):
    [kept] = of_sheet(store, sheets.chosen(store, None).id)
    quoted = kept.decision
    row = next(one for one in quoted.look.judges if one.judge == "cheap")
    exploratory = {"confirmatory": False, "changed_terms": ("margin",)}
    later = replace(quoted, look=replace(quoted.look, **exploratory))
    assert contents.why_not([quoted], [None]) == (
        "correctness: the judge was not among those that were compared"
    )
    assert contents.why_not([later], [row]).endswith("first terms (margin)")


def test_a_certificate_of_an_unknown_format_names_those_that_are_read(tmp_path):
    (tmp_path / "later.json").write_text('{"digest": "", "format": 99}')
    with pytest.raises(Problem, match="format 99, and this Concord reads 3"):
        verification.load(tmp_path / "later.json")


def exported(store):
    done = invoke(store.path, "export-judge", "mine", "--for", "python", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_certificate_and_its_expiry_are_said(store, certificate):
    found = exported(store)
    body = json.loads(certificate.read_text(encoding="utf-8"))
    assert (found["certificate"], found["expires_at"]) == (body["digest"], body["expires_at"])
    assert (found["status"], found["certified"]) == ("not_certified", False)
    assert found["reasons"][0].startswith("Nothing is certified: ")
    assert f"{body['digest']!r}" in found["text"] and body["expires_at"] in found["text"]


def test_an_expired_certificate_is_said_to_have_expired(store, certificate):
    body = json.loads(certificate.read_text(encoding="utf-8")) | {
        "expires_at": "2020-01-01",
        "certified": True,
    }
    grader = graders.find(store, "judge", "mine")
    certificates.keep(store, body, sheets.chosen(store, None).id, grader.id, None)
    found = exported(store)
    assert (found["status"], found["expires_at"]) == ("expired", "2020-01-01")
    done = invoke(store.path, "export-judge", "mine", "--for", "python")
    assert f"Certificate {body['digest']} does not hold. It expired on" in done.stderr


def test_a_judge_without_a_certificate_is_said_to_have_none(store, judged_by_mine):
    found = exported(store)
    assert (found["certificate"], found["status"], found["reasons"]) == (None, None, [])


def not_good_enough(store, rubric):
    found = panel(store, rubric)
    return certification.certify(
        store, found, judge_of(store, found, "cheap"), criteria=["readability"]
    )


NAMES = [("zh", "正确性"), ("ja", "正確さ"), ("ko", "정확성")]


@pytest.mark.parametrize(("language", "name"), NAMES)
def test_its_criteria_and_its_finding_are_in_the_language_of_the_reader(
    store, written, language, name
):
    (kept,) = of_sheet(store, 1)
    made = with_texts(store, kept)
    assert name in shown(title(made), language) and name in shown(made.sentence, language)
    assert "correctness" not in shown(made.sentence, language)


def test_why_nothing_is_certified_is_said_in_the_language_of_the_reader(store, half_good):
    made = with_texts(store, not_good_enough(store, half_good))
    assert made.why_not == "readability: it is not good enough"
    why = said("Nothing is certified: {why}.", why=made.why_not)
    assert shown(why, "zh") == "不予认证。可读性：不够好。"


def test_a_screen_names_the_place_where_a_judge_is_chosen_not_the_command(store, close_judges):
    found = panel(store, close_judges)
    made = with_texts(store, certification.certify(store, found, judge_of(store, found, "cheap")))
    assert made.why_not.endswith("choose a judge under Decide first (`choose` on the command line)")
    assert for_screen(made.why_not).endswith("choose a judge under Decide first")


def test_what_is_stored_stays_to_the_letter(store, half_good):
    kept = not_good_enough(store, half_good)
    made = with_texts(store, kept)
    assert made == kept and made.to_json() == kept.to_json() and made.unchanged


def test_a_text_that_the_figures_do_not_give_stays_as_it_was_written(store, half_good):
    document = {**not_good_enough(store, half_good).document, "why_not": "of an earlier version"}
    document["digest"] = digest({k: v for k, v in document.items() if k not in ("id", "digest")})
    made = with_texts(store, read(document))
    assert shown(made.why_not, "zh") == "of an earlier version"


def test_a_certificate_whose_rubric_is_not_here_stays_as_it_was_written(store, written):
    (kept,) = of_sheet(store, 1)
    elsewhere = replace(kept, rubric=replace(kept.rubric, name="elsewhere"))
    assert with_texts(store, elsewhere) == elsewhere
