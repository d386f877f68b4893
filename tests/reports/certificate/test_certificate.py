"""Certificates: what they say, whom they refuse, when they are void, and making them again."""

import json
from datetime import date

import pytest

from concord.definitions import digest
from concord.exporting import exported_tables
from concord.judges.definition import model
from concord.messages import Problem
from concord.reports import gate
from concord.reports.certificate import certificate as certificates
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import of_sheet, read
from concord.reports.certificate.certificate import page as page_of
from concord.reports.certificate.certificate_status import status
from concord.reports.certificate.certification import remarks
from concord.reports.decision import choose
from concord.reports.decision.verdict import Terms
from concord.reports.panel.choice import judge_of
from concord.reports.reliability.reliability import of_judge
from concord.sampling import holdout, split_assignment, splits
from concord.store import decisions, graders, runs, sheets
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.panels import give, panel
from tests.support.reports.choices import LOOSE, MIND_QUESTIONS, look

TODAY = date(2026, 11, 20)


def certified(store, rubric, name="cheap", **more) -> dict:
    found = panel(store, rubric)
    body = certification.certify(store, found, judge_of(store, found, name), **more)
    return json.loads(json.dumps(body.document))


def kept(store) -> dict:
    """The certificate that is written already."""
    (body,) = of_sheet(store, 1)
    return json.loads(json.dumps(body.document))


def stands(store, body, on=TODAY, now=None):
    return status(store, read(body), on, now)


def page(body, *state):
    return page_of(read(body), *state)


def test_a_judge_that_is_good_enough_is_certified_with_everything_it_rests_on(store, decided):
    body = certified(store, decided)
    assert (body["certified"], body["verdict"], body["why_not"]) == (True, "good_enough", None)
    look = body["decision"]["look"]
    assert look["margin"] == 0.15 and look["looks"] == 1
    assert [one["name"] for one in body["tried"]] == ["dear", "cheap"]
    assert [(one["name"], one["grades"]) for one in body["annotators"]["named"]] == [
        ("Ana", 360),
        ("Ben", 360),
    ]
    assert body["annotators"]["blind_share"] == 1 and body["annotators"]["unknown_share"] == 0
    assert body["rubric"]["criteria"][0]["weight"] == "3/5"
    assert [row["criterion"] for row in body["rows"]][-1] == "composite"
    assert body["rows"][0]["worst_case"]["exact"]["value"] <= body["rows"][0]["exact"]["value"]
    assert stands(store, body) == ("holds", [])


def test_without_a_decision_the_figures_are_said_and_nothing_is_certified(store, close_judges):
    body = certified(store, close_judges)
    assert body["certified"] is False and body["rows"][0]["exact"]["value"] > 0.8
    assert stands(store, body).state == "not_certified"
    assert "Calibration record" in page(body)


def test_after_new_grades_a_look_is_wanted_first(store, written):
    give(store, written, "Cora", dict.fromkeys(range(120), 0), blind=True)
    body = certified(store, written)
    assert not body["certified"]


def test_a_reference_judge_of_which_nothing_was_asked_is_not_certified(store, close_judges):
    found = panel(store, close_judges, "Ana")
    against = judge_of(store, found, "dear")
    for nothing in (Terms(0.2), Terms(0.2, 0.0)):
        choose.look(store, found, choose.fix(store, found, against, nothing))
        body = certification.certify(store, found, against)
        assert not body.certified
    choose.look(store, found, choose.fix(store, found, against, Terms(0.2, 0.6)))
    assert certification.certify(store, found, against).certified


def test_a_judge_that_is_not_good_enough_on_another_criterion_is_not_certified(store, half_good):
    with pytest.raises(Problem, match="readability"):
        certified(store, half_good)
    assert decisions.certificates_of_sheet(store, 1) == []
    said = invoke(store.path, "certificate", "cheap")
    assert said.exit_code == 2


