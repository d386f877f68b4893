"""How a run ends: for good, by its budget, by request, by an interrupt, by a fault."""

import asyncio
import os
import signal
import threading

import pytest

from concord.judges.running import run_lock, run_loop, writer
from concord.judges.running.progress import Counts
from concord.judges.running.run_loop import Budget
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.response import Answer
from concord.messages import Problem, for_screen
from concord.store import graders, runs, sheets
from concord.store.database import Store, open_store
from tests.support.fakejudge import PRICED, Fake, completion, good, judge, run_rubric
from tests.support.judges.rubric_runs import in_background, last_run, prepared, replies, statuses
from tests.support.patience import PATIENT_S, until


@pytest.mark.parametrize("at", [0, 7])
def test_an_endpoint_that_refuses_for_good_stops_the_run_and_fails_nothing(
    at, store, sheet, rubric
):
    def reply(body, _):
        if len(fake.bodies) > at:
            raise EndpointProblem("The key is refused. Set another.")
        return good(body)

    fake = Fake(reply)
    with pytest.raises(Problem):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=2)
    assert len(fake.bodies) <= at + 2
    row = last_run(store, sheet)
    assert (row["status"], row["message"]) == ("failed", "The key is refused. Set another.")
    found = statuses(store, sheet)
    assert set(found) <= {"scored"} and found["scored"] >= 3 * (at - 2)


def test_many_failures_in_a_row_break_the_circuit(store, sheet, rubric):
    fake = Fake(lambda *_: Answer("failed", "No reply within 9 s."))
    with pytest.raises(Problem):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=2)
    assert len(fake.bodies) <= 22
    assert last_run(store, sheet)["status"] == "failed"


def test_a_refusal_that_every_first_request_meets_stops_the_run_after_the_first_few(
    store, sheet, rubric
):
    refused = Answer("failed", "The server answered 400: Bad request.", http_status=400)
    fake = Fake(lambda *_: refused, seconds=0.01)
    with pytest.raises(Problem, match=r"refused the first 3 requests.*400: Bad request"):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=16)
    assert len(fake.bodies) <= 3 + run_loop.FIRST_REQUESTS
    assert last_run(store, sheet)["status"] == "failed"
    # What was refused is asked last, so that it cannot keep the others from being judged.
    first = list(fake.bodies)
    fake = Fake(lambda body, _: refused if body in first else good(body))
    ended = run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=16)
    assert ended.counts.statuses == {"scored": 3 * (36 - len(first)), "failed": 3 * len(first)}


def test_a_refusal_after_the_first_reply_concerns_one_answer(store, sheet, rubric):
    refused = Answer("failed", "The server answered 400: Bad request.", http_status=400)
    fake = Fake(lambda body, _: refused if 1 < len(fake.bodies) < 18 else good(body))
    ended = run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=1)
    assert (ended.status, ended.counts.done) == ("done", 36)


@pytest.mark.parametrize("refused", [1, 2, 3])
def test_a_run_ends_where_what_is_left_after_the_first_refusals_asks_nothing(refused):
    found = run_loop.RunState(Budget(None), Counts(total=6), {})

    async def work(task):
        await asyncio.sleep(0)
        if task < refused:
            found.note_status("failed", "The server answered 400.", rejected=True)

    async def beat():
        pass

    async def go():
        await asyncio.wait_for(run_loop.run_workers(found, range(6), 6, work, beat), 5)

    asyncio.run(go())
    assert found.in_flight == 0
    assert bool(found.problem) is (refused == run_loop.FIRST_REQUESTS)


def test_answers_that_all_do_not_fit_the_server_stop_the_run_before_it_asked_them_all(
    store, sheet, rubric
):
    fake = Fake(lambda *_: Answer("too_long", "The prompt does not fit."))
    told = r"20 answers in a row do not fit.*The prompt does not fit.*larger.*retry-unscored"
    with pytest.raises(Problem, match=told) as ended:
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=2)
    for_screen(ended.value.on_screen)
    assert len(fake.bodies) <= 22
    assert len(prepared(store, sheet, rubric).pending) >= 14


def test_failures_among_successes_do_not_break_it(store, sheet, rubric):
    def reply(body, _):
        return good(body) if len(fake.bodies) % 5 == 0 else Answer("failed", "Broken.")

    fake = Fake(reply)
    assert run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=1).status == "done"


def priced(model="gpt-4o-mini"):
    return judge(url=PRICED).with_overrides(model)


