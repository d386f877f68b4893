"""The network seam in time: what it waits for, how long, and how much of it at once."""

import asyncio
import json
import subprocess
import sys

import pytest

from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.transport.client import Client
from concord.judges.transport.connections import Reply
from concord.resources import ROOT
from tests.support import virtual_time
from tests.support.endpoint import Endpoint
from tests.support.environment import environment
from tests.support.judges.client_calls import (
    RUBRIC,
    SECRET,
    Line,
    ask,
    completion,
    judge,
    mocked,
    replied,
)
from tests.support.patience import until


def test_a_reply_that_trickles_is_given_up_in_time():
    with Endpoint(faults={"trickle": 1}) as server:
        answer = ask(judge(server.url, endpoint="timeout_s = 0.2\n"), max_retries=0)
    assert (answer.status, answer.completion) == ("failed", None)
    assert answer.why.values == {"seconds": 0.2}


@pytest.mark.parametrize(("slow", "status"), [(0, ""), (1, ""), (2, "failed")])
def test_a_reply_that_takes_too_long_is_tried_again_as_often_as_allowed(slow, status):
    """At 0, 10.5 and 21 s or so; each attempt is given 10 s for the whole of its reply."""
    sent = []

    async def handler(_):
        sent.append(asyncio.get_running_loop().time())
        if len(sent) <= slow:
            await asyncio.sleep(3600)
        return replied(completion())

    answer = mocked(
        handler, judge(endpoint="timeout_s = 10\n"), max_retries=1, run=virtual_time.run
    )
    assert (answer.status, len(sent)) == (status, min(slow, 1) + 1)
    if slow:
        # Half a second before the second attempt, less at most a quarter.
        assert 10.375 <= sent[1] - sent[0] <= 10.5 + 1e-6


@pytest.mark.parametrize(
    ("asked", "most"),
    [
        *((asked, 130) for asked in (None, "", "-5", "soon", "nan", "inf", "1e999", "0", "1")),
        ("60", 190),
        ("120", 250),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 130),
    ],
)
def test_a_server_that_only_limits_holds_three_items_up_no_longer_than_one(asked, most):
    headers = {} if asked is None else {"retry-after": asked}
    here = judge()

    async def go():
        line = Line(lambda _: Reply(429, headers, b"{}"))
        async with Client(here, connections=line) as client:
            body = request(here, RUBRIC, PLACEHOLDER)
            answers = await asyncio.gather(*(client.ask(body) for _ in range(3)))
        return asyncio.get_running_loop().time(), answers

    with environment({"OPENAI_API_KEY": SECRET}):
        seconds, answers = virtual_time.run(go())
    assert [answer.status for answer in answers] == ["failed"] * 3
    assert seconds < most


def test_a_success_renews_the_patience_with_a_server_that_limits():
    sent = []

    async def handler(_):
        sent.append(1)
        return replied(completion()) if len(sent) % 15 == 0 else Reply(429, {}, b"{}")

    answer = mocked(handler, times=4, run=virtual_time.run)
    assert (answer.status, len(sent)) == ("", 60)


def test_sixty_four_requests_are_in_flight_at_once():
    with Endpoint(holds_from=1) as server:
        one = judge(server.url)

        async def go():
            async with Client(one) as client:
                body = request(one, RUBRIC, PLACEHOLDER)
                asked = asyncio.gather(*(client.ask(body) for _ in range(64)))
                await asyncio.to_thread(until, lambda: server.in_flight == 64)
                server.release()
                return await asked

        assert {answer.status for answer in asyncio.run(go())} == {""}
        assert server.most_in_flight == 64


def test_the_server_of_these_tests_runs_as_a_process_of_its_own(tmp_path):
    log = tmp_path / "log.jsonl"
    command = [
        sys.executable,
        "-m",
        "tests.support.endpoint",
        "--fault",
        "429=0.3",
        "--seed",
        "1",
        "--log",
        str(log),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        assert ask(judge(url), times=3).status == ""
        until(lambda: log.read_text().count("\n") >= 3 + log.read_text().count('"429"'))
        process.terminate()
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [fault for _, fault, status, *_ in entries if status == 200] == [""] * 3
