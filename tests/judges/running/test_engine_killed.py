"""One run killed twenty times at random moments, and each time started again by the same verb."""

import json
import os
import random
import signal
from concurrent.futures import Future

import pytest

from concord.store import additions, runs
from tests.support.commandline import judge_file
from tests.support.endpoint import Endpoint
from tests.support.judges.processes import IN_FLIGHT, scored
from tests.support.made_grades import grade_by_hash
from tests.support.made_items import made_item
from tests.support.patience import PATIENT_S, until
from tests.support.warm import Moment, Warm

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
