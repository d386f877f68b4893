"""How a run stands in the store, whatever ends it and however its questions are asked."""

import json
import os
import random
import signal
import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace

import pytest

from concord.judges.definition.toml import as_toml
from concord.judges.rubric_runs.tasks import Again
from concord.judges.running import engine
from concord.judges.running.engine import FAULT, recorded
from concord.judges.running.progress import Counts
from concord.messages import Problem
from concord.store import additions, graders, runs
from tests.support.commandline import judge_file
from tests.support.endpoint import DecisionEndpoint, Endpoint, grade_by_hash
from tests.support.fakejudge import Fake, judge
from tests.support.judges.decisions import decided, decision_judge
from tests.support.judges.rubric_runs import (
    IN_FLIGHT,
    ended,
    in_background,
    prepared,
    reader,
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


def test_a_run_is_done_only_where_its_work_says_so(store, run_of_job):
    with recorded(store, run_of_job, Counts()):
        pass
    assert store.row("select * from runs where id = ?", (run_of_job,))["status"] == "failed"


def test_a_run_that_asks_some_answers_again_is_kept_as_such(store, job):
    again = replace(job, again=Again(frozenset(), 4, "recheck"))
    found = again.scope()
    assert (found["first_repeat"], found["purpose"]) == (4, "recheck")
    assert "purpose" not in job.scope()


ANSWERS, KILLS = 300, 20
LAST_REQUEST = -1
# Places in the program that a random moment would hardly ever meet.
BEFORE_ITS_DATABASE_IS_OPEN = Moment("concord.store.database", "open_store")
BEFORE_IT_IS_ON_RECORD = Moment("concord.store.runs", "start")
BEFORE_ITS_FIRST_REQUEST = Moment("concord.store.runs", "start", after=True)
WITH_ITS_FIRST_REPLY_IN_HAND = Moment("concord.store.runs", "add_replies")
BETWEEN_A_REPLY_AND_ITS_GRADES = Moment("concord.store.grades", "record", call=5)
WITH_A_REPLY_ON_DISK_AND_NOBODY_TOLD = Moment(
    "concord.judges.running.writer", "commit", call=7, after=True
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
    replies = store.rows("select item_id, request, tokens_in, tokens_out, cost from replies")
    given = store.rows(
        "select g.item_id, c.name, g.score from grades g join criteria c on c.version = g.version"
    )
    scores = {(row["item_id"], row["name"]): row["score"] for row in given}
    for row in replies:
        body = json.loads(row["request"])
        usage = server.completion(body)["usage"]
        read, written = usage["prompt_tokens"], usage["completion_tokens"]
        assert (row["tokens_in"], row["tokens_out"]) == (read, written)
        assert row["cost"] == pytest.approx((2 * read + 10 * written) / 1e6)
        for name, (score, _) in grade_by_hash(body).items():
            assert scores.pop((row["item_id"], name)) == score
    assert not scores


def test_killed_at_twenty_random_moments_a_run_loses_and_doubles_nothing(store, tmp_path):
    items = [made_item(n, answer=f"Answer {n}.") for n in range(ANSWERS)]
    sheet = additions.add(store, "many", items, "s.csv", "6" * 64, {})
    killer, lost = Killer(), [0]
    with Endpoint(latency_s=0.01, grade=killer) as server, Warm(tmp_path) as warm:
        mine = judge_file(tmp_path, server.url, price="{ input = 2, output = 10 }")
        verb = ["--db", store.path, "judge", mine, "--yes", f"--concurrency={IN_FLIGHT}"]
        for moment in moments(20):
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
        said = [ended(one) for one in running]
        assert [code for code, _ in said] == [0, 0, 0], said
        asked = Counter(seen.digest for seen in endpoint.seen)
    assert (len(asked), max(asked.values())) == (60, 1)
    assert [statuses(store, sixty, rule) for rule in rules] == [{"scored": 180}] * 3
    assert unended(store) == 0


@pytest.mark.usefixtures("api_key")
def test_one_that_waits_goes_on_when_the_holder_is_killed(store, sixty, tmp_path):
    with DecisionEndpoint(holds_from=21) as server:
        first, second = (written(tmp_path, decider(r, server.url)) for r in ("argmax", "median"))
        holder = started(store, first)
        until(lambda: server.in_flight == IN_FLIGHT)
        waiting = started(store, second)
        until(lambda: graders.find(store, "judge", "median"))
        assert waiting.poll() is None
        holder.kill()
        holder.communicate()
        server.release()
        code, said = ended(waiting)
        assert code == 0, said
        assert ended(started(store, first))[0] == 0
        asked = Counter(seen.digest for seen in server.seen)
    # Only what was in flight at the kill is sent again.
    assert len(asked) == 60 and sum(asked.values()) <= 60 + IN_FLIGHT
    for name in ("argmax", "median"):
        assert statuses(store, sixty, name) == {"scored": 180}


def test_one_that_waits_says_for_whom_and_can_be_over_another_sheet(store, rubric):
    left, right = (
        additions.add(store, name, [made_item(n) for n in numbers], "s.csv", digest * 64, {})
        for name, numbers, digest in (("left", range(8), "1"), ("right", range(5, 9), "2"))
    )
    over, told, theirs, mine = threading.Event(), [], Fake(decided()), Fake(decided())
    theirs.until = over.is_set
    thread, _ = in_background(store.path, prepared(store, left, rubric, decider("argmax")), theirs)
    until(lambda: theirs.bodies)

    def tell(sentence):
        told.append(sentence)
        over.set()

    ran = engine.run(store, prepared(store, right, rubric, decider("median")), mine, tell=tell)
    thread.join(PATIENT_S)
    assert (ran.counts.calls, ran.counts.cached) == (1, 3)
    assert (len(theirs.bodies), len(mine.bodies)) == (8, 1)


def test_nobody_waits_for_other_requests_or_for_nothing_to_ask(store, sixty, rubric):
    """A judge of other requests, and one whose replies are all stored, run beside a holder."""
    engine.run(store, prepared(store, sixty, rubric, decider("argmax")), Fake(decided()))
    other = decider("argmax").with_overrides(model="n")
    for one in (decider("median"), other, judge()):
        with prepared(store, sixty, rubric, decider("argmax")).held(store):
            fake = Fake() if one.kind == "rubric" else Fake(decided())
            engine.run(store, prepared(store, sixty, rubric, one), fake, tell=pytest.fail)
    assert unended(store) == 0