def test_sealed_questions_stay_closed_where_another_criterion_is_not_good_enough(store, half_good):
    sheet = sheets.all_sheets(store)[0]
    last = [row["id"] for row in splits.of_sheet(store, sheet.id)][-25:]
    store.execute("delete from openings")
    split_assignment.assign(store, last, "held-out", "for the review")
    with pytest.raises(Problem, match="readability"):
        certified(store, half_good, why="the review")
    assert holdout.openings(store, sheet) == []


def test_criteria_that_are_named_are_certified_and_stand_in_the_title(store, half_good):
    body = certified(store, half_good, criteria=["correctness"])
    assert body["certified"] and body["criteria"] == ["correctness"]
    assert "<h1>Certificate of cheap: correctness</h1>" in page(body)
    listed = [(row["criterion"], row["verdict"], row["figure"]) for row in body["decisions"]]
    assert listed == [("readability", "not", "exact"), ("correctness", "good_enough", "exact")]
    assert body["decisions"][0]["estimate"]["value"] < 0.2
    day = body["decisions"][0]["looked_at"][:10]
    assert stands(store, body) == ("holds", [])
    other = body["decisions"][0] | {"rubric": "strict", "criterion": "correctness"}
    made = panel(store, half_good)
    told = remarks(made, judge_of(store, made, "cheap"), read(body | {"decisions": [other]}))
    assert f"Not certified: correctness (strict), not good enough on {day}." in told
    one, found = read(body), stands(store, body)
    held = gate.of_certificate(one, found, {}, "readability")
    assert not held.holds and "not cover readability" in held.reasons[0]
    assert gate.of_certificate(one, found, {}, "correctness").holds
    easy = {"exact": 0.01}
    for named in (None, "correctness"):
        held = gate.of_certificate(one, found, easy, named)
        assert held.holds and [check["criterion"] for check in held.checks] == ["correctness"]
        assert "readability" in held.not_certified
    held = gate.of_certificate(one, found, easy, "readability")
    assert not held.holds and not held.checks


def test_a_criterion_without_a_decision_cannot_be_certified(store, half_good):
    why = r"No interim look was taken at a decision on comprehensiveness"
    with pytest.raises(Problem, match=why):
        certified(store, half_good, criteria=["comprehensiveness"])
    with pytest.raises(Problem, match="wit"):
        certified(store, half_good, criteria=["wit"])


def test_every_criterion_on_which_it_is_good_enough_is_certified(store, close_judges):
    for criterion in ("readability", "correctness"):
        look(store, close_judges, criterion)
    body = certified(store, close_judges)
    assert body["certified"] and body["criteria"] == ["correctness", "readability"]
    assert body["decision"]["look"]["criterion"] == "correctness"
    assert [one["look"]["criterion"] for one in body["further_decisions"]] == ["readability"]
    assert "Certificate of cheap: correctness, readability" in page(body)


def test_the_newest_verdict_on_a_criterion_counts(store, close_judges):
    look(store, close_judges, "readability")
    assert certified(store, close_judges)["certified"]
    look(store, close_judges, "readability", LOOSE._replace(minimum=0.99))
    with_minimum = certified(store, close_judges)
    assert not with_minimum["certified"] and with_minimum["criteria"] == ["readability"]


def test_simulated_judges_simulated_annotators_and_the_baseline_are_never_certified(
    store, close_judges
):
    graders.ensure(store, "judge", "sim", simulated=True)
    give(store, close_judges, "sim", {0: 1}, kind="judge")
    give(store, close_judges, "baseline", {0: 1}, kind="judge")
    for name, why in (("sim", "simulated"), ("baseline", "cannot be certified")):
        with pytest.raises(Problem, match=why):
            certified(store, close_judges, name)
    give(store, close_judges, "simone", {0: 1})
    found = panel(store, close_judges, "simone")
    with pytest.raises(Problem, match="Simulated annotators: simone"):
        certification.certify(store, found, judge_of(store, found, "cheap"))


