"""How a run stands in the store, whatever ends it and however its questions are asked."""

import json
import os
import random
import signal
import threading
from collections import Counter
from concurrent.futures import Future

import pytest

from concord.judges.definition.model import as_toml
from concord.judges.run import lock as run_lock
from concord.judges.run import session as run_session
from concord.judges.run import writer
from concord.judges.run.progress import Counts
from concord.judges.run.session import FAULT, recorded
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.response import Answer
from concord.messages import Problem
from concord.store import additions, graders, runs, sheets
from concord.store.database import Store
from tests.support.commandline import judge_file
from tests.support.endpoint import DecisionEndpoint, Endpoint, grade_by_hash
from tests.support.fakejudge import PRICED, Fake, completion, judge, run_rubric
from tests.support.fakejudge import good as fakejudge_good
from tests.support.judges.decisions import decision_judge
from tests.support.judges.rubric_runs import (
    IN_FLIGHT,
    ended,
    in_background,
    last_run,
    prepared,
    reader,
    replies,
    scored,
    started,
    statuses,
)
from tests.support.made_items import made_item
from tests.support.patience import PATIENT_S, until
from tests.support.warm import Moment, Warm


@pytest.mark.parametrize(
    ("ends", "status", "why"),
    [
        (KeyboardInterrupt(), "stopped", "Interrupted."),
        (Problem("The key is refused. Set another."), "failed", "The key is refused. Set another."),
        (ZeroDivisionError(), "failed", FAULT),
    ],
)
def test_what_ends_a_run_is_kept_with_how_far_it_came(store, run_of_job, ends, status, why):
    with pytest.raises(type(ends)), recorded(store, run_of_job, counts := Counts(total=3)):
        counts.done = 2
        raise ends
    row = store.row("select * from runs where id = ?", (run_of_job,))
    assert (row["status"], row["message"], row["budget"]) == (status, why, 2.0)
    assert '"done": 2' in row["counts"] and row["finished_at"]


ANSWERS, KILLS = 200, 13
LAST_REQUEST = -1
# Places in the program that a random moment would hardly ever meet.
BEFORE_ITS_DATABASE_IS_OPEN = Moment("concord.store.database", "open_store")
BEFORE_IT_IS_ON_RECORD = Moment("concord.store.runs", "start")
BEFORE_ITS_FIRST_REQUEST = Moment("concord.store.runs", "start", after=True)
WITH_ITS_FIRST_REPLY_IN_HAND = Moment("concord.store.runs", "add_replies")
BETWEEN_A_REPLY_AND_ITS_GRADES = Moment("concord.store.grades", "record", call=5)
WITH_A_REPLY_ON_DISK_AND_NOBODY_TOLD = Moment(
    "concord.judges.run.writer", "commit", call=7, after=True
)
WITH_NOTHING_LEFT_BUT_TO_SAY_SO = Moment("concord.store.runs", "finish")


def moments(seed):
    """When each process is killed: at a place in the program, or at so many requests of its own."""
    chance = random.Random(seed)
    middle = [
        BEFORE_ITS_FIRST_REQUEST,
        WITH_ITS_FIRST_REPLY_IN_HAND,
        BETWEEN_A_REPLY_AND_ITS_GRADES,
        WITH_A_REPLY_ON_DISK_AND_NOBODY_TOLD,
    ]
    middle += [chance.randint(1, 20) for _ in range(KILLS - 8)]
    chance.shuffle(middle)
    before, end = [BEFORE_ITS_DATABASE_IS_OPEN, BEFORE_IT_IS_ON_RECORD], [LAST_REQUEST]
    return [*before, *middle, *end, WITH_NOTHING_LEFT_BUT_TO_SAY_SO]


class Killer:
    """Grades for the server, and kills the process that asks instead of answering one request."""

    def __init__(self):
        self.requests = self.at = 0
        self.process: Future[int] = Future()

    def __call__(self, body):
        self.requests += 1
        if self.requests == self.at:
            os.kill(self.process.result(PATIENT_S), signal.SIGKILL)
        return grade_by_hash(body)


def good(store):
    return store.value("select count(*) from replies where status = 'scored'")


