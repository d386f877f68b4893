"""The loop of a run that asks a model: workers, budget, circuit breaker, heartbeat and stop.

N workers take tasks from one list, a heartbeat runs next to them, and one `RunState` is shared by
all. Nothing here knows what a task asks for.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from concord.judges.running.progress import Counts, usd
from concord.judges.transport.response import Answer, Unanswered
from concord.messages import Problem, Said, said

# How often a model is asked the same until its reply is usable.
ATTEMPTS = 3
CONCURRENCY = 16
HEARTBEAT_S = 0.5
FAILURES_IN_A_ROW = 20
# So many requests are sent before one has succeeded; if all are rejected, no more are.
FIRST_REQUESTS = 3
# Time that a stopping run gives the requests in flight, which are paid already.
GRACE_S = 5.0
VALUES = {"n": "", "why": ""}  # of a sentence that ends a run, known only then
FAILED = said(
    "{n} requests in a row failed, so the run stopped. The last: {why} Check the endpoint, then "
    "run it again; it resumes where it stopped.",
    **VALUES,
)
REJECTED = said(
    "The server refused the first {n} requests, so the run stopped. The last: {why} Correct the "
    "judge file or the endpoint, then run it again; it resumes where it stopped."
)
STOPPED = said("Stopped on request.")

# Sends one request.
Send = Callable[[dict[str, Any]], Awaitable[Answer]]
# Stores the reply to (attempt, body); returns the body to send next, None if the task is settled.
Take = Callable[[int, dict[str, Any], Answer], Awaitable[dict[str, Any] | None]]


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
        return counts.cost + (counts.unpriced + in_flight) * self._per_call(counts) <= self.limit

    def _per_call(self, counts: Counts) -> float:
        # Replies without a known price would pull the mean towards 0, and the budget would be
        # overrun.
        priced = counts.calls - counts.unpriced - counts.lost
        return counts.cost / priced if priced > 0 else self.expected


class RunResult(NamedTuple):
    """End of a run: status ('done' or 'stopped'), reason and counts."""

    status: str
    why: str
    counts: Counts


@dataclass
class RunState:
    """The state of one run, shared by its workers and its heartbeat.

    `breaking` maps a status to the sentence that ends the run after FAILURES_IN_A_ROW of it.
    """

    budget: Budget
    counts: Counts
    breaking: Mapping[str, Said]
    in_flight: int = 0
    in_a_row: Counter = field(default_factory=Counter)
    rejected: set = field(default_factory=set)
    first_success: asyncio.Event = field(default_factory=asyncio.Event)
    stop_reason: str = ""
    stop_by: float | None = None
    problem: Problem | None = None
    started: float = field(default_factory=time.monotonic)
    slot_freed: asyncio.Event = field(default_factory=asyncio.Event)

    def is_open(self) -> bool:
        """Tell if new requests may be sent."""
        return not self.stop_reason and self.problem is None

    def stop(self, why: str = "", problem: Problem | None = None) -> None:
        """Send no new requests and leave those in flight GRACE_S; the first reason counts."""
        if self.is_open():
            self.stop_reason, self.problem = why, problem
            # Monotonic: a clock that is set back must not extend the grace period.
            self.stop_by = time.monotonic() + GRACE_S
            self.slot_freed.set()
            self.first_success.set()

    def is_overdue(self) -> bool:
        """Tell if the grace period of a stopped run is over."""
        return self.stop_by is not None and time.monotonic() > self.stop_by

    async def admit(self) -> bool:
        """Wait until the budget has room for one more request; False if the run ends."""
        while self.is_open() and not self.budget.allows(self.counts, self.in_flight + 1):
            # With requests in flight the actual cost may still turn out below the estimate.
            if not self.in_flight:
                self.stop_over_budget()
                break
            self.slot_freed.clear()
            await self.slot_freed.wait()
        return self.is_open()

    def stop_over_budget(self) -> None:
        """Stop because the budget does not allow another call."""
        self.stop(
            said("The budget of {usd} does not allow another call.", usd=usd(self.budget.limit))
        )

    def may_retry(self) -> bool:
        """Tell if a worker may send one more request for the task it holds."""
        return self.is_open() and self.budget.allows(self.counts, self.in_flight)

    async def ask(self, send: Send, body: dict[str, Any], take: Take, tried: int = 0) -> bool:
        """Send a request until its reply is usable, at most ATTEMPTS times.

        `take` puts each reply on disk before the next request is sent: a kill costs what is in
        flight. Returns False if the run ended before the task was settled. An earlier run that was
        stopped has `tried` so often.
        """
        for attempt in range(tried + 1, ATTEMPTS + 1):
            # `take` may change the body, for example to the larger model or to repeat a truncated
            # reply.
            try:
                answer = await send(body)
            except Unanswered:
                self.counts.note_lost()
                raise
            body = await take(attempt, body, answer)
            if body is None:
                break
            if attempt < ATTEMPTS and not self.may_retry():
                return False
        return True

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
        if status not in self.breaking:
            self.in_a_row.clear()
            return
        self.in_a_row[status] += 1
        if self.in_a_row[status] >= FAILURES_IN_A_ROW:
            ends = self.breaking[status]
            values = {**ends.values, "n": FAILURES_IN_A_ROW, "why": why}
            self.stop(problem=Problem(ends.with_values(values)))

    def result(self) -> RunResult:
        """Return the result of a run without a problem."""
        return RunResult("stopped" if self.stop_reason else "done", self.stop_reason, self.counts)


async def run_workers(
    state: RunState,
    tasks: Iterable,
    workers: int,
    work: Callable[[Any], Awaitable[None]],
    beat: Callable[[], Awaitable[None]],
) -> None:
    """Do every task until all are done or the run ends.

    So many `workers` take from one list: an asyncio task for each of 100,000 items slows every turn
    of the loop. What `work` raises ends the run, a Problem after those in flight. `beat` is called
    about every half second: it notes progress and checks for a request to stop.
    """
    todo, state.started = iter(tasks), time.monotonic()
    # All workers draw from this one iterator, so that no task is done twice.
    heartbeat = asyncio.create_task(_heartbeat(state, beat))
    pool = [asyncio.create_task(_worker(state, todo, work, n)) for n in range(workers)]
    try:
        await _wait_for(state, pool, heartbeat)
    finally:
        await _cancel([*pool, heartbeat])
        state.counts.seconds = time.monotonic() - state.started


async def _worker(
    state: RunState, todo: Iterator, work: Callable[[Any], Awaitable[None]], number: int
) -> None:
    """Take tasks until there are none or the run ends.

    Only the first FIRST_REQUESTS workers start at once: a key or a setting that every request is
    rejected for is then met a few times, not once by each worker.
    """
    if number >= FIRST_REQUESTS:
        await state.first_success.wait()
    while await state.admit():
        task = next(todo, None)
        if task is None:
            if not state.in_flight:  # nothing can succeed any more
                state.first_success.set()
            return
        # No await between `admit` and this line, or two workers could pass on the same rest of the
        # budget.
        state.in_flight += 1
        try:
            await work(task)
        except Problem as problem:
            state.stop(problem=problem)
        finally:
            state.in_flight -= 1
            state.slot_freed.set()
        # Also after a task that sent no request, or the other workers would wait for ever.
        if not state.rejected:
            state.first_success.set()


async def _heartbeat(state: RunState, beat: Callable[[], Awaitable[None]]) -> None:
    """Beat every half second; workers that wait for the budget then look again."""
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        state.counts.seconds = time.monotonic() - state.started
        await beat()
        state.slot_freed.set()


async def _wait_for(state: RunState, pool: list[asyncio.Task], heartbeat: asyncio.Task) -> None:
    """Wait for the workers; a fault in any task, or the end of the grace period, ends the wait."""
    waiting = set(pool)
    while waiting and not state.is_overdue():
        done, _ = await asyncio.wait(
            {*waiting, heartbeat}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED
        )
        # Raises what the task raised, which asyncio would otherwise only log.
        for ended in done:
            ended.result()
        waiting -= done


async def _cancel(tasks: list[asyncio.Task]) -> None:
    for task in tasks:
        # All are cancelled before any is awaited, or one would go on sending while another is
        # awaited.
        task.cancel()
    # Awaited to the end: a task must not write after its store is closed.
    await asyncio.gather(*tasks, return_exceptions=True)
