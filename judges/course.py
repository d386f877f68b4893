"""Course: how a run that asks a model goes on, keeps to its budget, breaks and ends.

What all such runs share, whatever they are for: N workers take tasks from one list, and a heart
beats beside them.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judges.answer import Answer
from judges.budget import Budget
from judges.progress import Counts, usd
from problems import Problem
from words.said import said

# How often a model is asked the same until its reply can be used.
ATTEMPTS = 3
CONCURRENCY = 16
HEARTBEAT_S = 0.5
FAILURES_IN_A_ROW = 20
# So many requests are made before one has come through; where all are refused, no more are.
FIRST_REQUESTS = 3
# How long a run that is asked to stop waits for the requests in flight, which are paid already.
GRACE_S = 5.0
FAILED = said(
    "{n} requests in a row failed, so the run stopped. The last: {why} Check the endpoint, then "
    "run it again; it goes on where it was."
)
TURNED_AWAY = said(
    "The server refused the first {n} requests, so the run stopped. The last: {why} Correct the "
    "judge file or the endpoint, then run it again; it goes on where it was."
)
STOPPED = said("Stopped on request.")

Ask = Callable[[dict], Awaitable[Answer]]
# Makes the connection, something with `ask` (`judges.client.Client`).
Connect = Callable[[], AbstractAsyncContextManager]


class Ended(NamedTuple):
    """How a run ended ('done' or 'stopped'), why, and how far it came."""

    status: str
    why: str
    counts: Counts


@dataclass
class Course:
    """The course of one run, shared by its workers and its heart.

    `breaking` says by the status of replies what ends a run where it comes FAILURES_IN_A_ROW times.
    """

    budget: Budget
    counts: Counts
    breaking: Mapping[str, str]
    in_flight: int = 0
    in_a_row: Counter = field(default_factory=Counter)
    turned_away: set = field(default_factory=set)
    comes_through: asyncio.Event = field(default_factory=asyncio.Event)
    stop: str = ""
    stop_by: float | None = None
    problem: Problem | None = None
    begun: float = field(default_factory=time.monotonic)
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
            self.comes_through.set()

    def is_overdue(self) -> bool:
        """Whether the requests in flight have had their time since the run was to end."""
        return self.stop_by is not None and time.monotonic() > self.stop_by

    async def enters(self) -> bool:
        """Wait until the budget has room for one more request; False where the run ends."""
        while self.goes_on() and not self.budget.allows(self.counts, self.in_flight + 1):
            if not self.in_flight:
                self.end_spent()
                break
            self.freed.clear()
            await self.freed.wait()
        return self.goes_on()

    def end_spent(self) -> None:
        """End, since the budget does not allow another call."""
        self.end(
            said("The budget of {usd} does not allow another call.", usd=usd(self.budget.limit))
        )

    def asks_again(self) -> bool:
        """Whether a worker may ask once more about what it has in hand."""
        return self.goes_on() and self.budget.allows(self.counts, self.in_flight)

    def came(
        self, status: str, why: str, turned_away: bool = False, of: Hashable | None = None
    ) -> None:
        """End where nothing comes through any more, instead of burning a thousand items.

        `turned_away` where the server refused the request itself: then a run that nothing came
        through ends after FIRST_REQUESTS. Of what is asked about several times, `of`, one counts,
        since the server may refuse that text alone.
        """
        if not turned_away:
            self.comes_through.set()
        elif not self.comes_through.is_set():
            self.turned_away.add(object() if of is None else of)
            if len(self.turned_away) >= FIRST_REQUESTS:
                self.end(problem=Problem(TURNED_AWAY.format(n=FIRST_REQUESTS, why=why)))
        if status not in self.breaking:
            self.in_a_row.clear()
            return
        self.in_a_row[status] += 1
        if self.in_a_row[status] >= FAILURES_IN_A_ROW:
            sentence = self.breaking[status].format(n=FAILURES_IN_A_ROW, why=why)
            self.end(problem=Problem(sentence))

    def ended(self) -> Ended:
        """How a run ended that met no problem."""
        return Ended("stopped" if self.stop else "done", self.stop, self.counts)


async def follow(
    course: Course,
    tasks: Iterable,
    workers: int,
    work: Callable[[Any], Awaitable[None]],
    beat: Callable[[], Awaitable[None]],
) -> None:
    """Do every task, so many at once, until all are done or the run ends.

    Args:
        course: Of this run.
        tasks: What to do.
        workers: How many are done at once.
        work: Does one; what it raises ends the run, a Problem after those in flight.
        beat: Is called about every half second: notes progress, hears whether to stop.
    """
    todo, course.begun = iter(tasks), time.monotonic()
    heart = asyncio.create_task(_beating(course, beat))
    pool = [asyncio.create_task(_working(course, todo, work, n)) for n in range(workers)]
    try:
        await _until_through(course, pool, heart)
    finally:
        await _cancelled([*pool, heart])
        course.counts.seconds = time.monotonic() - course.begun


async def _working(
    course: Course, todo: Iterator, work: Callable[[Any], Awaitable[None]], number: int
) -> None:
    """Take tasks until there are none, or the run ends.

    Only the first FIRST_REQUESTS workers begin at once: a key or a setting that every request is
    refused for is then met a few times, and not once by each worker.
    """
    if number >= FIRST_REQUESTS:
        await course.comes_through.wait()
    while await course.enters():
        task = next(todo, None)
        if task is None:
            if not course.in_flight:  # nothing will come through any more
                course.comes_through.set()
            return
        course.in_flight += 1
        try:
            await work(task)
        except Problem as problem:
            course.end(problem=problem)
        finally:
            course.in_flight -= 1
            course.freed.set()
        if not course.turned_away:
            course.comes_through.set()


async def _beating(course: Course, beat: Callable[[], Awaitable[None]]) -> None:
    """Beat every half second; who waits for the budget then looks again."""
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        course.counts.seconds = time.monotonic() - course.begun
        await beat()
        course.freed.set()


async def _until_through(course: Course, pool: list[asyncio.Task], heart: asyncio.Task) -> None:
    """Wait for the workers; a fault in any task, or the end of the grace, ends the wait."""
    waiting = set(pool)
    while waiting and not course.is_overdue():
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
