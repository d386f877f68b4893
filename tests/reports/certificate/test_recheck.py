"""The heartbeat of a certificate, with a real run against a server that keeps or loses its mind."""

import json
from dataclasses import replace
from datetime import date

import pytest

from concord.grading import sheet_progress
from concord.language.languages import shown
from concord.messages import Problem
from concord.reports.certificate import anchor_run, certification, recheck
from concord.reports.certificate.certificate import read
from concord.reports.certificate.certificate_status import status
from concord.reports.panel.named_judge import judge_of
from concord.reports.reliability.test_retest import of_judge
from concord.reports.workflow.workflow import loop
from concord.store import graders, runs, sheets
from tests.support.commandline import invoke
from tests.support.panels import panel
from tests.support.reports.changing_mind import ANCHORS, QUESTIONS

TODAY = date(2026, 11, 20)


def asked_again(store, path, *more):
    said = invoke(store.path, "recheck", path, "--json", *more)
    return said.exit_code, json.loads(said.stdout)


def standing(store, body, today):
    return status(store, read(body), today)


def body_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_certificate_carries_anchors_of_every_score_and_asks_only_what_is_missing(
    certificate, mind_server
):
    kept = body_of(certificate)["anchors"]
    assert len(kept["items"]) == ANCHORS and kept["repeats"] == 3
    assert len(mind_server.seen) == QUESTIONS + 2 * ANCHORS
    assert len({item["question"] for item in kept["items"]}) == ANCHORS
    first = [item["scores"]["correctness"][0] for item in kept["items"]]
    assert set(first) == {0, 1, 2, 3}
    assert all(len(set(item["scores"]["correctness"])) == 1 for item in kept["items"])
    assert kept["noticeable"] <= 0.1


def test_an_unchanged_judge_is_renewed_by_replies_of_their_own(store, certificate, mind_server):
    before = len(mind_server.seen)
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], found["seen"], found["p_value"]) == (0, "renewed", 0.0, 1.0)
    assert found["scores"] == 3 * ANCHORS and found["asked"] == 3 * ANCHORS
    assert len(mind_server.seen) == before + 3 * ANCHORS
    assert found["sentence"].startswith("Renewed: on average 0 of 36 scores changed")
    assert (found["recheck"], found["rechecks"]) == (1, 90)
    assert found["void_at"] == pytest.approx(0.05 / 90)
    assert asked_again(store, certificate)[1]["recheck"] == 2
    assert len(mind_server.seen) == before + 6 * ANCHORS  # nothing comes from the cache


def test_a_judge_that_changed_is_void_and_so_is_its_certificate(store, certificate, mind):
    mind.changed = True
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], found["seen"]) == (1, "void", 36.0)
    assert found["p_value"] < 0.0001 and "calibrate again" in found["sentence"]
    stands = standing(store, body_of(certificate), TODAY)
    assert stands.state == "void" and stands.reasons[0].startswith("Rechecked on ")
    mind.changed = False
    assert asked_again(store, certificate)[0] == 0
    assert standing(store, body_of(certificate), TODAY).state == "not_certified"


def test_once_the_error_of_a_life_is_spent_no_recheck_is_void(
    store, judged_by_mine, tmp_path, mind
):
    words = ("certificate", "mine", "--anchors", ANCHORS, "--days", 1, "--json")
    (tmp_path / "day.json").write_text(invoke(store.path, *words).stdout, encoding="utf-8")
    assert asked_again(store, tmp_path / "day.json")[1]["void_at"] == 0.01
    mind.changed = True
    code, found = asked_again(store, tmp_path / "day.json")
    assert (code, found["verdict"], found["void_at"]) == (1, "cannot_tell", None)
    assert "certify again" in found["sentence"]


def test_with_one_noisy_reply_each_nothing_can_be_told(store, judged_by_mine, tmp_path, mind):
    mind.noise = 0.5
    body = invoke(store.path, "certificate", "mine", "--anchors", 8, "--json").stdout
    (tmp_path / "c.json").write_text(body, encoding="utf-8")
    code, found = asked_again(store, tmp_path / "c.json", "--repeat", 1)
    assert (code, found["verdict"]) == (1, "cannot_tell")
    assert "could go unnoticed" in found["sentence"]
    assert "recheck with more repeats (`--repeat` on the command line)" in found["sentence"]


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
    assert len(mind_server.seen) == before + 3 * ANCHORS
    purposes = [runs.scope(row).get("first_repeat") for row in runs.of_sheet(store, 1)]
    assert purposes[:2] == [4, 4]