def test_every_figure_is_made_again_from_an_export_whatever_was_graded_since(
    store, written, tmp_path
):
    body = kept(store)
    give(store, written, "Cora", dict.fromkeys(range(120), 0), blind=True)
    exported_tables.export(store, tmp_path / "out", every=True)
    found = certification.verify(read(body), tmp_path / "out")
    assert found["holds"] and found["unchanged"] and found["figures"] > 1000


def _reworded(body, sentence="a sentence of a later version"):
    """Return a certificate, signed, with other sentences for its reasons and warnings."""
    if isinstance(body, list):
        return [_reworded(one, sentence) for one in body]
    if not isinstance(body, dict):
        return body
    return {
        key: sentence if key in ("why_none", "note") and one else _reworded(one, sentence)
        for key, one in body.items()
    }


def _signed_again(body):
    covered = {key: one for key, one in body.items() if key not in ("id", "digest")}
    return read(body | {"digest": digest(covered)})


def test_a_reworded_reason_still_verifies_and_another_code_or_figure_does_not(
    store, written, tmp_path
):
    body = json.loads(json.dumps(kept(store)))
    exported_tables.export(store, tmp_path / "out", every=True)
    reasons = [row["exact"]["why_none"] for row in body["rows"] if row["exact"]["why_none"]]
    assert reasons
    reworded = _signed_again(_reworded(body))
    assert certification.verify(reworded, tmp_path / "out")["holds"]
    row = next(row for row in body["rows"] if row["exact"]["why_none"])
    row["exact"]["why_code"] = "nothing_to_compare"
    found = certification.verify(_signed_again(body), tmp_path / "out")
    assert not found["holds"] and found["unchanged"]
    assert [one["figure"] for one in found["differences"]] == ["rows[composite].exact.why_code"]
    body = json.loads(json.dumps(kept(store)))
    body["rows"][0]["note"] = "This sheet cannot calibrate correctness."
    body["rows"][0]["n"] += 1
    found = certification.verify(_signed_again(body), tmp_path / "out")
    assert [one["figure"] for one in found["differences"]] == [
        "rows[correctness].n",
        "rows[correctness].note",
    ]


def test_what_is_read_of_a_certificate_is_what_its_digest_covers(store, decided):
    body = certified(store, decided)
    one = read(body)
    assert one.unchanged and one.document == body
    assert not read(body | {"criteria": []}).unchanged


def test_a_grade_that_was_changed_in_the_export_is_found(store, written, tmp_path):
    body = kept(store)
    store.execute("update grades set score = 3 - score where id <= 3")
    exported_tables.export(store, tmp_path / "out", every=True)
    found = certification.verify(read(body), tmp_path / "out")
    assert not found["holds"] and found["unchanged"] and found["differences"]


