"""Certificates of combined judges, why nothing is certified, and which formats are read."""

from dataclasses import replace

import pytest

from concord.judges.combined.run import freeze, run_combined
from concord.judges.definition.model import Judge
from concord.messages import Problem
from concord.reports.certificate import certification, contents, verification
from concord.reports.certificate.certificate import of_sheet
from concord.reports.panel.named_judge import judge_of
from concord.store import graders, sheets
from concord.store.rubrics import rubric_versions
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