def as_the_server_gave_it(store, server):
    """Whether each reply on disk and its grades are what the server gives, at its price."""
    stored = store.rows("select item_id, request, tokens_in, tokens_out, cost from replies")
    given = store.rows(
        "select g.item_id, c.name, g.score from grades g join criteria c on c.version = g.version"
    )
    scores = {(row["item_id"], row["name"]): row["score"] for row in given}
    for row in stored:
        body = json.loads(row["request"])
        usage = server.completion(body)["usage"]
        read, written = usage["prompt_tokens"], usage["completion_tokens"]
        assert (row["tokens_in"], row["tokens_out"]) == (read, written)
        assert row["cost"] == pytest.approx((2 * read + 10 * written) / 1e6)
        for name, (score, _) in grade_by_hash(body).items():
            assert scores.pop((row["item_id"], name)) == score
    assert not scores


def test_killed_at_many_moments_a_run_loses_and_doubles_nothing(store, tmp_path):
    items = [made_item(n, answer=f"Answer {n}.") for n in range(ANSWERS)]
    sheet = additions.add(store, "many", items, "s.csv", "6" * 64, {})
    killer, lost = Killer(), [0]
    with Endpoint(latency_s=0.01, grade=killer) as server, Warm(tmp_path) as warm:
        mine = judge_file(tmp_path, server.url, price="{ input = 2, output = 10 }")
        verb = ["--db", store.path, "judge", mine, "--yes", f"--concurrency={IN_FLIGHT}"]
        for moment in moments(13):
            place = moment if isinstance(moment, Moment) else None
            of_its_own = ANSWERS - good(store) if moment == LAST_REQUEST else moment
            killer.at = 0 if place else killer.requests + of_its_own
            killer.process = Future()
            killer.process.set_result(warm.start(*verb, dies=place))
            assert warm.ended() == (-signal.SIGKILL, ""), moment
            until(lambda: server.in_flight == 0)
            lost.append(sum(server.delivered.values()) - good(store))
            assert 0 <= lost[-1] - lost[-2] <= IN_FLIGHT, moment
        asked = len(server.seen)
        killer.at = 0
        warm.start(*verb)
        code, said = warm.ended()
        assert (code, len(server.seen)) == (0, asked), said
        as_the_server_gave_it(store, server)
        assert len(server.delivered) == good(store) == ANSWERS
    assert scored(store, sheet) == 3 * ANSWERS
    assert store.value("select count(*) from grades") == 3 * ANSWERS
    states = [row["status"] for row in runs.of_sheet(store, sheet.id)]
    assert (len(lost) - 1, states) == (KILLS, ["done", *["stopped"] * (KILLS - 2)])


def decider(rule, url="http://127.0.0.1:9/v1"):
    return decision_judge("openai", url, f'reading = "{rule}"', name=rule)


def written(folder, one):
    path = folder / f"{one.name}.toml"
    path.write_text(as_toml(one), encoding="utf-8")
    return str(path)


def unended(store):
    return store.value("select count(*) from runs where status <> 'done'")


@pytest.mark.usefixtures("api_key")
@pytest.mark.parametrize("kind", ["decision", "chat"])
def test_three_processes_at_once_send_each_request_once_and_all_get_grades(
    store, sixty, tmp_path, kind
):
    server, made = (DecisionEndpoint, decider) if kind == "decision" else (Endpoint, reader)
    rules = ("argmax", "median", "rounded_mean")
    with server(latency_s=0.01) as endpoint:
        files = [written(tmp_path, made(rule, endpoint.url)) for rule in rules]
        running = [started(store, file) for file in files]
        # One that is refused meanwhile takes the replies of the others when it runs again.
        codes = [ended(one)[0] for one in running]
        again = [ended(started(store, f))[0] for f, code in zip(files, codes, strict=True) if code]
        assert {*codes} <= {0, 2} and not any(again)
        asked = Counter(seen.digest for seen in endpoint.seen)
    assert (len(asked), max(asked.values())) == (60, 1)
    assert [statuses(store, sixty, rule) for rule in rules] == [{"scored": 180}] * 3
    assert unended(store) == 0


