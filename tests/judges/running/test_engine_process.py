"""Runs as real processes against a real server: killed, interrupted, and with faults on the way."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from concord.judges.definition.toml import as_toml
from concord.judges.rubric_runs import session
from concord.judges.running import launch
from concord.judges.running.job import Options
from concord.judges.running.run_lock import of_judge
from concord.messages import is_message
from concord.store import graders, runs
from tests.support.commandline import judge_file
from tests.support.decision_endpoint import DecisionEndpoint
from tests.support.endpoint import Endpoint
from tests.support.judges.decisions import decision_judge
from tests.support.judges.processes import IN_FLIGHT, ended, scored, started
from tests.support.judges.rubric_runs import prepared
from tests.support.patience import until

KEY = "sk-quite-secret-0123456789"


@pytest.mark.parametrize("dialect", ["", "openai", "systemone"])
def test_killed_at_several_moments_and_resumed_only_what_is_missing_is_asked(
    store, sixty, tmp_path, dialect
):
    """Each time while the server keeps it waiting for the requests in flight."""
    with DecisionEndpoint() if dialect else Endpoint() as server:
        mine = judge_file(tmp_path, server.url)
        if dialect:
            Path(mine).write_text(as_toml(decision_judge(dialect, server.url, name="mine")))
        for asked in (1, 20, 45):
            server.release(before=asked)
            running = started(store, mine)
            until(lambda goal=asked: len(server.seen) >= goal)
            running.kill()
            running.communicate()
        server.release()
        assert ended(started(store, mine))[0] == 0
        delivered = server.delivered
    assert scored(store, sixty) == 180
    assert len(delivered) == 60
    assert sum(delivered.values()) <= 60 + 3 * IN_FLIGHT
    assert max(delivered.values()) <= 1 + 3
    states = [row["status"] for row in runs.of_sheet(store, sixty.id)]
    assert states == ["done", "stopped", "stopped", "stopped"]
    assert store.value("select count(*) from replies where status = 'scored'") == 60
    assert store.value("select count(*) from grades") == 180


def test_an_interrupted_run_says_so_keeps_what_landed_and_goes_on(
    store, sixty, tmp_path, interrupts
):
    with Endpoint(holds_from=21) as server:
        mine = judge_file(tmp_path, server.url)
        running = started(store, mine)
        until(lambda: len(server.seen) > 20)
        running.send_signal(signal.SIGINT)
        code, said = ended(running)
        assert (code, "Traceback" in said) == (130, False)
        assert runs.of_sheet(store, sixty.id)[0]["message"] == "Interrupted."
        before = store.value("select count(*) from replies")
        assert before >= 20 - IN_FLIGHT
        server.release()
        assert ended(started(store, mine))[0] == 0
        assert sum(server.delivered.values()) <= 60 + IN_FLIGHT
    assert scored(store, sixty) == 180


def test_two_processes_at_once_do_not_ask_twice(store, sixty, tmp_path):
    with Endpoint(holds_from=1) as server:
        mine = judge_file(tmp_path, server.url)
        both = [started(store, mine), started(store, mine)]
        until(lambda: any(running.poll() is not None for running in both))
        server.release()
        said = sorted(ended(running) for running in both)
        assert [code for code, _ in said] == [0, 2]
        assert said[1][1].count("\n") == 1
        assert (len(server.seen), max(server.delivered.values())) == (60, 1)


def test_a_budget_given_while_the_judge_is_at_work_becomes_that_of_the_run(store, sixty, tmp_path):
    with Endpoint(holds_from=1) as server:
        mine = judge_file(tmp_path, server.url)
        running = started(store, mine)
        until(lambda: server.seen)
        _code, _said = ended(started(store, mine, "--budget", "5"))
        server.release()
        assert ended(running)[0] == 0
        assert len(server.seen) == 60
    assert [row["budget"] for row in runs.of_sheet(store, sixty.id)] == [5.0]


@pytest.mark.parametrize(
    ("behaviour", "more", "sentence"),
    [
        ({"key": "sk-right"}, "", "asks for a key"),
        ({"models": frozenset({"other"})}, "", "has no model “m”"),
        ({"refuses": frozenset({"temperature"})}, "temperature = 0.1", "refuses `temperature`"),
    ],
)
def test_what_every_request_would_meet_stops_at_once_and_fails_nothing(
    behaviour, more, sentence, store, sixty, tmp_path
):
    with Endpoint(**behaviour) as server:
        code, said = ended(started(store, judge_file(tmp_path, server.url, more)))
        assert len(server.seen) <= IN_FLIGHT
    assert (code, said.count("\n")) == (2, 1)
    assert sentence in said
    assert store.value("select count(*) from grades") == 0


def test_an_address_where_nothing_answers_is_one_sentence(store, sixty, tmp_path):
    code, said = ended(started(store, judge_file(tmp_path, "http://127.0.0.1:9/v1")))
    assert (code, said.count("\n")) == (2, 1)
    assert "base_url" in said


def test_the_app_starts_a_run_that_the_store_tells_of(store, sixty, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Endpoint(holds_from=1, key=KEY) as server:
        mine = judge_file(tmp_path, server.url)
        options = Options(sheet_name="sixty", concurrency=4)
        job = session.prepare(store, mine, options)
        launch.start(store, job, mine, options)
        grader_id = graders.find(store, "judge", "mine").id
        place = of_judge(sixty.id, grader_id)
        assert launch.is_alive(store, place)
        until(lambda: place.newest(store) is not None)
        assert launch.startup_error(store, place) == ""
        server.release()
        until(lambda: not launch.is_alive(store, place))
        assert place.newest(store)["status"] == "done"
        assert launch.startup_error(store, place) == ""
    assert scored(store, sixty) == 180
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"sixty" in written and KEY.encode() not in written


def test_what_a_process_says_before_its_run_begins_is_not_lost(store, sixty, tmp_path):
    mine = judge_file(tmp_path, "http://127.0.0.1:9/v1")
    options = Options(sheet_name="sixty")
    job = session.prepare(store, mine, options)
    Path(mine).unlink()
    launch.start(store, job, mine, options)
    place = of_judge(sixty.id, graders.find(store, "judge", "mine").id)
    until(lambda: not launch.is_alive(store, place))
    assert "mine.toml" in launch.startup_error(store, place)
    assert launch.startup_error(store, place).count("\n") == 0
    (why,) = launch.startup_error(store, place).values.values()
    assert is_message(why) and why.values


def test_a_second_start_is_told_that_the_first_is_at_work(store, sixty, tmp_path):
    with Endpoint(holds_from=1) as server:
        mine = judge_file(tmp_path, server.url)
        options = Options(sheet_name="sixty")
        job = session.prepare(store, mine, options)
        launch.start(store, job, mine, options)
        with pytest.raises(session.Problem):
            launch.start(store, job, mine, options)
        place = of_judge(sixty.id, graders.find(store, "judge", "mine").id)
        until(lambda: place.newest(store) is not None)
        os.kill(place.newest(store)["pid"], signal.SIGKILL)
        until(lambda: not launch.is_alive(store, place))


def test_the_command_line_is_the_verb_with_the_same_options(store, sixty, rubric):
    options = Options(
        *("a sheet", "gpt-x", "http://127.0.0.1:1/v1", "r", 4, 2, 10, 1.5),
        *(False, True, True, True, True),
    )
    job = replace(prepared(store, sixty, rubric), sheet=sixty._replace(name="-s"))
    said = job.command("concord.db", "-odd-name", options)
    assert said[1:3] == ["-m", "concord"]
    assert said[3:] == [
        "--db",
        str(Path("concord.db").resolve()),
        "judge",
        "--sheet=-s",
        "--model=gpt-x",
        "--base-url=http://127.0.0.1:1/v1",
        "--rubric=r",
        "--concurrency=4",
        "--repeat=2",
        "--limit=10",
        "--budget=1.5",
        "--retry-unscored",
        "--batch",
        "--cancel-batch",
        "--yes",
        "--",
        "-odd-name",
    ]