def test_a_certificate_with_anchors_verifies_and_a_changed_one_is_void(
    store, certificate, tmp_path, mind_server
):
    asked_again(store, certificate)
    assert invoke(store.path, "export", tmp_path / "out").exit_code == 0
    said = invoke(store.path, "verify", certificate, "--from", tmp_path / "out")
    assert said.exit_code == 0, said.output
    body, before = body_of(certificate), len(mind_server.seen)
    body["anchors"]["items"][0]["scores"]["correctness"] = [9, 9, 9]
    certificate.write_text(json.dumps(body), encoding="utf-8")
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], len(mind_server.seen)) == (1, "void", before)
    assert "changed after it was written" in found["reasons"][0]


def test_a_recheck_is_not_how_the_judge_stands_with_the_sheet(store, certificate):
    asked_again(store, certificate)
    store.execute("update runs set status = 'stopped' where id = (select max(id) from runs)")
    sheet = sheets.all_sheets(store)[0]
    mine = graders.find(store, "judge", "mine")
    assert runs.scope(runs.newest(store, sheet_id=sheet.id, grader_id=mine.id))["first_repeat"] == 4
    assert "first_repeat" not in runs.scope(runs.shown(store, sheet.id, mine.id))
    assert sheet_progress.judged(store, sheet.id).unfinished == []
    before = store.value("select max(created_at) from grades where repeat = 1")
    (row,) = sheet_progress.grades_since(store, sheet.id, before)
    assert row["answers"] < QUESTIONS  # of the first run; no repeat is news
    assert any("was rechecked. Renewed" in one for one in loop(store, sheet).news)


def test_what_a_recheck_brings_says_nothing_of_how_steady_the_judge_was(
    store, judged_by_mine, certificate, mind
):
    def steady():
        read = panel(store, judged_by_mine)
        (judge,) = (one for one in read.judges.values() if one.name == "mine")
        return of_judge(read, judge.id, list(read.rubric.versions()))

    before = steady()
    mind.changed = True
    asked_again(store, certificate)
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
    assert (code, found["estimate"]["calls"], len(mind_server.seen)) == (0, 3 * ANCHORS, before)


def test_a_certificate_without_anchors_or_from_elsewhere_says_what_to_do(
    store, judged_by_mine, tmp_path
):
    found = panel(store, judged_by_mine)
    body = certification.certify(store, found, judge_of(store, found, "mine"))
    assert recheck.newest(store, body) is None
    with pytest.raises(Problem, match="carries no anchors"):
        recheck.prepare(store, body)


def test_what_this_database_lacks_of_a_certificate_is_named_in_the_readers_language(
    store, certificate
):
    body = read(body_of(certificate))
    store.execute("update graders set name = 'other' where name = 'mine'")
    with pytest.raises(Problem, match="does not hold the judge mine of the certificate") as lacking:
        recheck.prepare(store, body)
    assert "judge" not in shown(str(lacking.value), "zh")


def test_replies_stored_before_are_anchors_enough_and_missing_ones_are_not_asked_unasked(
    store, judged_by_mine, tmp_path, mind_server
):
    found = panel(store, judged_by_mine)
    mine = judge_of(store, found, "mine")
    with pytest.raises(Problem, match="24 replies to the anchors are missing"):
        anchor_run.carried(store, found, mine, ANCHORS)
    assert invoke(store.path, "judge", tmp_path / "mine.toml", "--repeat", 3).exit_code == 0
    before = len(mind_server.seen)
    kept = anchor_run.carried(store, panel(store, judged_by_mine), mine, ANCHORS)
    assert len(kept.items) == ANCHORS and len(mind_server.seen) == before
    with pytest.raises(Problem, match="has scored 24 answers of sheet"):
        anchor_run.carried(store, found, mine, 30)


def test_the_draw_is_the_same_for_the_same_judge_and_sheet(store, judged_by_mine, tmp_path):
    assert invoke(store.path, "judge", tmp_path / "mine.toml", "--repeat", 2).exit_code == 0
    found = panel(store, judged_by_mine)
    mine = judge_of(store, found, "mine")
    again = anchor_run.carried(store, found, mine, ANCHORS, 2)
    assert anchor_run.carried(store, found, mine, ANCHORS, 2) == again
