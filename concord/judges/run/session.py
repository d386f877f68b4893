"""A run of a job: lock, record, workers, budget, heartbeat and writer.

It may be killed at any moment: what was on disk stays, and the job, read again, leaves it out.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from concord.judges.definition.model import Judge
from concord.judges.definition.prices import DayPrice
from concord.judges.run.job import CONCURRENCY, Job
from concord.judges.run.lock import silent
from concord.judges.run.progress import Counts, usd
from concord.judges.run.writer import Landed, Writer
from concord.judges.transport.client import Client
from concord.judges.transport.response import Answer, Unanswered, receipt
from concord.messages import Problem, on_command_line
from concord.store import runs
from concord.store.database import Store, open_store
from concord.store.runs import Receipt

# Makes the connection to a judge's server, something with `ask` (`client.Client`).
Connect = Callable[[Judge], AbstractAsyncContextManager]
Report = Callable[[Counts], None]
HEARTBEAT_S = 0.5
FAILURES_IN_A_ROW = 20
# So many requests are sent until one has succeeded, or for so many seconds; if all are rejected, no
# more are.
FIRST_REQUESTS, FIRST_S = 3, 0.05
# Time that a stopping run gives the requests in flight, which are paid already.
GRACE_S = 5.0
REJECTED = (
    "The server refused the first {n} requests, so the run stopped. The last: {why} Correct the "
    "judge file or the endpoint, then run it again; it resumes where it stopped."
)
# What ends a run after FAILURES_IN_A_ROW replies of one status.
BREAKING = {
    "failed": "{n} requests in a row failed, so the run stopped. The last: {why} Check the "
    "endpoint, then run it again; it resumes where it stopped.",
    "too_long": "{n} requests in a row do not fit the model, so the run stopped. The last: {why} "
    "Name a model with a longer context, or `larger` in the judge file, and run it again; or give "
    "the server a longer context and retry{on_command_line}.",
}
STOPPED = "Stopped on request."
FAULT = "An error in Concord ended the run; the command line shows it."


@dataclass
class Ended:
    """How a run ended, as stored; an error unless the work sets another status."""

    counts: Counts
    status: str = "failed"
    why: str = FAULT


def run(
    store: Store,
    job: Job,
    connect: Connect = Client,
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    report: Report = silent,
) -> Ended:
    """Do what a job has left. It may be killed at any moment: what was on disk stays.

    The job is read again under the lock. `connect` makes the connection to a judge's server; the
    `budget` in USD is not exceeded by more than the requests in flight, at most `concurrency`;
    `report` is given the counts about every half second.

    Raises:
        Problem: Another process may ask the same, or the endpoint refuses in a way that no further
            request would survive (key, address, setting). What was on disk stays.
        KeyboardInterrupt: After everything that had arrived was put on disk.
    """
    with job.locked(store) as current:
        # Estimated again: until the lock was held, another run may have done part of the job.
        expected, counts = current.estimate(store), current.counts()
        run_id = current.begin(store, expected.as_json(), budget)
        with recorded(store, run_id, counts) as ended:
            limit = Budget(budget, expected.cost_per_call())
            session = Session(current, run_id, counts, limit, connect)
            # First, as a reply on disk may settle what would otherwise be paid for again.
            if current.take_cached(store, run_id, counts):
                session.stop_reason = STOPPED
            # Without tasks no connection is opened, so a finished run can be repeated without a
            # server.
            if session.is_open() and current.pending:
                asyncio.run(session.go(store.path, concurrency, report))
            report(counts)
            if session.problem:
                raise session.problem
            ended.status = "stopped" if session.stop_reason else "done"
            ended.why = session.stop_reason
    return ended


@contextmanager
def recorded(store: Store, run_id: int, counts: Counts) -> Iterator[Ended]:
    """Store how a run ended and how far it got, also when it is interrupted."""
    ended = Ended(counts)
    try:
        yield ended
    except KeyboardInterrupt:
        ended.status, ended.why = "stopped", "Interrupted."
        raise
    except Problem as problem:
        ended.status, ended.why = "failed", str(problem)
        raise
    finally:
        runs.finish(store, run_id, ended.status, ended.why, counts.as_dict())


class Budget(NamedTuple):
    """USD that a run may spend (None: no limit), and the expected cost of a call.

    A call in flight, and a reply of unknown price, count at the mean of the priced replies; before
    the first of those, at `expected`.
    """

    limit: float | None
    expected: float = 0.0

    def allows(self, counts: Counts, in_flight: int) -> bool:
        """Tell if so many calls in flight keep within the limit."""
        if self.limit is None:
            return True
        # Replies without a known price would pull the mean towards 0, and the budget would be
        # overrun.
        priced = counts.calls - counts.unpriced - counts.lost
        per_call = counts.cost / priced if priced > 0 else self.expected
        return counts.cost + (counts.unpriced + in_flight) * per_call <= self.limit


@dataclass
class Session:
    """The state of one run, shared by its workers and its heartbeat.

    `disk` is the only writer while the workers run, and `reader` a connection for reading.
    """

    job: Job
    id: int
    counts: Counts
    budget: Budget
    connect: Connect
    in_flight: int = 0
    in_a_row: Counter = field(default_factory=Counter)
    rejected: set = field(default_factory=set)
    first_success: asyncio.Event = field(default_factory=asyncio.Event)
    slot_freed: asyncio.Event = field(default_factory=asyncio.Event)
    stop_reason: str = ""
    started: float | None = None  # when the first connection was open
    problem: Problem | None = None

    async def go(self, path: str, concurrency: int, report: Report) -> None:
        """Do every pending task until all are done or the run ends; all replies are then on disk.

        The workers take from one list: an asyncio task for each of 100,000 items slows every turn
        of the loop. What a worker raises ends the run, a Problem after those in flight.
        """
        # Two connections: sqlite3 connections must not be shared with the writer's thread. The
        # writer is closed last, so everything that arrived is committed.
        with open_store(path) as self.reader, Writer(path) as self.disk:
            async with AsyncExitStack() as self.stack:
                todo, work = self.job.workload(self)
                number = min(concurrency, len(self.job.pending))  # more would only wait
                pool = [asyncio.create_task(self._take(todo, work, n)) for n in range(number)]
                self.workers = asyncio.gather(*pool)
                tasks = self.workers, asyncio.create_task(self._beat(report))
                try:
                    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    # Raises what the task raised, which asyncio would otherwise only log.
                    for one in done:
                        with suppress(asyncio.CancelledError):  # the grace of a stop is over
                            one.result()
                finally:
                    # All are cancelled before any is awaited, or one would go on sending meanwhile.
                    for one in (*pool, *tasks):
                        one.cancel()
                    # To the end: a task must not write after its store is closed.
                    await asyncio.gather(*pool, *tasks, return_exceptions=True)
                    self._note_seconds()

    async def _take(self, todo: Iterator, work: Callable, number: int) -> None:
        """Take tasks until there are none or the run ends.

        Only the first FIRST_REQUESTS workers start at once: a key or a setting that every request
        is rejected for, which takes a server no time, is then met a few times.
        """
        if number >= FIRST_REQUESTS:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.first_success.wait(), FIRST_S)
        while await self._admit():
            try:
                # No await between `_admit` and `in_flight`, or two workers could pass on the same
                # rest of the budget.
                if (task := next(todo, None)) is None:
                    if not self.in_flight:  # nothing can succeed any more
                        self.first_success.set()
                    return
                self.in_flight += 1
                try:
                    await work(task)
                finally:
                    self.in_flight -= 1
                    self.slot_freed.set()
            except Problem as problem:
                self.stop(problem=problem)
            # Also after a task that sent no request, or the other workers would wait for ever.
            if not self.rejected:
                self.first_success.set()

    async def _beat(self, report: Report) -> None:
        """Store the progress, and read whether to stop: another process may have asked for it."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            self._note_seconds()
            if await self.disk.do(runs.heartbeat, self.id, self.counts.as_dict()):
                self.stop(STOPPED)
            report(self.counts)

    def _note_seconds(self) -> None:
        self.counts.seconds = time.monotonic() - self.started if self.started else 0.0

    async def _admit(self) -> bool:
        """Wait until the budget has room for one more request; False if the run ends."""
        while self.is_open() and not self.budget.allows(self.counts, self.in_flight + 1):
            # With requests in flight the actual cost may still turn out below the estimate.
            if not self.in_flight:
                self.stop_over_budget()
                break
            self.slot_freed.clear()
            await self.slot_freed.wait()
        return self.is_open()

    def is_open(self) -> bool:
        """Tell if new requests may be sent."""
        return not self.stop_reason and self.problem is None

    def stop(self, why: str = "", problem: Problem | None = None) -> None:
        """Send no new requests and leave those in flight GRACE_S; the first reason counts."""
        if self.is_open():
            self.stop_reason, self.problem = why, problem
            asyncio.get_running_loop().call_later(GRACE_S, self.workers.cancel)
            self.slot_freed.set()
            self.first_success.set()

    def stop_over_budget(self) -> None:
        """Stop because the budget does not allow another call."""
        self.stop(f"The budget of {usd(self.budget.limit)} does not allow another call.")

    def may_retry(self) -> bool:
        """Tell if a worker may send one more request for the task it holds."""
        return self.is_open() and self.budget.allows(self.counts, self.in_flight)

    async def land(self, *of: Any, **more: Any) -> None:
        """Put something on disk, as of `Landed`; there when this returns."""
        await self.disk.land(self.id, Landed(*of, **more))

    def note_status(
        self, status: str, why: str, rejected: bool = False, source: Hashable | None = None
    ) -> None:
        """Stop if nothing succeeds any more, instead of paying for a thousand failures.

        `rejected` if the server refused the request itself: a run in which nothing has succeeded
        stops after FIRST_REQUESTS of those. Rejections of the same `source` count once, since the
        server may refuse that text alone.
        """
        # Any other failure proves that the server accepts this form of request, so all may start.
        if not rejected:
            self.first_success.set()
        elif not self.first_success.is_set():
            # A fresh object equals nothing else, so rejections without a source count one by one.
            self.rejected.add(object() if source is None else source)
            if len(self.rejected) >= FIRST_REQUESTS:
                self.stop(problem=Problem(REJECTED, n=FIRST_REQUESTS, why=why))
        if status not in BREAKING:
            self.in_a_row.clear()
            return
        self.in_a_row[status] += 1
        if self.in_a_row[status] >= FAILURES_IN_A_ROW:
            option = on_command_line(self.job.retry_option)
            told = {"n": FAILURES_IN_A_ROW, "why": why, "on_command_line": option}
            self.stop(problem=Problem(BREAKING[status], **told))


class Line:
    """The connection of a run to a judge's server, opened at the first request, and its prices."""

    def __init__(self, session: Session, judge: Judge, *path: str):
        self.judge, self._session, self._path = judge, session, path
        self._client, self._price, self._opening = None, DayPrice(judge).of, asyncio.Lock()

    async def send(self, body: dict[str, Any]) -> Answer:
        """Send one request."""
        session = self._session
        async with self._opening:
            if self._client is None:
                self._client = await session.stack.enter_async_context(session.connect(self.judge))
                session.started = session.started or time.monotonic()
        try:
            return await self._client.ask(body, *self._path)
        except Unanswered:
            session.counts.note_reply("failed", Receipt())
            raise

    def receipt(self, answer: Answer, model: str) -> Receipt:
        """Return what an answer took, at the day's price of the model."""
        return receipt(answer, self._price(model))