def test_what_is_no_certificate_or_no_export_is_a_problem(store, written, tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(Problem, match=r"x.json"):
        certificates.load(tmp_path / "x.json")
    (tmp_path / "y.json").write_text("{")
    with pytest.raises(Problem, match=r"y.json"):
        certificates.load(tmp_path / "y.json")
    with pytest.raises(Problem, match="nowhere"):
        certificates.load(tmp_path / "nowhere.json")
    with pytest.raises(Problem, match=r"sheets.parquet"):
        certification.verify(read(kept(store)), tmp_path)


def test_a_certificate_expires(store, decided):
    body = certified(store, decided, days=10)
    assert stands(store, body, date.fromisoformat(body["expires_at"])).state == "holds"
    assert stands(store, body, date(2100, 1, 1)).state == "expired"


def test_a_certificate_is_void_when_another_judge_goes_by_the_name(store, written):
    body = kept(store)
    graders.ensure(store, "judge", "cheap", "f" * 16)
    found = stands(store, body)
    changed = "cheap is now a different judge (ffffffff; certified: unknown)."
    assert found.state == "void" and found.reasons[0].startswith(changed)


def test_a_certificate_is_void_when_the_rubrics_words_change(store, written):
    body = kept(store)
    changed = written.model_dump()
    changed["criteria"][0]["question"] = "Is it right?"
    rubric_versions.register(store, type(written).model_validate(changed), "app")
    found = stands(store, body)
    assert found.state == "void"


def test_a_certificate_is_void_when_the_judges_file_says_otherwise(store, written):
    asked = model.presets()["gpt-6-luna-zero-shot"]
    body = kept(store)
    body["judge"]["definition"] = json.loads(asked.body())
    assert stands(store, body, now=asked).state == "holds"
    warmer = asked.with_overrides(model="another")
    found = stands(store, body, now=warmer)
    assert found.state == "void" and "model" in found.reasons[0]


def test_sealed_questions_are_opened_for_a_certificate_once_and_on_the_record(store, decided):
    sheet = sheets.all_sheets(store)[0]
    last = [row["id"] for row in splits.of_sheet(store, sheet.id)][-25:]
    store.execute("delete from openings")
    split_assignment.assign(store, last, "held-out", "for the review")
    body = certified(store, decided, why="the review", who="Lea")
    assert body["questions"]["split"] == "held-out"
    assert body["questions"]["opening"]["questions"] == 25
    assert body["rows"][0]["questions"] == 25 and body["decision"]["look"]["questions"] == 25
    opening = holdout.openings(store, sheet)[0]
    assert (opening.who, opening.certificate_id) == ("Lea", body["id"])


def test_the_verbs_write_verify_and_gate(store, decided, tmp_path):
    said = invoke(store.path, "certificate", "cheap", "--json", "--html", tmp_path / "page.html")
    assert said.exit_code == 0 and "Certificate of cheap" in (tmp_path / "page.html").read_text()
    file = tmp_path / "cheap.json"
    file.write_text(said.stdout, encoding="utf-8")
    assert of_sheet(store, 1)[0].digest == json.loads(said.stdout)["digest"]
    assert invoke(store.path, "export", "--all", tmp_path / "out").exit_code == 0
    assert invoke(store.path, "verify", file, "--from", tmp_path / "out").exit_code == 0
    assert invoke(store.path, "gate", "--certificate", file).exit_code == 0
    assert invoke(store.path, "gate", "--certificate", file, "--exact", "0.95").exit_code == 1
    short = tmp_path / "short.json"
    short.write_text(json.dumps({"digest": "", "rests_on": {}, "format": 3}), encoding="utf-8")
    for words in (["gate", "--certificate", short], ["verify", short, "--from", tmp_path / "out"]):
        refused = invoke(store.path, *words)
        assert refused.exit_code == 2
    other = tmp_path / "other.db"
    passed = invoke(other, "gate", "--certificate", file, "--failure-recall", "0.5")
    assert passed.exit_code == 0
    assert invoke(store.path, "gate").exit_code == 2
    file.write_text(said.stdout.replace('"value": 0.9', '"value": 0.8', 1), encoding="utf-8")
    assert invoke(store.path, "verify", file, "--from", tmp_path / "out").exit_code == 1
    gated = invoke(store.path, "gate", "--certificate", file)
    assert gated.exit_code == 1


def test_what_names_say_cannot_run_in_the_page(store, written):
    body = kept(store) | {"remarks": ["<script>alert(1)</script>"]}
    assert "<script" not in page(body)


def test_a_certificate_and_its_page_say_how_many_answers_are_synthetic(store, decided):
    with store.write():
        store.execute("update items set synthetic = 1 where id <= 12")
    body = certified(store, decided)
    assert "12 of 120 answers synthetic" in json.dumps(body)
    assert "12 of 120 answers synthetic" in page(body)


SCORES = 3 * MIND_QUESTIONS  # three criteria, of every question since there are fewer than 30


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
    assert found["scores"] == SCORES and found["asked"] == 3 * MIND_QUESTIONS
    assert len(mind_server.seen) == before + 3 * MIND_QUESTIONS
    assert found["noticeable"] <= 0.1
    assert (found["recheck"], found["rechecks"]) == (1, 90)
    assert found["void_at"] == pytest.approx(0.05 / 90)
    assert asked_again(store, certificate)[1]["recheck"] == 2
    assert len(mind_server.seen) == before + 6 * MIND_QUESTIONS  # nothing comes from the cache


def test_a_judge_that_changed_is_void_and_so_is_its_certificate(store, certificate, mind):
    mind.changed = True
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], found["seen"]) == (1, "void", SCORES)
    assert found["p_value"] == pytest.approx(0.25**MIND_QUESTIONS)
    stands = standing(store, body_of(certificate), TODAY)
    assert stands.state == "void" and "Void: " in stands.reasons[0]
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
    assert found["p_value"] == pytest.approx(0.1**MIND_QUESTIONS)


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