def test_the_budget_holds_but_for_the_requests_in_flight(store, sheet, rubric):
    tokens = (1_000_000, 0)  # $0.15 a call
    fake = Fake(lambda body, _: completion(_text(body), tokens=tokens), seconds=0.01)
    job = prepared(store, sheet, rubric, priced())
    ended = run_rubric(store, job, fake, budget=1.0, concurrency=4)
    assert ended.status == "stopped"
    assert 0.6 < ended.counts.cost <= 1.0
    row = last_run(store, sheet)
    assert (row["status"], row["budget"]) == ("stopped", 1.0)
    assert len(prepared(store, sheet, rubric, priced()).pending) == 36 - ended.counts.done


def _text(body):
    return good(body).completion["choices"][0]["message"]["content"]


def test_a_small_budget_is_used_up_although_many_workers_wait(store, sheet, rubric):
    """What is expected of calls in flight is held back only until they have landed."""
    fake = Fake(lambda body, _: completion(_text(body), tokens=(1, 1)), seconds=0.01)
    job = prepared(store, sheet, rubric, priced())
    ended = run_rubric(store, job, fake, budget=0.004, concurrency=36)
    assert (ended.status, ended.counts.done) == ("done", 36)
    assert fake.most_in_flight < 36


def test_the_budget_of_a_run_that_is_going_on_can_be_raised(store, sheet, rubric):
    """Six calls at $0.15 fit the first budget; during the third it is raised, and heard of."""
    raised, heartbeats = threading.Event(), []

    def reply(body, _):
        if len(fake.bodies) == 3:
            with open_store(store.path) as own:
                runs.set_budget(own, last_run(own, sheet)["id"], 100.0)
            raised.set()
        return completion(_text(body), tokens=(1_000_000, 0))

    def beaten(_):
        if raised.is_set():
            heartbeats.append(1)

    # The heartbeat after the next has looked at the budget since it was raised.
    fake = Fake(reply, until=lambda: len(fake.bodies) < 4 or len(heartbeats) > 1)
    job = prepared(store, sheet, rubric, priced(), limit=9)
    ended = run_rubric(store, job, fake, budget=1.0, concurrency=1, report=beaten)
    assert (ended.status, ended.counts.done) == ("done", 9)
    assert last_run(store, sheet)["budget"] == 100.0


def test_a_budget_of_nothing_buys_nothing(store, sheet, rubric):
    fake = Fake()
    ended = run_rubric(store, prepared(store, sheet, rubric, priced()), fake, budget=0.0)
    assert (ended.status, fake.bodies) == ("stopped", [])


def test_replies_without_usage_count_towards_the_budget_as_expected(store, sheet, rubric):
    fake = Fake(lambda body, _: good(body)._replace(usage=None), seconds=0.001)
    job = prepared(store, sheet, rubric, priced())
    ended = run_rubric(store, job, fake, budget=0.005, concurrency=2)
    assert ended.status == "stopped" and 0 < len(fake.bodies) < 36
    assert ended.counts.money() == "cost unknown"


def test_a_stop_request_is_heard_within_two_heartbeats_which_is_a_second(store, sheet, rubric):
    """The second request is in flight until two heartbeats have passed; then it lands."""
    stop, heartbeats = threading.Event(), []

    def beaten(_):
        if stop.is_set():
            heartbeats.append(1)

    fake = Fake(until=lambda: len(fake.bodies) < 2 or len(heartbeats) > 1)
    job = prepared(store, sheet, rubric)
    thread, _outcome = in_background(store.path, job, fake, concurrency=1, report=beaten)
    until(lambda: len(fake.bodies) > 1)
    runs.request_stop(store, last_run(store, sheet)["id"])
    stop.set()
    thread.join(PATIENT_S)
    assert (len(fake.bodies), 2 * run_loop.HEARTBEAT_S) == (2, 1.0)
    assert statuses(store, sheet) == {"scored": 3 * 2}  # the one in flight landed
    assert last_run(store, sheet)["status"] == "stopped"


def test_a_stop_does_not_wait_for_ever_for_what_is_in_flight(store, sheet, rubric, monkeypatch):
    monkeypatch.setattr(run_loop, "GRACE_S", 0.2)
    fake = Fake(until=lambda: False)
    thread, outcome = in_background(store.path, prepared(store, sheet, rubric), fake)
    until(lambda: fake.bodies)
    runs.request_stop(store, last_run(store, sheet)["id"])
    thread.join(PATIENT_S)
    assert outcome[0].status == "stopped"
    counts = outcome[0].counts
    assert counts.lost == counts.calls == len(fake.bodies) > 0