@pytest.mark.parametrize("at", [0, 7])
def test_an_endpoint_that_refuses_for_good_stops_the_run_and_fails_nothing(
    at, store, sheet, rubric
):
    def reply(body, _):
        if len(fake.bodies) > at:
            raise EndpointProblem("The key is refused. Set another.")
        return fakejudge_good(body)

    fake = Fake(reply)
    with pytest.raises(Problem):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=2)
    assert len(fake.bodies) <= at + 2
    row = last_run(store, sheet)
    assert (row["status"], row["message"]) == ("failed", "The key is refused. Set another.")
    found = statuses(store, sheet)
    assert set(found) <= {"scored"} and found["scored"] >= 3 * (at - 2)


@pytest.mark.parametrize("status", ["failed", "too_long"])
def test_many_failures_in_a_row_break_the_circuit(store, sheet, rubric, status):
    fake = Fake(lambda *_: Answer(status, "No reply within 9 s."))
    with pytest.raises(Problem):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=2)
    assert len(fake.bodies) <= 22
    assert last_run(store, sheet)["status"] == "failed"
    assert len(prepared(store, sheet, rubric).pending) >= 14


def test_a_refusal_that_every_first_request_meets_stops_the_run_after_the_first_few(
    store, sheet, rubric
):
    refused = Answer("failed", "The server answered 400: Bad request.", http_status=400)
    fake = Fake(lambda *_: refused, seconds=0.01)
    with pytest.raises(Problem, match="first 3"):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=16)
    assert len(fake.bodies) <= 3 + run_session.FIRST_REQUESTS
    assert last_run(store, sheet)["status"] == "failed"
    # What was refused is asked last, so that it cannot keep the others from being judged.
    first = list(fake.bodies)
    fake = Fake(lambda body, _: refused if body in first else fakejudge_good(body))
    done = run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=16)
    assert done.counts.statuses == {"scored": 3 * (36 - len(first)), "failed": 3 * len(first)}


def priced(model="gpt-4o-mini"):
    return judge(url=PRICED).with_overrides(model)


def test_the_budget_holds_but_for_the_requests_in_flight(store, sheet, rubric):
    tokens = (1_000_000, 0)  # $0.15 a call
    fake = Fake(lambda body, _: completion(_text(body), tokens=tokens), seconds=0.01)
    job = prepared(store, sheet, rubric, priced())
    done = run_rubric(store, job, fake, budget=1.0, concurrency=4)
    assert done.status == "stopped"
    assert 0.6 < done.counts.cost <= 1.0
    row = last_run(store, sheet)
    assert (row["status"], row["budget"]) == ("stopped", 1.0)
    assert len(prepared(store, sheet, rubric, priced()).pending) == 36 - done.counts.done


def _text(body):
    return fakejudge_good(body).completion["choices"][0]["message"]["content"]


def test_replies_without_usage_count_towards_the_budget_as_expected(store, sheet, rubric):
    fake = Fake(lambda body, _: fakejudge_good(body)._replace(usage=None), seconds=0.001)
    job = prepared(store, sheet, rubric, priced())
    done = run_rubric(store, job, fake, budget=0.005, concurrency=2)
    assert done.status == "stopped" and 0 < len(fake.bodies) < 36
    assert done.counts.money() == "cost unknown"


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
    assert (len(fake.bodies), 2 * run_session.HEARTBEAT_S) == (2, 1.0)
    assert statuses(store, sheet) == {"scored": 3 * 2}  # the one in flight landed
    assert last_run(store, sheet)["status"] == "stopped"


def test_a_stop_does_not_wait_for_ever_for_what_is_in_flight(store, sheet, rubric, monkeypatch):
    monkeypatch.setattr(run_session, "GRACE_S", 0.2)
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


def test_the_run_of_a_dead_process_is_closed_by_who_looks(store, sheet, rubric):
    grader_id = prepared(store, sheet, rubric).register(store)
    runs.start(store, {}, [], {}, None, grader_id=grader_id, sheet_id=sheet.id, rubric_id=rubric[0])
    assert not run_lock.is_running(store, run_lock.of_judge(sheet.id, grader_id))
    row = last_run(store, sheet)
    assert row["status"] == "stopped"


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
        return fakejudge_good(body)

    fake = Fake(reply)
    with pytest.raises(Problem, match="deleted"):
        run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=1)
    assert not replies(store)
