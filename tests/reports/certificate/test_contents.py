"""Certificates of combined judges, their texts and summary, and what cannot be certified."""

import json

from concord.judges.combined import freeze, run_combined
from concord.judges.definition.model import Judge
from concord.reports.certificate import certification
from concord.reports.panel.choice import judge_of
from concord.store import graders, grades, sheets
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.panels import panel


def certified(store, rubric, rule):
    """The certificate of a combined judge of both judges, and the judge as stored."""
    keys = {"name": "jury", "kind": "combined", "rubric": rubric.name, "rule": rule}
    jury = Judge.model_validate(keys | {"members": ("dear", "cheap")})
    sheet = sheets.chosen(store, None)
    run = run_combined(store, sheet, *rubric_versions.named(store, rubric.name), jury)
    found = panel(store, rubric)
    body = certification.certify(store, found, judge_of(store, found, run.label))
    return body, graders.find(store, "judge", run.label)


def test_what_is_certified_of_a_fitted_rule_is_its_one_refit(store, close_judges):
    body, grader = certified(store, close_judges, "ordinal")
    fit = grader.definition["fit"]["digest"]
    frozen = freeze(grader).model_dump(mode="json", exclude_defaults=True)
    assert body.document["judge"]["definition"] == frozen and frozen["fit"]["digest"] == fit


def exported(store):
    done = invoke(store.path, "export-judge", "mine", "--for", "python", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_certificate_and_its_expiry_are_said(store, certificate):
    found = exported(store)
    body = json.loads(certificate.read_text(encoding="utf-8"))
    assert (found["certificate"], found["expires_at"]) == (body["digest"], body["expires_at"])
    assert (found["status"], found["certified"]) == ("not_certified", False)
    assert f"{body['digest']!r}" in found["text"] and body["expires_at"] in found["text"]


def test_questions_whose_disagreements_were_looked_at_are_counted(store, close_judges):
    found = panel(store, close_judges)
    for item_id in found.items["id"].tolist()[:2]:
        grades.open_item(store, item_id, None)
    body = certification.certify(store, found, judge_of(store, found, "cheap")).document
    first = found.items["question"].tolist()[:2]
    assert body["questions"]["seen"] == len({*first})
    assert sum("while tuning" in remark for remark in body["remarks"]) == 1
