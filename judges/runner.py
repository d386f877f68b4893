"""Runner: goes over what a job has left, asks, and puts every reply on disk as it lands.

N workers take tasks from one list; one writer commits whenever it is free. A run holds a file lock
that dies with its process. It can be killed at any moment: what was on disk stays, and the next run
asks only what is missing.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from data import contents, runs
from data.store import Store, file_lock, open_store
from judges import job as jobs
from judges import price
from judges.answer import Answer
from judges.budget import Budget
from judges.estimate import Estimate, estimate
from judges.exchange import TOO_LONG, Exchange
from judges.job import Job, Task
from judges.progress import Counts
from judges.reply import Verdict, finished
from judges.writer import Landed, Writer, commit
from problems import Problem

ATTEMPTS = 3
CONCURRENCY = 16
HEARTBEAT_S = 0.5
FAILURES_IN_A_ROW = 20
# What ends a run where it comes so often in a row, by the status of the answers.
NOTHING_COMES = {
    "failed": "{n} requests in a row failed, so the run stopped. The last: {why} Check the "
    "endpoint, then run it again; it goes on where it was.",
    "too_long": "{n} answers in a row do not fit the model, so the run stopped. The last: {why} "
    "Name a model with room for them, or `larger` in the judge file, and run it again; for the "
    "same judge on a server with more room, add --retry-unscored.",
}
# How long a run that is asked to stop waits for the requests in flight, which are paid already.
GRACE_S = 5.0
LOCK_TRIES, LOCK_PAUSE_S = 10, 0.05
CACHED_AT_ONCE = 200

DIED = "The process ended before the run did. Run it again: it goes on where it was."
STOPPED = "Stopped on request."

Ask = Callable[[dict], Awaitable[Answer]]
Connect = Callable[[], AbstractAsyncContextManager]


class Ended(NamedTuple):
    """How a run ended ('done' or 'stopped'), why, and how far it came."""

    status: str
    why: str
    counts: Counts


@dataclass
class _Run:
    """The state of one run, shared by its workers, writer and heartbeat."""

    exchange: Exchange
    budget: Budget
    counts: Counts
    in_flight: int = 0
    in_a_row: Counter = field(default_factory=Counter)
    stop: str = ""
    stop_by: float | None = None
    problem: Problem | None = None
    begun: float = field(default_factory=time.monotonic)
    disk: Writer | None = None
    freed: asyncio.Event = field(default_factory=asyncio.Event)

    def goes_on(self) -> bool:
        """Whether new requests may be made."""
        return not self.stop and self.problem is None

    def end(self, why: str = "", problem: Problem | None = None) -> None:
        """Make no new requests, and leave those in flight GRACE_S; the first reason counts."""
        if self.goes_on():
            self.stop, self.problem = why, problem
            self.stop_by = time.monotonic() + GRACE_S
            self.freed.set()

    def is_overdue(self) -> bool:
        """Whether the requests in flight have had their time since the run was to end."""
        return self.stop_by is not None and time.monotonic() > self.stop_by

    async def enters(self) -> bool:
        """Wait until the budget has room for one more request; False where the run ends."""
        while self.goes_on() and not self.budget.allows(self.counts, self.in_flight + 1):
            if not self.in_flight:
                self.end(f"The budget of ${self.budget.limit:.2f} does not allow another call.")
                break
            self.freed.clear()
            await self.freed.wait()
        return self.goes_on()


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
        job: From `judges.job.prepare`; its lists are emptied, and what is left is looked up anew.
        connect: Makes the connection, something with `ask` (`judges.client.Client`).
        budget: USD that this run does not pass by more than the requests in flight.
        concurrency: How many requests are in flight at most.
        report: Is told the counts about every half second.

    Raises:
        Problem: Another run of this judge and sheet is going on, or the endpoint refuses in a way
            that no further request would survive (key, address, setting). What was on disk stays.
        KeyboardInterrupt: After everything that had landed was put on disk.
    """
    with locked(store, job) as grader_id:
        # Another run may have ended since the job was prepared, and two lists of it take memory.
        job.pending.clear()
        job.cached.clear()
        job = jobs.renewed(store, job)
        expected = estimate(store, job)
        run_id = _start(store, job, grader_id, expected, budget)
        counts = Counts(total=len(job.pending) + len(job.cached), before=job.settled)
        status, why = "failed", "A fault in Concord ended the run; the command line shows it."
        try:
            exchange = Exchange(job, grader_id, run_id, price.load())
            state = _Run(exchange, Budget(budget, expected.cost_per_call()), counts)
            _take_cached(store, state)
            asyncio.run(_go(store.path, state, connect, concurrency, report))
            status, why = ("stopped", state.stop) if state.stop else ("done", "")
        except KeyboardInterrupt:
            status, why = "stopped", "Interrupted."
            raise
        except Problem as problem:
            why = str(problem)
            raise
        finally:
            runs.finish(store, run_id, status, why, counts.as_dict())
        return Ended(status, why, counts)


