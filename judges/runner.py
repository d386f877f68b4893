"""Runner: goes over what a job has left, asks, and puts every reply on disk as it lands.

N workers take tasks from one list; one writer commits whenever it is free. A run holds a file lock
that dies with its process. It can be killed at any moment: what was on disk stays, and the next run
asks only what is missing.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass

from data import contents, runs
from data.store import Store, open_store
from judges import cached, place, price, rival
from judges import job as jobs
from judges.answer import Answer
from judges.budget import Budget
from judges.course import (
    ATTEMPTS,
    CONCURRENCY,
    FAILED,
    STOPPED,
    Ask,
    Connect,
    Course,
    Ended,
    follow,
)
from judges.estimate import estimate
from judges.exchange import TOO_LONG, Exchange
from judges.job import Job, Task
from judges.progress import Counts
from judges.record import beat, begin, recorded
from judges.reply import Verdict, finished
from judges.writer import Landed, Writer
from words.said import said

TOO_LONG_IN_A_ROW = said(
    "{n} answers in a row do not fit the model, so the run stopped. The last: {why} Name a model "
    "with room for them, or `larger` in the judge file, and run it again; for the same judge on a "
    "server with more room, add --retry-unscored."
)


@dataclass(kw_only=True)
class _Run(Course):
    """The course of one run, with what its workers share besides."""

    exchange: Exchange
    disk: Writer | None = None


def run(
    store: Store,
    job: Job,
    connect: Connect,
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    report: Callable[[Counts], None] = lambda counts: None,
) -> Ended:
    """Do what a job has left.

    Args:
        store: The open store.
        job: From `judges.job.prepare`; looked up anew, and its lists emptied, where anything was
            written to the store since.
        connect: Makes the connection, something with `ask` (`judges.client.Client`).
        budget: USD that this run does not pass by more than the requests in flight.
        concurrency: How many requests are in flight at most.
        report: Is told the counts about every half second.

    Raises:
        Problem: Another run of this judge and sheet is going on, or the endpoint refuses in a way
            that no further request would survive (key, address, setting). What was on disk stays.
        KeyboardInterrupt: After everything that had landed was put on disk.
    """
    with _held(store, job) as (grader_id, job):
        expected = estimate(store, job)
        counts = Counts(total=len(job.pending) + len(job.cached), before=job.settled)
        run_id = begin(store, job, grader_id, expected.as_json(), budget)
        with recorded(store, run_id, counts) as record:
            exchange = Exchange(job, grader_id, run_id, price.load())
            breaking = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}
            allowed = Budget(budget, expected.cost_per_call())
            state = _Run(allowed, counts, breaking, exchange=exchange)
            cached.take(store, exchange, counts, lambda: _stops(store, state))
            asyncio.run(_go(store.path, state, connect, concurrency, report))
            record.status, record.why, _ = state.ended()
        return state.ended()


@contextmanager
def _held(store: Store, job: Job) -> Iterator[tuple[int, Job]]:
    """Hold the lock; yields the judge's id as a grader, and the job as it stands now."""
    stands = store.changes() == job.as_of
    jobs.grader_id(store, job)  # a judge that is new here is no news for its job
    before = store.changes()
    with locked(store, job) as grader_id:
        if not stands or store.changes() != before:
            job.pending.clear()  # two lists of it take twice the memory
            job.cached.clear()
            job = jobs.renewed(store, job)
        yield grader_id, job


def is_running(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether a process is at work on this judge and sheet; a dead one's run is closed."""
    return place.is_running(store, place.of_judge(sheet_id, grader_id))


@contextmanager
def locked(store: Store, job: Job) -> Iterator[int]:
    """Hold the lock of this judge and sheet; yields the judge's id as a grader.

    A Problem where its run over another sheet may ask the same.
    """
    grader_id, wanted = jobs.grader_id(store, job), {task.content_hash for task in job.pending}
    with rival.held_off(store, job.judge.name, job.sheet, grader_id, wanted):
        yield grader_id


def _stops(store: Store, state: _Run) -> bool:
    """Note progress; whether someone asked the run to stop."""
    if runs.beat(store, state.exchange.run_id, state.counts.as_dict()):
        state.end(STOPPED)
    return not state.goes_on()


async def _go(
    path: str, state: _Run, connect: Connect, concurrency: int, report: Callable[[Counts], None]
) -> None:
    """Workers, writer and heartbeat together; leaves when all have landed or the run ends."""
    pending = state.exchange.job.pending
    async with AsyncExitStack() as stack:
        ask = (await stack.enter_async_context(connect())).ask if pending else None
        reader = stack.enter_context(open_store(path))
        state.disk = stack.enter_context(Writer(path))
        await follow(
            state,
            pending,
            min(concurrency, len(pending)),
            lambda task: _judge(reader, state, task, ask),
            lambda: beat(state, state.disk, state.exchange.run_id, report),
        )
    report(state.counts)
    if state.problem:
        raise state.problem


async def _judge(reader: Store, state: _Run, task: Task, ask: Ask) -> None:
    """Ask about one content until the reply can be read, at most ATTEMPTS times.

    Every reply is in the store before the next request is made: a kill costs what is in flight.
    """
    exchange = state.exchange
    body = exchange.body(task, contents.item(reader, task.item_ids[0]).item)
    if body is None:
        return await _land(state, task, [], exchange.all(task, TOO_LONG))
    best: dict[str, Verdict] = {}
    for attempt in range(1, ATTEMPTS + 1):
        answer = await ask(body)
        verdicts = exchange.verdicts(task, answer)
        reply = exchange.reply(task, attempt, body, answer, verdicts)
        state.counts.note_reply(reply)
        best = max(best, verdicts, key=_scored) if best else verdicts
        larger = exchange.larger(body) if answer.status == "too_long" else None
        if attempt == ATTEMPTS or (not larger and _is_settled(answer, verdicts)):
            return await _land(state, task, [reply], best, answer.is_turned_away)
        await _kept(state, [reply], [])
        body = larger or body
        if not state.asks_again():
            return None  # the reply is kept; the question stays open


def _is_settled(answer: Answer, verdicts: dict[str, Verdict]) -> bool:
    return answer.status in ("failed", "too_long") or finished(verdicts)


def _scored(verdicts: dict[str, Verdict]) -> int:
    return sum(verdict.status == "scored" for verdict in verdicts.values())


async def _land(
    state: _Run,
    task: Task,
    replies: list,
    verdicts: dict[str, Verdict],
    turned_away: bool = False,
) -> None:
    """Put the last reply and the grades in the store, then count them."""
    await _kept(state, replies, state.exchange.presses(task, verdicts))
    state.counts.note_done(verdicts.values())
    if replies:
        _note(state, list(verdicts.values()), turned_away)


async def _kept(state: _Run, replies: list, presses: list) -> None:
    """Hand something to the writer and wait until it is in the store."""
    await state.disk.land(state.exchange.run_id, Landed(replies, presses))


def _note(state: _Run, verdicts: list[Verdict], turned_away: bool) -> None:
    """Tell the course what came; several statuses at once break nothing."""
    same = len({verdict.status for verdict in verdicts}) == 1
    state.came(verdicts[0].status if same else "", verdicts[0].why, turned_away)
