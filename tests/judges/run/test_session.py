"""One judge from its name to the end of its run, as the verb `judge` tells it."""

import json
import subprocess
import sys

import pytest

from concord.judges.run import judging as session
from concord.judges.run.job import Options
from concord.judges.transport import rate_limit
from concord.judges.transport.batch_client import (
    object_of,
    read_status,
)
from concord.messages import Problem
from concord.store import batches, graders
from tests.support.commandline import judge_file as commandline_judge_file
from tests.support.endpoint import Endpoint
from tests.support.judges.rubric_runs import ended, never, scored, started, statuses
from tests.support.patience import until
from tests.support.source import ROOT
from tests.support.warm_server import Verb


def judge_file(folder, url, more=""):
    path = folder / "mine.toml"
    free = "price = 0\n" if "127.0.0.1" in url else ""
    path.write_text(
        f'name = "mine"\nmodel = "gpt-4o-mini"\nrubric = "doc-qa-0-3"\n{free}{more}\n'
        f'[endpoint]\nbase_url = "{url}"\n'
    )
    return str(path)


def test_a_free_run_never_asks_about_money(store, sheet, tmp_path):
    with Endpoint() as server:
        outcome = session.judge(store, judge_file(tmp_path, server.url), Options(), never)
    assert (outcome.status, outcome.failed) == ("done", False)
    assert json.loads(json.dumps(outcome.as_json()))["counts"]["statuses"] == {"scored": 108}


def test_a_run_that_costs_asks_first_and_no_is_no(store, sheet, tmp_path):
    asked = []
    path = judge_file(tmp_path, "https://api.openai.com/v1")
    session.judge(store, path, Options(), lambda said: bool(asked.append(said)))
    assert "36 requests" in asked[0] and "$" in asked[0]


def test_an_estimate_asks_nobody(store, sheet, tmp_path):
    path = judge_file(tmp_path, "https://api.openai.com/v1")
    outcome = session.judge(store, path, Options(only_estimate=True), never)
    assert outcome.status == "estimated" and outcome.estimate.calls == 36
    assert graders.of_kind(store, "judge") == []


def test_a_budget_without_a_price_is_refused(store, sheet, tmp_path):
    path = judge_file(tmp_path, "https://models.example/v1")
    options = Options(model="unheard-of", budget=1.0, yes=True)
    with pytest.raises(Problem):
        session.judge(store, path, options, never)


def test_a_judge_that_ran_from_a_file_is_known_by_its_name_without_the_file(store, sheet, tmp_path):
    with Endpoint() as server:
        path = judge_file(tmp_path, server.url)
        session.judge(store, path, Options(limit=2), never)
        (tmp_path / "mine.toml").unlink()
        outcome = session.judge(store, "mine", Options(), never)
        assert outcome.counts.calls == 34
        label = graders.find(store, "judge", "mine").label()
        assert session.judge(store, label, Options(), never).counts.calls == 0


def test_a_stored_judge_stays_the_same_when_the_address_in_the_environment_changes(
    store, sheet, tmp_path, monkeypatch
):
    path = tmp_path / "roaming.toml"
    path.write_text('name = "roaming"\nmodel = "m"\nrubric = "doc-qa-0-3"\nprice = 0\n')
    with Endpoint() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        session.judge(store, str(path), Options(limit=2), never)
        label = graders.find(store, "judge", "roaming").label()
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        assert session.prepare(store, label, Options()).settled == 2
        assert session.judge(store, label, Options(limit=3), never).counts.calls == 1
    assert session.prepare(store, str(path), Options()).settled == 0


def judged(db, *arguments) -> tuple[int, str, str]:
    """Exit code, output and errors of the verb, without a terminal."""
    verb = Verb(db, "judge", *arguments)
    out, errors = verb.communicate()
    return verb.returncode, out, errors


