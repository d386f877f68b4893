"""What is said of an exported judge: whether its certificate holds today."""

import json

from concord.store import certificates, graders, sheets
from tests.support.commandline import invoke


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
