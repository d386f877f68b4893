"""The recheck of a certificate, with a real run against a server that keeps or loses its mind."""

import json
from dataclasses import replace
from datetime import date

import pytest

from concord.grading import sheet_progress
from concord.messages import Problem
from concord.reports.certificate import recheck
from concord.reports.certificate.certificate import read
from concord.reports.certificate.certificate_status import status
from concord.reports.reliability.test_retest import of_judge
from concord.store import graders, runs, sheets
from tests.support.commandline import invoke
from tests.support.panels import panel
from tests.support.reports.changing_mind import QUESTIONS

TODAY = date(2026, 11, 20)
SCORES = 3 * QUESTIONS  # three criteria, of every question since there are fewer than 30


def asked_again(store, path, *more):
    said = invoke(store.path, "recheck", path, "--json", *more)
    return said.exit_code, json.loads(said.stdout)


def standing(store, body, today):
    return status(store, read(body), today)


def body_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_an_unchanged_judge_is_renewed_by_replies_of_their_own(store, certificate, mind_server):
    before = len(mind_server.seen)
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], found["seen"], found["p_value"]) == (0, "renewed", 0.0, 1.0)
    assert found["scores"] == SCORES and found["asked"] == 3 * QUESTIONS
    assert len(mind_server.seen) == before + 3 * QUESTIONS
    assert found["noticeable"] <= 0.1
    assert (found["recheck"], found["rechecks"]) == (1, 90)
    assert found["void_at"] == pytest.approx(0.05 / 90)
    assert asked_again(store, certificate)[1]["recheck"] == 2
    assert len(mind_server.seen) == before + 6 * QUESTIONS  # nothing comes from the cache


def test_a_judge_that_changed_is_void_and_so_is_its_certificate(store, certificate, mind):
    mind.changed = True
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], found["seen"]) == (1, "void", SCORES)
    assert found["p_value"] == pytest.approx(0.25**QUESTIONS)
    stands = standing(store, body_of(certificate), TODAY)
    assert stands.state == "void" and stands.reasons[0].startswith("Rechecked on ")
    mind.changed = False
    assert asked_again(store, certificate)[0] == 0
    assert standing(store, body_of(certificate), TODAY).state == "not_certified"


def test_stored_replies_are_compared_too_and_later_ones_are_not(
    store, judged_by_mine, tmp_path, mind
):
    assert invoke(store.path, "judge", tmp_path / "mine.toml", "--repeat", 2).exit_code == 0
    written = invoke(store.path, "certificate", "mine", "--json").stdout
    (tmp_path / "c.json").write_text(written, encoding="utf-8")
    mind.changed = True
    assert invoke(store.path, "judge", tmp_path / "mine.toml", "--repeat", 3).exit_code == 0
    found = asked_again(store, tmp_path / "c.json")[1]
    # Of the ten ways to part five replies in two and three, one has all six pairs differ.
    assert found["p_value"] == pytest.approx(0.1**QUESTIONS)


def test_once_the_error_of_a_life_is_spent_no_recheck_is_void(
    store, judged_by_mine, tmp_path, mind
):
    words = ("certificate", "mine", "--days", 1, "--json")
    (tmp_path / "day.json").write_text(invoke(store.path, *words).stdout, encoding="utf-8")
    assert asked_again(store, tmp_path / "day.json")[1]["void_at"] == 0.01
    mind.changed = True
    code, found = asked_again(store, tmp_path / "day.json")
    assert (code, found["verdict"], found["void_at"]) == (1, "cannot_tell", None)


def test_of_a_noisy_judge_nothing_can_be_told(store, certificate, mind):
    mind.noise = 0.5
    code, found = asked_again(store, certificate, "--repeat", 2)
    assert (code, found["verdict"]) == (1, "cannot_tell")
    assert found["noticeable"] is None or found["noticeable"] > found["tolerated"]


def test_missing_scores_are_counted_in_the_singular_and_the_plural(store, certificate):
    assert asked_again(store, certificate)[1]["verdict"] == "renewed"
    found = replace(recheck.newest(store, read(body_of(certificate))), verdict="inconclusive")
    for missing, counted in ((1, "1 score"), (2, "2 scores")):
        said = recheck.headline(replace(found, missing=missing))
        assert said == f"Inconclusive, with {counted} missing; run the recheck again."