def test_replies_that_did_not_come_are_asked_for_by_the_same_command(
    store, certificate, mind_server
):
    mind_server.behaviour.faults = {"filter": 0.0, "401": 1.0}
    assert invoke(store.path, "recheck", certificate).exit_code == 2
    mind_server.behaviour.faults = {}
    before = len(mind_server.seen)
    assert asked_again(store, certificate)[1]["verdict"] == "renewed"
    assert len(mind_server.seen) == before + 3 * MIND_QUESTIONS
    first = [runs.scope(row).get("first_repeat") for row in runs.of_sheet(store, 1)]
    assert first[:2] == [2, 2]


def test_a_rechecked_certificate_verifies_and_a_changed_one_is_void(
    store, certificate, tmp_path, mind_server
):
    asked_again(store, certificate)
    assert invoke(store.path, "export", "--all", tmp_path / "out").exit_code == 0
    said = invoke(store.path, "verify", certificate, "--from", tmp_path / "out")
    assert said.exit_code == 0, said.output
    body, before = body_of(certificate), len(mind_server.seen)
    body["rests_on"]["grades"] += 1
    certificate.write_text(json.dumps(body), encoding="utf-8")
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], len(mind_server.seen)) == (1, "void", before)


def test_what_a_recheck_brings_says_nothing_of_how_steady_the_judge_was(
    store, judged_by_mine, tmp_path, mind
):
    assert invoke(store.path, "judge", tmp_path / "mine.toml", "--repeat", 2).exit_code == 0
    written = invoke(store.path, "certificate", "mine", "--json").stdout
    (tmp_path / "c.json").write_text(written, encoding="utf-8")

    def steady():
        read = panel(store, judged_by_mine)
        (judge,) = (one for one in read.judges.values() if one.name == "mine")
        return [of_judge(read, judge.id, name) for name in read.rubric.versions()]

    before = steady()
    mind.changed = True
    asked_again(store, tmp_path / "c.json")
    assert store.value("select max(repeat) from grades") > before[0].repeats > 1
    assert steady() == before


def test_another_judge_under_the_name_is_void_and_nothing_is_asked(store, certificate, mind_server):
    graders.ensure(store, "judge", "mine", "f" * 16)
    before = len(mind_server.seen)
    code, found = asked_again(store, certificate)
    assert (code, found["verdict"], len(mind_server.seen)) == (1, "void", before)


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
    assert standing(store, body, TODAY).state == "void"


def test_a_certificate_is_of_the_judge_with_its_fingerprint_alone():
    certified = read({"judge": {"name": "mine", "fingerprint": "a" * 16}})

    def found(label, letter):
        return certified.is_of(read({"judge": label, "fingerprint": letter * 16}))

    assert found("mine", "a") and found(f"mine@{'a' * 16}", "a")
    assert not found(f"mine@{'b' * 16}", "b") and not found("other", "a")