def test_a_second_run_of_the_same_judge_and_sheet_is_told_so_and_asks_nothing(store, sheet, rubric):
    over = threading.Event()
    fake, second = Fake(until=over.is_set), Fake()
    job = prepared(store, sheet, rubric)
    thread, outcome = in_background(store.path, job, fake, concurrency=2)
    until(lambda: fake.bodies)
    with pytest.raises(Problem):
        run_rubric(store, job, second)
    assert run_lock.is_running(
        store, run_lock.of_judge(sheet.id, graders.find(store, "judge", "mine").id)
    )
    over.set()
    thread.join(PATIENT_S)
    assert (second.bodies, outcome[0].counts.done) == ([], 36)
    assert len(fake.bodies) == 36
    assert not run_lock.is_running(
        store, run_lock.of_judge(sheet.id, graders.find(store, "judge", "mine").id)
    )


def test_a_job_prepared_before_another_run_ended_asks_nothing_twice(store, sheet, rubric):
    job = prepared(store, sheet, rubric)
    run_rubric(store, job, Fake())
    again = Fake()
    run_rubric(store, job, again)
    assert again.bodies == []


def test_asking_whether_it_runs_does_not_keep_a_run_from_starting(
    store, sheet, rubric, monkeypatch
):
    # Who looks holds the lock for an instant, which on a busy machine may be a long one.
    monkeypatch.setattr(run_lock, "LOCK_TRIES", round(PATIENT_S / run_lock.LOCK_PAUSE_S))
    job = prepared(store, sheet, rubric, limit=1)
    grader_id = job.register(store)
    over = threading.Event()

    def look():
        with open_store(store.path) as own:
            while not over.is_set():
                run_lock.is_running(own, run_lock.of_judge(sheet.id, grader_id))

    looker = threading.Thread(target=look)
    looker.start()
    try:
        for _ in range(10):
            run_rubric(store, job, Fake())
    finally:
        over.set()
        looker.join()


def test_the_run_of_a_dead_process_is_closed_by_who_looks(store, sheet, rubric):
    grader_id = prepared(store, sheet, rubric).register(store)
    runs.start(store, grader_id, sheet.id, rubric[0], {}, [], {}, None)
    assert not run_lock.is_running(store, run_lock.of_judge(sheet.id, grader_id))
    row = last_run(store, sheet)
    assert row["status"] == "stopped"


def test_an_interrupt_keeps_what_has_landed(store, sheet, rubric, interrupts):
    interrupted = []

    def reply(body, _):
        if len(fake.bodies) >= 10 and not interrupted:
            interrupted.append(len(fake.bodies))
            os.kill(os.getpid(), signal.SIGINT)
        return good(body)

    fake = Fake(reply, seconds=0.001)
    with pytest.raises(KeyboardInterrupt):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=2)
    row = last_run(store, sheet)
    assert (row["status"], row["message"]) == ("stopped", "Interrupted.")
    assert len(replies(store)) >= interrupted[0] - 2  # all but those in flight
    rest = Fake()
    run_rubric(store, prepared(store, sheet, rubric), rest)
    assert len(fake.bodies) + len(rest.bodies) <= 36 + 2
    assert statuses(store, sheet) == {"scored": 108}


def test_a_bug_in_a_worker_surfaces_and_closes_the_run(store, sheet, rubric):
    fake = Fake(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_rubric(store, prepared(store, sheet, rubric), fake)
    assert last_run(store, sheet)["status"] == "failed"
    run_rubric(store, prepared(store, sheet, rubric), Fake())
    assert statuses(store, sheet) == {"scored": 108}


def test_a_full_disk_ends_the_run_with_one_sentence(store, sheet, rubric, monkeypatch):
    """SQLite's own error, where replies are put on disk, as `PRAGMA max_page_count` raises it."""
    committed = writer.runs.add_replies

    def limited(opened: Store, run_id, landed):
        opened.connection.execute("pragma max_page_count = 1")  # SQLite takes the present size
        opened.execute("insert into settings (name, value) values ('x', zeroblob(9000000))")
        committed(opened, run_id, landed)

    monkeypatch.setattr(writer.runs, "add_replies", limited)
    with pytest.raises(Problem) as caught:
        run_rubric(store, prepared(store, sheet, rubric), Fake())
    assert "\n" not in str(caught.value)
    assert last_run(store, sheet)["status"] == "failed"
    monkeypatch.undo()
    run_rubric(store, prepared(store, sheet, rubric), Fake())
    assert statuses(store, sheet) == {"scored": 108}


def test_a_sheet_deleted_during_the_run_ends_it_with_one_sentence(store, sheet, rubric):
    def reply(body, _):
        if len(fake.bodies) == 5:
            sheets.delete(store, sheet)
        return good(body)

    fake = Fake(reply)
    with pytest.raises(Problem, match="deleted"):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=1)
    assert not replies(store)