def test_the_verb_prints_one_json_document_and_says_by_its_exit_code_that_some_failed(
    store, sheet, tmp_path
):
    with Endpoint(faults={"429": 1.0}, retry_after_s=0.01) as server:
        path = judge_file(tmp_path, server.url)
        code, out, errors = judged(store.path, path, "--limit=1", "--json")
    assert code == 1, errors
    run = json.loads(out)["runs"][0]
    assert (run["judge"], run["counts"]["statuses"]) == ("mine", {"failed": 3})


def test_a_run_loads_no_library_of_statistics_from_its_start_to_its_last_word(
    store, sheet, tmp_path
):
    heavy = ("pandas", "numpy", "sklearn", "scipy", "streamlit", "plotly")
    script = (
        "import sys, cli\ntry:\n    cli.main()\nfinally:\n"
        f"    print(*[name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    with Endpoint() as server:
        words = ("--db", store.path, "judge", judge_file(tmp_path, server.url), "--limit=1")
        command = [sys.executable, "-c", script, *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stderr.split(), statuses(store, sheet)) == ([], {"scored": 3})


def test_no_judge_is_asked_by_scores_without_meanings(store, sheet, tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text(
        'name = "bare"\ntitle = "Bare"\nscale = [1, 2]\n[[criteria]]\nname = "quality"\n'
        'weight = 1\nquestion = "Quality"\n'
    )
    path = judge_file(tmp_path, "http://127.0.0.1:9/v1")
    with pytest.raises(Problem, match="Quality"):
        session.judge(store, path, Options(rubric=str(bare)), never)


CALLS = ("upload", "create", "list", "look", "cancel", "content")
ODD = [b"<html>busy</html>", b"\xff\xfe{", b"[7]"]
ODD_KEYS = [
    {"id": 7, "status": 5},
    {"id": "\ud800", "status": "\ud800"},
    {"request_counts": [1]},
    {"request_counts": {"total": "many", "completed": 1e400}},
    {"errors": {"data": [{"message": {"x": "\ud800"}}]}, "error_file_id": ["x"]},
    {"output_file_id": 5},
    {"data": 5},
    {"data": [None, {"metadata": "x"}, {"metadata": {"concord": []}}], "has_more": True},
]
CASES = [(call, odd) for call in CALLS for odd in ODD]
CASES += [("create", {"id": 7}), ("create", {"status": 5}), ("upload", {"id": "\ud800"})]
CASES += [("look", odd) for odd in ODD_KEYS[:6]] + [("list", odd) for odd in ODD_KEYS[6:]]
CASES += [(call, fault) for call in CALLS for fault in ("drop", "500")]
CASES += [("look", "huge"), ("content", "huge")]


def said(store, judge, **options):
    """What the verb says, whether it is a Problem or not; anything else is a fault of ours."""
    try:
        return session.judge(store, judge, Options(batch=True, limit=3, **options), never).said
    except Problem as problem:
        return str(problem)


@pytest.mark.parametrize(("call", "odd"), CASES, ids=lambda value: str(value)[:30])
def test_garbage_is_a_sentence_and_afterwards_the_batch_is_found_and_collected(
    call, odd, store, sheet, batch_server, batch_judge, monkeypatch
):
    monkeypatch.setattr(rate_limit, "backoff", lambda *_: 0.0)
    batch_server.garbles = {call: odd}
    heard = [said(store, batch_judge), said(store, batch_judge)]
    batch_server.finish()
    heard.append(said(store, batch_judge))
    batch_server.garbles = {}
    heard.append(said(store, batch_judge))  # hands over what could not be uploaded before
    batch_server.finish()
    heard.append(said(store, batch_judge))
    assert statuses(store, sheet) == {"scored": 9}, heard
    assert len(batch_server.made) == 1, heard
    assert all(one and "\n" not in one for one in heard)


def test_who_cancels_gives_results_up_that_cannot_be_read(store, sheet, batch_server, batch_judge):
    said(store, batch_judge)
    batch_server.finish()
    batch_server.garbles = {"content": b"<html>busy</html>", "cancel": b"<html>done</html>"}
    assert "--cancel-batch" in said(store, batch_judge)
    assert "3 not answered" in said(store, batch_judge, cancel_batch=True)
    batch_server.garbles = {}


ERROR = b'{"error": {"message": "No such thing.", "code": 500}}'


@pytest.mark.parametrize(
    "garbles",
    [
        {"look": b'{"error": "broken"}', "cancel": ERROR},
        {"look": {"status": "broken"}},
        {"look": {"id": 7, "status": 5}},
        {"look": {"status": "in_progress"}, "cancel": b'{"error": {"code": 405}}'},
        {"look": "drop", "cancel": "drop"},
        {"cancel": ERROR, "content": "500"},
    ],
    ids=str,
)
def test_a_batch_can_always_be_cancelled(
    garbles, store, sheet, batch_server, batch_judge, monkeypatch
):
    monkeypatch.setattr(rate_limit, "backoff", lambda *_: 0.0)
    said(store, batch_judge)
    batch_server.garbles = garbles
    said(store, batch_judge, cancel_batch=True)
    judge_id = graders.find(store, "judge", "mine").id
    assert batches.pending(store, sheet.id, judge_id) == []
    batch_server.garbles = {}
    said(store, batch_judge)  # the requests are free again
    batch_server.finish()
    said(store, batch_judge)
    assert statuses(store, sheet) == {"scored": 9}


def test_a_server_that_is_gone_leaves_the_batch_open(store, sheet, batch_server, batch_judge):
    said(store, batch_judge)
    batch_server.stop()
    assert len(batches.pending(store, sheet.id, graders.find(store, "judge", "mine").id)) == 1


def test_what_has_another_shape_was_not_said():
    told = read_status({"status": 5, "request_counts": {"completed": True}, "errors": {"data": {}}})
    assert told == ("", "", (), 0, 0, "")
    known = {"request_counts": {"completed": 2, "total": 3}, "output_file_id": "f"}
    assert read_status({"id": "b", "status": "in\n progress", **known}) == (
        *("b", "in progress", ("f",), 2, 3, ""),
    )
    assert object_of(b'{"id": "\\ud800"}') == {"id": "?"}


KEY = "sk-quite-secret-0123456789"


def asked_again(store, judge):
    return session.judge(store, judge, Options(batch=True), never)


def test_killed_while_handing_over_the_batch_is_found_again_and_not_made_twice(
    store,
    sixty,
    batch_server,
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    batch_server.behaviour.key = KEY
    mine = commandline_judge_file(tmp_path, batch_server.url)
    batch_server.slow_s = 3600.0
    running = started(store, mine, "--batch")
    until(lambda: batch_server.made)
    running.kill()
    running.communicate()
    batch_server.slow_s = 0.0
    asked_again(store, mine)
    assert (batch_server.creations, batch_server.uploads) == (1, 1)
    batch_server.finish()
    code, said = ended(started(store, mine, "--batch", "--json"))
    assert (code, json.loads(said)["runs"][0]["status"]) == (0, "done")
    assert (scored(store, sixty), len(batch_server.lines())) == (180, 60)
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert KEY.encode() not in written


def test_killed_while_uploading_the_same_questions_are_handed_over_then(
    store,
    sixty,
    batch_server,
    tmp_path,
):
    mine = commandline_judge_file(tmp_path, batch_server.url)
    batch_server.upload_s = 3600.0
    running = started(store, mine, "--batch")
    until(lambda: batch_server.uploads)
    running.kill()
    running.communicate()
    batch_server.upload_s = 0.0
    left = batches.get(store, 1)
    assert (left.status, left.file_id) == ("unsent", None)
    assert asked_again(store, mine).status == "pending" and batch_server.creations == 1
    batch_server.finish()
    asked_again(store, mine)
    assert (scored(store, sixty), len(batch_server.lines())) == (180, 60)
