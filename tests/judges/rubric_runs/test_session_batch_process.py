"""Batches by the verb in a process of its own: killed between handing over and collecting."""

import json

from concord.judges.rubric_runs import session
from concord.judges.running import launch
from concord.judges.running.job import Options
from concord.judges.running.run_lock import of_judge
from concord.reports.workflow import judge_state, run_offer
from concord.store import batches, graders
from tests.support.commandline import judge_file
from tests.support.judges.processes import ended, scored, started
from tests.support.judges.sessions import never
from tests.support.patience import until

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
    mine = judge_file(tmp_path, batch_server.url)
    batch_server.slow_s = 3600.0
    running = started(store, mine, "--batch")
    until(lambda: batch_server.made)
    running.kill()
    running.communicate()
    batch_server.slow_s = 0.0
    assert "0 of 60 requests answered" in asked_again(store, mine).said
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
    mine = judge_file(tmp_path, batch_server.url)
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


def test_the_app_polls_and_collects_in_a_process_of_its_own(
    store,
    sixty,
    batch_server,
    tmp_path,
):
    mine = judge_file(tmp_path, batch_server.url)
    asked_again(store, mine)
    grader = graders.find(store, "judge", "mine")
    handed = judge_state.state(store, sixty.id, grader)
    options = Options(sheet_name="sixty", batch=True)
    job = session.prepare(store, mine, options)
    launch.start(store, job, mine, options)
    until(lambda: not launch.is_alive(store, of_judge(sixty.id, grader.id)))
    polled = judge_state.state(store, sixty.id, grader)
    assert (polled.phase, polled.message) == ("done", handed.message)  # no news is no trouble
    assert "validating, 0 answered" in run_offer.batch_line(polled.waiting[0])
    batch_server.finish()
    launch.start(store, job, mine, options)
    until(lambda: not launch.is_alive(store, of_judge(sixty.id, grader.id)))
    collected = judge_state.state(store, sixty.id, grader)
    assert (collected.words(), collected.waiting) == ("60 requests done", ())
    assert collected.counts.cost == 0 and scored(store, sixty) == 180
