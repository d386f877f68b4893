"""Ask: puts any list of requests to a model, whatever they are for, and keeps every reply.

What a run of judges has, for requests that grade nothing: the same client, prices, budget and
breaker; a lock that dies with its process; every reply on disk before the next request, so that a
repeated run asks only what is missing. What the replies mean is for whoever asks.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from data import asked, clock, runs
from data.asked import AskedReply, Standing
from data.store import Store
from judges import price
from judges.answer import Answer
from judges.budget import Budget
from judges.course import (
    ATTEMPTS,
    CONCURRENCY,
    FAILED,
    Ask,
    Connect,
    Course,
    Ended,
    follow,
)
from judges.estimate import Estimate
from judges.model import Judge
from judges.place import Place, locked, of_asker
from judges.progress import Counts
from judges.receipt import receipt
from judges.record import beat, recorded
from judges.request import prompt_band
from judges.writer import Writer
from rubrics.model import canonical_json, digest
from words.said import said

TOO_LONG_IN_A_ROW = said(
    "{n} requests in a row do not fit the model, so the run stopped. The last: {why} Name a model "
    "with room for them and run it again; for the same model on a server with more room, add "
    "--again."
)

# Why a completion cannot be used, as (status, why); None where it can.
Fault = tuple[str, str] | None


class Request(NamedTuple):
    """One request: what the asker knows it by, and the hash that tells whether it was asked."""

    key: Any
    digest: str


@dataclass(frozen=True)
class Asker:
    """What a model is asked for, and how.

    Args:
        judge: Whose model, settings and endpoint are used; nothing else of it.
        purpose: `drafts` or `answers`.
        body: The request for a key.
        read: What is wrong with a completion, as (status, why); None where nothing is.
        sheet_name: The sheet that is being built; tells its runs apart, and nothing else.
        land: Is told the store, the key and the id of a good reply, in the transaction that keeps
            the reply.
    """

    judge: Judge
    purpose: str
    body: Callable[[Any], dict[str, Any]]
    read: Callable[[Any], Fault]
    sheet_name: str = ""
    land: Callable[[Store, Any, int], None] = lambda store, key, asked_id: None

    @property
    def identity(self) -> str:
        """The hash of purpose, endpoint, headers and model."""
        judge = self.judge
        return digest([self.purpose, judge.url(), judge.extra_headers, judge.model])

    def place(self) -> Place:
        """Where its runs for the sheet stand."""
        return of_asker(self.identity, self.sheet_name)

    def request(self, key: Any) -> Request:
        """The request for a key, by its hash; the body is made again when it is sent."""
        return Request(key, digest([self.identity, self.body(key)]))


class Left(NamedTuple):
    """What an asker has still to ask: `good` maps the key to the id of its good reply.

    `settled` counts what got no usable reply and is not asked again, `failed` those of `pending`
    that failed before.
    """

    pending: list[Request]
    good: dict[Any, int]
    settled: list[tuple[Any, Standing]]
    failed: int


@dataclass(kw_only=True)
class _Run(Course):
    """The course of one run, with what its workers share besides."""

    asker: Asker
    prices: Sequence[price.Price]
    run_id: int
    disk: Writer | None = None


def left(store: Store, asker: Asker, keys: Sequence[Any], again: bool = False) -> Left:
    """What is still to be asked, what failed before last.

    `again` asks anew what got no usable reply before.
    """
    known = asked.standing(store, asker.identity)
    pending, good, settled, failed, seen = [], {}, [], [], {}
    for key in keys:
        request = asker.request(key)
        found = known.get(request.digest)
        if found and found.good_id is not None:
            good[key] = found.good_id
        elif found and found.is_settled(ATTEMPTS) and not again:
            settled.append((key, found))
        elif request.digest not in seen:
            seen[request.digest] = key
            (failed if found and found.status == "failed" else pending).append(request)
    return Left(pending + failed, good, settled, len(failed))


def run(
    store: Store,
    asker: Asker,
    keys: Sequence[Any],
    connect: Connect,
    expected: Estimate,
    scope: dict[str, Any],
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    again: bool = False,
    report: Callable[[Counts], None] = lambda counts: None,
) -> Ended:
    """Ask what is left of some keys; afterwards `left` tells the good replies.

    Args:
        store: The open store.
        asker: Who is asked, and for what.
        keys: What to ask about; hashable.
        connect: Makes the connection, something with `ask` (`judges.client.Client`).
        expected: What it is expected to take.
        scope: What the run is to do, as it is kept with it.
        budget: USD that this run does not pass by more than the requests in flight.
        concurrency: How many requests are in flight at most.
        again: Ask anew what got no usable reply before.
        report: Is told the counts about every half second.

    Raises:
        Problem: The same is being asked by another process, or the endpoint refuses in a way that
            no further request would survive. What was on disk stays.
    """
    busy = (
        f"{asker.judge.model} is being asked for {asker.purpose} by another process. Wait for it, "
        "or stop it first."
    )
    with locked(store, asker.place(), busy):
        todo = left(store, asker, keys, again)
        counts = Counts(total=len(todo.pending), before=len(todo.good) + len(todo.settled))
        about = (scope | {"purpose": asker.purpose}, expected.as_json(), budget)
        run_id = runs.start_asking(store, asker.identity, asker.sheet_name, *about)
        with recorded(store, run_id, counts) as record:
            breaking = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}
            allowed = Budget(budget, expected.cost_per_call())
            course = (allowed, counts, breaking)
            state = _Run(*course, asker=asker, prices=price.load(), run_id=run_id)
            if todo.pending:
                asyncio.run(_go(store.path, state, todo.pending, connect, concurrency, report))
            record.status, record.why, _ = state.ended()
        return state.ended()


async def _go(
    path: str,
    state: _Run,
    pending: list[Request],
    connect: Connect,
    concurrency: int,
    report: Callable[[Counts], None],
) -> None:
    """Workers, writer and heartbeat together; leaves when all have landed or the run ends."""
    async with connect() as client:
        with Writer(path) as state.disk:
            await follow(
                state,
                pending,
                min(concurrency, len(pending)),
                lambda request: _ask(state, request, client.ask),
                lambda: beat(state, state.disk, state.run_id, report),
            )
    report(state.counts)
    if state.problem:
        raise state.problem


async def _ask(state: _Run, request: Request, ask: Ask) -> None:
    """Ask until the reply can be used, at most ATTEMPTS times; every reply goes to the disk."""
    body = state.asker.body(request.key)
    for attempt in range(1, ATTEMPTS + 1):
        answer = await ask(body)
        reply = _reply(state, request, attempt, body, answer)
        await state.disk.do(_keep, state.asker, request.key, reply)
        state.counts.note_reply(reply)
        if reply.status in (asked.GOOD, "failed", *asked.FINAL) or attempt == ATTEMPTS:
            break
        if not state.asks_again():
            return
    state.counts.done += 1
    state.counts.statuses[reply.status] += 1
    if reply.status != asked.GOOD:
        state.counts.note_trouble(reply.status, reply.why)
    state.came(reply.status, reply.why, answer.is_turned_away)


def _keep(store: Store, asker: Asker, key: Any, reply: AskedReply) -> None:
    """Put a reply on disk, and with a good one what it brings."""
    with store.write():
        asked.add(store, reply)
        if reply.status == asked.GOOD:
            asker.land(store, key, asked.good_id(store, reply.digest))


def _reply(
    state: _Run, request: Request, attempt: int, body: dict[str, Any], answer: Answer
) -> AskedReply:
    """One answer as it is stored, with what it cost at today's price."""
    asker = state.asker
    fault = (answer.status, answer.why) if answer.status else asker.read(answer.completion)
    found = price.price_of(state.prices, asker.judge, clock.today())
    return AskedReply(
        asker.purpose,
        asker.identity,
        request.digest,
        attempt,
        canonical_json(body),
        answer.raw,
        *(fault or (asked.GOOD, "")),
        receipt(answer, found),
    )


def bands(asker: Asker, pending: Sequence[Request], sampled: int = 50) -> list[price.Band]:
    """Token bands of evenly spaced prompts."""
    step = max(1, len(pending) // sampled)
    return [prompt_band(asker.body(request.key)) for request in pending[::step]]