def test_replies_that_did_not_come_are_asked_for_by_the_same_command(
    store, certificate, mind_server
):
    mind_server.behaviour.faults = {"filter": 0.0, "401": 1.0}
    assert invoke(store.path, "recheck", certificate).exit_code == 2
    mind_server.behaviour.faults = {}
    before = len(mind_server.seen)
    assert asked_again(store, certificate)[1]["verdict"] == "renewed"
    assert len(mind_server.seen) == before + 3 * QUESTIONS
    first = [runs.scope(row).get("first_repeat") for row in runs.of_sheet(store, 1)]
    assert first[:2] == [2, 2]


def test_a_rechecked_certificate_verifies_and_a_changed_one_is_void(
    store, certificate, tmp_path, mind_server
):
    asked_again(store, certificate)
    assert invoke(store.path, "export", tmp_path / "out").exit_code == 0
    said = invoke(store.path, "verify", certificate, "--from", tmp_path / "out")
    assert said.exit_code == 0, said.output
    body, before = body_of(certificate), len(mind_server.seen)
    body["rests_on"]["grades"] += 1
    certificate.write_text(json.dumps(body), encoding="utf-8")
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], len(mind_server.seen)) == (1, "void", before)
    assert "changed after it was written" in found["reasons"][0]


def test_a_recheck_is_not_how_the_judge_stands_with_the_sheet(store, certificate):
    asked_again(store, certificate)
    store.execute("update runs set status = 'stopped' where id = (select max(id) from runs)")
    sheet = sheets.all_sheets(store)[0]
    mine = graders.find(store, "judge", "mine")
    assert runs.scope(runs.newest(store, sheet_id=sheet.id, grader_id=mine.id))["first_repeat"] == 2
    assert "first_repeat" not in runs.scope(runs.shown(store, sheet.id, mine.id))
    assert sheet_progress.judged(store, sheet.id).unfinished == []
    before = store.value("select max(created_at) from grades where repeat = 1")
    (row,) = sheet_progress.grades_since(store, sheet.id, before)
    assert row["answers"] < QUESTIONS  # of the first run; no repeat is news


def test_what_a_recheck_brings_says_nothing_of_how_steady_the_judge_was(
    store, judged_by_mine, tmp_path, mind
):
    assert invoke(store.path, "judge", tmp_path / "mine.toml", "--repeat", 2).exit_code == 0
    written = invoke(store.path, "certificate", "mine", "--json").stdout
    (tmp_path / "c.json").write_text(written, encoding="utf-8")

    def steady():
        read = panel(store, judged_by_mine)
        (judge,) = (one for one in read.judges.values() if one.name == "mine")
        return of_judge(read, judge.id, list(read.rubric.versions()))

    before = steady()
    mind.changed = True
    asked_again(store, tmp_path / "c.json")
    assert store.value("select max(repeat) from grades") > before.repeats > 1
    assert steady() == before


def test_another_judge_under_the_name_is_void_and_nothing_is_asked(store, certificate, mind_server):
    graders.ensure(store, "judge", "mine", "f" * 16)
    before = len(mind_server.seen)
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], len(mind_server.seen)) == (1, "void", before)
    assert "is now a different judge" in found["reasons"][0]


def test_a_new_system_fingerprint_voids_until_a_recheck_renews_the_certificate(
    store, certificate, tmp_path
):
    body = body_of(certificate) | {"certified": True, "why_not": None}
    store.execute(
        "update replies set system_fingerprint = 'fp_next' where id = (select max(id) from replies)"
    )
    assert "(fp_next)" in standing(store, body, TODAY).reasons[0]
    assert asked_again(store, certificate)[0] == 0
    assert standing(store, body, TODAY) == ("holds", [])
    store.execute("update replies set model = 'other' where id = (select max(id) from replies)")
    assert "now answers as other" in standing(store, body, TODAY).reasons[0]


def test_an_estimate_asks_nobody(store, certificate, mind_server):
    before = len(mind_server.seen)
    code, found = asked_again(store, certificate, "--estimate")
    assert (code, found["estimate"]["calls"], len(mind_server.seen)) == (0, 3 * QUESTIONS, before)


def test_what_this_database_lacks_of_a_certificate_is_named(store, certificate):
    body = read(body_of(certificate))
    store.execute("update graders set name = 'other' where name = 'mine'")
    assert recheck.newest(store, body) is None
    with pytest.raises(Problem, match="does not hold the judge mine of the certificate"):
        recheck.prepare(store, body)
