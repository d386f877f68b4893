"""How fast an endpoint is asked: what it says is obeyed by every request of a run."""

import asyncio
import random
import time

import pytest

from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.transport import rate_limit
from concord.judges.transport.client import Client
from concord.judges.transport.rate_limit import RateLimiter
from tests.support import virtual_time
from tests.support.endpoint import Endpoint, grade_by_hash
from tests.support.judges.client_calls import RUBRIC, judge

NOW = "Thu, 01 Jan 1970 00:01:00 GMT"


def went(script, times, **options):
    """Seconds at which requests were let through, one after the other."""

    async def go():
        at, one = [], RateLimiter(**options)
        for number in range(times):
            at.append(await one.enter(100))
            script(one, number)
            one.leave()
        return at

    return virtual_time.run(go())


def test_requests_per_minute_are_spread():
    at = went(lambda *_: None, 4, requests_per_minute=1200)
    assert at == pytest.approx([0, 0.05, 0.1, 0.15], abs=1e-9)


def test_tokens_per_minute_are_kept_as_guessed_and_put_right_by_what_was_used():
    at = went(lambda *_: None, 3, tokens_per_minute=120_000)
    assert at == pytest.approx([0, 0.05, 0.1], abs=1e-9)
    at = went(lambda one, _: one.used(100, 200), 3, tokens_per_minute=120_000)
    assert at == pytest.approx([0, 0.1, 0.2], abs=1e-9)
    at = went(lambda one, _: one.used(100, 50), 3, tokens_per_minute=120_000)
    assert at == pytest.approx([0, 0.025, 0.05], abs=1e-9)


def test_the_narrower_of_two_caps_is_kept():
    at = went(lambda *_: None, 3, requests_per_minute=1200, tokens_per_minute=60_000)
    assert at == pytest.approx([0, 0.1, 0.2], abs=1e-9)


def test_what_was_not_asked_in_time_is_not_made_up_for():
    async def go():
        one = RateLimiter(requests_per_minute=60)
        at = [await one.enter(1)]
        await asyncio.sleep(10)
        return [*at, await one.enter(1), await one.enter(1)]

    assert virtual_time.run(go()) == pytest.approx([0, 10, 11], abs=1e-9)


def test_a_wait_holds_back_everyone():
    at = went(lambda one, number: number or one.hold(100), 3)
    assert at == pytest.approx([0, 100, 100], abs=1e-9)


def test_a_shorter_wait_does_not_cut_a_longer_one_short():
    at = went(lambda one, number: number or [one.hold(100), one.hold(1)], 2)
    assert at == pytest.approx([0, 100], abs=1e-9)


def in_flight(ones):
    """How many of several requests a pace has let through, given all the time they need."""

    async def go():
        one = RateLimiter()
        tasks = [asyncio.create_task(one.enter(1)) for _ in range(8)]
        (sent, *_) = await asyncio.gather(*tasks)
        one.slow_down(sent)
        one.slow_down(sent)  # of the same crowd: it says nothing new
        for _ in range(8):
            one.leave()
        for seconds in ones:
            one.note_latency(seconds)
        more = [asyncio.create_task(one.enter(1)) for _ in range(20)]
        done, waiting = await asyncio.wait(more, timeout=3600)
        for task in waiting:
            task.cancel()
        return len(done)

    return virtual_time.run(go())


def test_too_many_requests_are_halved_once_and_grow_while_replies_come_as_fast():
    assert in_flight([]) == 4
    assert in_flight([0.1] * 5) == 5
    assert in_flight([0.1] + [1.0] * 5) == 4  # slower than they were


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "300", "retry-after": "2"}, 0.3),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT", "date": NOW}, 40),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:40 GMT", "date": NOW}, 0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 30),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT", "date": "today"}, 30),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:40 GMT"}, 0),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_the_wait_a_server_asks_for_is_read(headers, seconds):
    assert rate_limit.retry_after(headers, now=70.0) == seconds


@pytest.mark.parametrize(
    ("rest", "reset", "seconds"),
    [
        ("0", "6m0s", 360),
        ("0", "120ms", 0.12),
        ("0", "1h2m3.5s", 3723.5),
        ("0", "17", 17),
        ("0", "later", 0),
        ("0", "", 0),
        ("1", "6m0s", 0),
        ("", "6m0s", 0),
    ],
)
@pytest.mark.parametrize("kind", ["requests", "tokens"])
def test_a_rate_limit_that_is_used_up_is_read(rest, reset, seconds, kind):
    names = f"x-ratelimit-remaining-{kind}", f"x-ratelimit-reset-{kind}"
    assert rate_limit.used_up(dict(zip(names, (rest, reset), strict=True))) == pytest.approx(
        seconds
    )


def test_waits_double_up_to_a_limit_with_jitter():
    for retries, most in enumerate((0.5, 1, 2, 4, 8, 8)):
        assert 0.75 * most <= rate_limit.backoff(retries, random.Random(1)) <= most


def test_one_refused_request_makes_all_the_others_wait(monkeypatch):
    refused, held, graded, hold = [], asyncio.Event(), [], RateLimiter.hold

    def noted(one, seconds):
        refused.append(time.monotonic())
        hold(one, seconds)
        held.set()

    def grade(body):
        graded.append(time.monotonic())
        return grade_by_hash(body)

    monkeypatch.setattr(RateLimiter, "hold", noted)
    with Endpoint(script=["429"], retry_after_s=0.4, grade=grade) as server:
        here = judge(server.url)

        async def go():
            body = request(here, RUBRIC, PLACEHOLDER)
            async with Client(here) as client:
                first = asyncio.create_task(client.ask(body))
                await asyncio.wait_for(held.wait(), 60)
                return await client.ask(body), await first

        second, first = asyncio.run(go())
    assert (first.status, first.retries, second.status, second.retries) == ("", 1, "", 0)
    assert [seen.status for seen in server.seen] == [429, 200, 200]
    assert len(refused) == 1 and min(graded) >= refused[0] + 0.4
