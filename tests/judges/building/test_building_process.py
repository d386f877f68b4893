"""Drafting and answering as runs: on record, stopped, given another budget, killed, taken up."""

import json
import os
import signal
import threading

import pytest

from concord.building import drafts, open_questions
from concord.judges.building import drafting
from concord.judges.definition import prices, registry
from concord.judges.running import launch
from concord.judges.running.job import Options
from concord.judges.running.run_lock import is_running
from concord.messages import Problem
from concord.model import Question
from concord.store import runs, sheets
from concord.store.database import open_store
from tests.support.commandline import judge_file
from tests.support.endpoint import Endpoint
from tests.support.judges.building import DEAR, HARBOUR, filled, judge, writer
from tests.support.judges.rubric_runs import ended, never
from tests.support.patience import PATIENT_S, until
from tests.support.warm_server import Verb

BERTHS = [f"{HARBOUR} Berth {n} is free." for n in range(12)]


def words_of(server, *more):
    """The verb that drafts for the sheet port, with what it has already."""
    # What a server at another address than the judge file's costs is not known.
    local = ("--judge", "local", "--base-url", server.url, "--yes")
    return ("build", "--sheet", "port", *local, *more)


def latest(store, purpose="drafts"):
    """The newest run for the sheet port."""
    found = runs.newest_of_sheet(store, "port", purpose)
    return found[-1] if found else None


def waiting(store):
    return drafts.counts(store, "port")["waiting"]


def test_drafts_can_be_read_while_the_run_goes_on_and_a_stop_on_the_screen_is_heard(store):
    filled(store, *BERTHS)
    with Endpoint(write=writer, holds_from=5) as server:
        running = Verb(store.path, *words_of(server, "--concurrency", 2))
        until(lambda: waiting(store) == 4)
        row = latest(store)
        assert (row["status"], json.loads(row["scope"])["questions"]) == ("running", 1)
        runs.request_stop(store, row["id"])
        _code, _said = ended(running)
        assert latest(store)["status"] == "stopped"
        server.release()
        assert ended(Verb(store.path, *words_of(server)))[0] == 0
    assert waiting(store) == 12
    counts = json.loads(latest(store)["counts"])
    assert (latest(store)["status"], counts["before"], counts["done"]) == ("done", 4, 8)


def test_a_killed_run_is_closed_by_who_looks_and_goes_on_where_it_was(store):
    filled(store, *BERTHS)
    with Endpoint(write=writer, holds_from=6) as server:
        (local,) = registry.with_models(store, ["local"], [], server.url)
        work = drafting.prepare(store, "port", local, 1)
        place, given = work.place(), ("local", Options(base_url=server.url))
        launch.start(store, work, *given)
        with pytest.raises(Problem):
            launch.start(store, work, *given)
        until(lambda: waiting(store) == 5)
        assert launch.is_alive(store, place)
        os.kill(latest(store)["pid"], signal.SIGKILL)
        until(lambda: not launch.is_alive(store, place))
        assert not is_running(store, place)
        server.release()
        launch.start(store, work, *given)
        until(lambda: not launch.is_alive(store, place))
        assert launch.startup_error(store, place) == ""
        delivered = server.delivered
    assert (waiting(store), latest(store)["status"], len(delivered)) == (12, "done", 12)
    assert max(delivered.values()) <= 2


def test_what_a_process_says_before_its_run_begins_is_not_lost(store):
    filled(store, HARBOUR)
    work = drafting.prepare(store, "port", judge("http://127.0.0.1:9/v1"), 1)
    launch.start(store, work, "nowhere.toml", Options())
    until(lambda: not launch.is_alive(store, work.place()))
    assert "nowhere.toml" in launch.startup_error(store, work.place())


def test_a_budget_given_while_it_is_at_work_becomes_that_of_the_run(store, tmp_path):
    filled(store, *BERTHS)
    with Endpoint(write=writer, holds_from=1) as server:
        words = ("build", "--sheet", "port", "--judge", judge_file(tmp_path, server.url))
        running = Verb(store.path, *words)
        until(lambda: server.seen)
        _code, _said = ended(Verb(store.path, *words, "--budget", 5))
        server.release()
        assert ended(running)[0] == 0
        assert len(server.seen) == 12
    assert latest(store)["budget"] == 5.0


def test_a_run_that_would_end_by_its_budget_goes_on_when_that_is_raised(store, monkeypatch):
    """The first budget buys less than half; a request is held until the other is heard of."""
    filled(store, *BERTHS)
    monkeypatch.setattr(prices, "load", lambda: DEAR)
    outcome = []
    with Endpoint(write=writer, holds_from=2) as server:

        def work():
            with open_store(store.path) as own:
                how = Options(budget=2.5, yes=True, concurrency=1)
                silent = lambda said: None  # noqa: E731
                outcome.append(
                    drafting.draft(own, "port", judge(server.url), 1, how, never, silent)
                )

        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: len(server.seen) == 2)
        runs.set_budget(store, latest(store)["id"], 100.0)
        heard = latest(store)["heartbeat_at"]
        until(lambda: latest(store)["heartbeat_at"] > heard)
        beaten = latest(store)["heartbeat_at"]
        until(lambda: latest(store)["heartbeat_at"] > beaten)
        server.release()
        thread.join(PATIENT_S)
    assert (outcome[0].status, waiting(store)) == ("done", 12)


def asked_questions(store):
    """Twelve questions of a file, kept for the sheet port."""
    found = [
        Question(str(n), None, f"What is {n}?", (), ("A number",), (), False) for n in range(12)
    ]
    assert open_questions.add(store, "port", found, "q.csv") == 12
    return found


def test_answers_that_came_before_an_interrupt_are_in_the_sheet_and_the_rest_follows(
    store, interrupts
):
    asked_questions(store)
    local = ("--judge", "local", "--concurrency", 2, "--yes", "--base-url")
    words = ("build", "--answer", "--sheet", "port", *local)
    with Endpoint(write=writer, holds_from=7) as server:
        running = Verb(store.path, *words, server.url)
        until(lambda: (latest(store, "answers") or {"counts": "{}"})["counts"].count('"done": 6'))
        running.send_signal(signal.SIGINT)
        assert ended(running)[0] == 130
        assert sheets.find(store, "port").items == 6
        assert latest(store, "answers")["message"] == "Interrupted."
        server.release()
        assert ended(Verb(store.path, *words, server.url))[0] == 0
    assert sheets.find(store, "port").items == 12


def test_questions_of_a_file_are_kept_as_they_are_and_not_changed_in_silence(store):
    found = asked_questions(store)
    assert open_questions.of_sheet(store, "port") == found
    assert open_questions.add(store, "port", found[:3], "again.csv") == 0
    with pytest.raises(Problem):
        open_questions.add(store, "port", [found[3]._replace(text="What else?")], "q.csv")
    assert sheets.being_built(store) == ["port"]