def is_running(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether a process is at work on this judge and sheet; a dead one's run is closed."""
    latest = runs.latest(store, sheet_id, grader_id)
    if latest is None or latest["status"] != "running":
        return False
    with file_lock(_lock_path(store, sheet_id, grader_id), wait=False) as free:
        if free:
            _close_dead(store, sheet_id, grader_id)
        return not free


@contextmanager
def locked(store: Store, job: Job) -> Iterator[int]:
    """Hold the lock of this judge and sheet; yields the judge's id as a grader.

    Tried for a moment, since whoever asks `is_running` holds it for an instant.
    """
    grader_id = jobs.grader_id(store, job)
    path = _lock_path(store, job.sheet.id, grader_id)
    for _ in range(LOCK_TRIES):
        with file_lock(path, wait=False) as free:
            if free:
                _close_dead(store, job.sheet.id, grader_id)
                yield grader_id
                return
        time.sleep(LOCK_PAUSE_S)
    raise Problem(
        f"{job.judge.name} is already running over “{job.sheet.name}”. Wait for it, or stop it "
        "first."
    )


def _close_dead(store: Store, sheet_id: int, grader_id: int) -> None:
    """Mark the run of a process that died as stopped; only under its lock."""
    latest = runs.latest(store, sheet_id, grader_id)
    if latest and latest["status"] == "running":
        runs.interrupt(store, latest["id"], DIED)


def _lock_path(store: Store, sheet_id: int, grader_id: int) -> Path:
    return Path(f"{store.path}-run-{sheet_id}-{grader_id}.lock")


def _start(store: Store, job: Job, grader_id: int, expected: Estimate, budget: float | None) -> int:
    return runs.start(
        store,
        grader_id,
        job.sheet.id,
        job.rubric_id,
        scope=_scope(job),
        examples=[shot.id for shot in job.shots],
        estimate=expected.as_json(),
        budget=budget,
    )


def _scope(job: Job) -> dict:
    """What a run is to do, as it is kept with it."""
    found = {"limit": job.limit, "repeats": job.repeats, "retry_unscored": job.retry_unscored}
    if job.again:
        found |= {"first_repeat": job.again.first, "purpose": job.again.purpose}
    return found


def _take_cached(store: Store, state: _Run) -> None:
    """Write the grades of contents that the judge has answered well before; nothing is asked."""
    exchange, cached = state.exchange, state.exchange.job.cached
    for start in range(0, len(cached), CACHED_AT_ONCE):
        landed = []
        for task in cached[start : start + CACHED_AT_ONCE]:
            raw = runs.good_raw(store, exchange.grader_id, *task[:3])
            if raw is None:  # deleted with its sheet since the job was prepared
                exchange.job.pending.append(task)
                continue
            verdicts = exchange.again(task, json.loads(raw))
            landed.append(Landed([], exchange.presses(task, verdicts)))
            state.counts.cached += 1
            state.counts.note_done(verdicts.values())
        commit(store, exchange.run_id, landed)
        if runs.beat(store, exchange.run_id, state.counts.as_dict()):
            return state.end(STOPPED)


async def _go(
    path: str, state: _Run, connect: Connect, concurrency: int, report: Callable[[Counts], None]
) -> None:
    """Workers, writer and heartbeat together; leaves when all have landed or the run ends."""
    pending, state.begun = state.exchange.job.pending, time.monotonic()
    async with AsyncExitStack() as stack:
        ask = (await stack.enter_async_context(connect())).ask if pending else None
        reader = stack.enter_context(open_store(path))
        state.disk = stack.enter_context(Writer(path))
        heart = asyncio.create_task(_beat(state, report))
        tasks = iter(pending)
        workers = [
            asyncio.create_task(_work(reader, state, tasks, ask))
            for _ in range(min(concurrency, len(pending)))
        ]
        try:
            await _until_through(state, workers, heart)
        finally:
            await _cancelled([*workers, heart])
            state.counts.seconds = time.monotonic() - state.begun
    report(state.counts)
    if state.problem:
        raise state.problem


async def _until_through(state: _Run, workers: list[asyncio.Task], heart: asyncio.Task) -> None:
    """Wait for the workers; a fault in any task, or the end of the grace, ends the wait."""
    waiting = set(workers)
    while waiting and not state.is_overdue():
        done, _ = await asyncio.wait(
            {*waiting, heart}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED
        )
        for ended in done:
            ended.result()
        waiting -= done


async def _cancelled(tasks: list[asyncio.Task]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _work(reader: Store, state: _Run, tasks: Iterable[Task], ask: Ask) -> None:
    """Take tasks until there are none, or the run ends."""
    while await state.enters():
        task = next(tasks, None)
        if task is None:
            return
        state.in_flight += 1
        try:
            await _judge(reader, state, task, ask)
        except Problem as problem:
            state.end(problem=problem)
        finally:
            state.in_flight -= 1
            state.freed.set()


async def _judge(reader: Store, state: _Run, task: Task, ask: Ask) -> None:
    """Ask about one content until the reply can be read, at most ATTEMPTS times.

    Every reply is on disk before the next request is made: a kill costs what is in flight.
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
            return await _land(state, task, [reply], best)
        await _on_disk(state, [reply], [])
        body = larger or body
        if not (state.goes_on() and state.budget.allows(state.counts, state.in_flight)):
            return None  # the reply is on disk; the question stays open


def _is_settled(answer: Answer, verdicts: dict[str, Verdict]) -> bool:
    return answer.status in ("failed", "too_long") or finished(verdicts)


def _scored(verdicts: dict[str, Verdict]) -> int:
    return sum(verdict.status == "scored" for verdict in verdicts.values())


async def _land(state: _Run, task: Task, replies: list, verdicts: dict[str, Verdict]) -> None:
    """Put the last reply and the grades on disk, then count them."""
    await _on_disk(state, replies, state.exchange.presses(task, verdicts))
    state.counts.note_done(verdicts.values())
    _break_circuit(state, verdicts, asked=bool(replies))


async def _on_disk(state: _Run, replies: list, presses: list) -> None:
    """Hand something to the writer and wait until it is on disk."""
    await state.disk.land(state.exchange.run_id, Landed(replies, presses))


def _break_circuit(state: _Run, verdicts: dict[str, Verdict], asked: bool) -> None:
    """End where nothing comes through any more, instead of burning a thousand items."""
    status, why = next((verdict.status, verdict.why) for verdict in verdicts.values())
    same = all(verdict.status == status for verdict in verdicts.values())
    if not asked or not same or status not in NOTHING_COMES:
        state.in_a_row.clear()
        return
    state.in_a_row[status] += 1
    if state.in_a_row[status] >= FAILURES_IN_A_ROW:
        state.end(problem=Problem(NOTHING_COMES[status].format(n=FAILURES_IN_A_ROW, why=why)))


async def _beat(state: _Run, report: Callable[[Counts], None]) -> None:
    """Note progress every half second; hear whether to stop, and of another budget."""
    run_id = state.exchange.run_id
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        state.counts.seconds = time.monotonic() - state.begun
        if await state.disk.do(runs.beat, run_id, state.counts.as_dict()):
            state.end(STOPPED)
        state.budget = state.budget._replace(limit=await state.disk.do(runs.budget, run_id))
        state.freed.set()
        report(state.counts)
