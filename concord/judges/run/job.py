"""Jobs: what a model has left to do for one purpose, and the run that does it.

Four kinds of job are declared on this: grades by a rubric, metrics, drafts and answers. A job is
read from the store and excludes what is on disk, so resuming is preparing it again; the engine
estimates, confirms, locks, asks and records every kind alike.
"""

import asyncio
import json
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    contextmanager,
)
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from concord import clock
from concord.judges.definition import prices
from concord.judges.definition.model import Judge, Shot
from concord.judges.definition.prices import price_of
from concord.judges.run.estimate import Estimate
from concord.judges.run.lock import RunLocation, Tell, exclusive_lock, of_judge, silent
from concord.judges.run.progress import Counts, usd
from concord.judges.run.writer import Writer
from concord.judges.transport.response import Answer, Unanswered, receipt
from concord.messages import Problem, Said, joined, on_command_line, said
from concord.model import Grader, Sheet
from concord.store import graders, runs
from concord.store.database import Store

# How often a model is asked the same until its reply is usable.
ATTEMPTS = 3
FREE = "It sends no request and costs nothing."
GRADE_MORE = "Grade more answers, then run it again."
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
REJECTED = (
    "The server refused the first {n} requests, so the run stopped. The last: {why} Correct the "
    "judge file or the endpoint, then run it again; it resumes where it stopped."
)
STOPPED = "Stopped on request."

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
        # Replies without a known price would pull the mean towards 0, and the budget would be
        # overrun.
        priced = counts.calls - counts.unpriced - counts.lost
        per_call = counts.cost / priced if priced > 0 else self.expected
        return counts.cost + (counts.unpriced + in_flight) * per_call <= self.limit


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
        self.stop(f"The budget of {usd(self.budget.limit)} does not allow another call.")

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
    # All workers draw from this one iterator, so that no task is done twice.
    todo, state.started = iter(tasks), time.monotonic()

    async def heartbeat() -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            state.counts.seconds = time.monotonic() - state.started
            await beat()
            state.slot_freed.set()  # workers that wait for the budget look again

    beating = asyncio.create_task(heartbeat())
    pool = [asyncio.create_task(_worker(state, todo, work, n)) for n in range(workers)]
    waiting = set(pool)
    try:
        while waiting and not state.is_overdue():
            done, _ = await asyncio.wait(
                {*waiting, beating}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED
            )
            # Raises what the task raised, which asyncio would otherwise only log.
            for ended in done:
                ended.result()
            waiting -= done
    finally:
        # All are cancelled before any is awaited, or one would go on sending meanwhile.
        for task in (*pool, beating):
            task.cancel()
        # Awaited to the end: a task must not write after its store is closed.
        await asyncio.gather(*pool, beating, return_exceptions=True)
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


# Makes the connection to a judge's server, something with `ask` (`client.Client`).
Connect = Callable[[Judge], AbstractAsyncContextManager]
TOO_LONG_IN_A_ROW = said(
    "{n} answers in a row do not fit the model, so the run stopped. The last: {why} Name a model "
    "with a longer context, or `larger` in the judge file, and run it again; for the same judge on "
    "a server with a longer context, choose “Retry where a reply gave no score”{on_command_line}.",
    **VALUES,
    on_command_line=on_command_line("`--retry-unscored`"),
)


@dataclass(frozen=True)
class Options:
    """The user's options of a run, from the commands `judge` and `build`.

    `metrics` are for a judge of kind `metric`; empty means those that its file names.
    `scheduler` is the Dask cluster that asks, if any.
    """

    sheet_name: str | None = None
    model: str | None = None
    base_url: str | None = None
    rubric: str | None = None
    concurrency: int = CONCURRENCY
    repeats: int = 1
    limit: int | None = None
    budget: float | None = None
    only_estimate: bool = False
    yes: bool = False
    retry_unscored: bool = False
    batch: bool = False
    cancel_batch: bool = False
    metrics: tuple[str, ...] = ()
    scheduler: str | None = None

    def check(self, judge: Judge) -> None:
        """Raise a Problem for an option that a judge of this sort does not support."""
        of = sort_of(judge)
        for option, sorts in UNSUPPORTED.items():
            field_name = option[2:].replace("-", "_")
            field_name = "repeats" if field_name == "repeat" else field_name
            if of in sorts and getattr(self, field_name) != getattr(Options, field_name):
                raise Problem(
                    "{judge} does not support {option}. Leave it out.",
                    judge=judge.name,
                    option=option,
                )


def sort_of(judge: Judge) -> str:
    """Return a key of the sets in UNSUPPORTED: the kind of a judge, or what its metrics ask."""
    if not judge.of_metrics:
        return "rubric" if judge.chats and judge.asks_rubric else judge.kind
    return "metrics" if judge.model else "embeds" if judge.embedding else "computed"


_COMPUTED = {"computed", "baseline", "combined"}
# Option -> the sorts of judges that do not support it, as the table in docs/command-line.md.
UNSUPPORTED: dict[str, set[str]] = {
    "--metrics": {"rubric", "decision", "baseline", "combined"},
    "--rubric": {"metrics", "embeds", "computed"},
    "--batch": {"decision", "metrics", "embeds", *_COMPUTED},
    "--cancel-batch": {"decision", "metrics", "embeds", *_COMPUTED},
    "--scheduler": {"metrics", "embeds", *_COMPUTED},
    "--model": _COMPUTED,
    "--base-url": _COMPUTED,
    "--repeat": {"embeds", *_COMPUTED},
    "--limit": {"baseline", "combined"},
    "--retry-unscored": {"baseline", "combined"},
}


@dataclass(frozen=True)
class Outcome:
    """Outcome of one judge's or model's run.

    `status` is estimated, declined, submitted, pending, running, stopped or done.
    """

    name: str
    status: str
    said: str
    estimate: Estimate
    counts: Counts
    # A batch that the server refused as a whole; single failures are in `counts`.
    refused: bool = False

    @property
    def failed(self) -> bool:
        """Tell if a request got no reply, or a batch was refused."""
        return self.refused or self.counts.statuses["failed"] > 0

    @property
    def may_be_used(self) -> bool:
        """Tell if replies were asked for: not only estimated, declined or left to another run."""
        return self.status in ("done", "stopped")

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.name}: {self.said}"

    def as_json(self) -> dict[str, Any]:
        """The outcome for `--json`."""
        return {
            "judge": self.name,
            "status": self.status,
            "said": self.said,
            "failed": self.failed,
            "estimate": self.estimate.as_json(),
            "counts": self.counts.as_dict(),
        }


@dataclass(frozen=True)
class ComputedOutcome:
    """Outcome of a judge that sends no request, with the keys of a judge's run.

    `stored`: grades stored now, None for an estimate. `combination`: what a combined judge gave.
    """

    name: str
    status: str
    said: str
    stored: int | None = None
    combination: Any = None
    failed: ClassVar[bool] = False

    @property
    def counts(self) -> Counts:
        """The counts of a run, as those of a judge that is asked: all scored, no request sent."""
        return Counts(statuses=Counter(scored=self.stored or 0))

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.name}: {self.said}"

    def as_json(self) -> dict[str, Any]:
        """The outcome for `--json`."""
        is_estimate = self.stored is None
        return {
            "judge": self.name,
            "status": self.status,
            "said": self.said,
            "failed": self.failed,
            "estimate": {"calls": 0} if is_estimate else {},
            "counts": {} if is_estimate else {"grades": self.stored},
        } | (self.combination.as_json() if self.combination else {})


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """The remaining work of a judge's model for one purpose, for the sheet `sheet_name`.

    Attributes:
        judge: The judge that is asked, overrides applied.
        retry_unscored: Asks again where earlier replies were of no use.
        pending: What must be asked, a task of any form each.
        cached: Tasks with a good reply on disk that only lack what is made of it.
        settled: How many tasks are done.
        failed: How many of `pending` failed before; they come last, so that a few that a server
            always refuses do not end each run before it has begun.
        as_of: The store's count of changes when the job was read; None where it was not.
        breaking: The sentence that ends a run after many replies in a row of one status.
    """

    breaking: ClassVar[Mapping[str, str]] = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}

    judge: Judge
    retry_unscored: bool = False
    pending: list[Any] = field(default_factory=list)
    cached: list[Any] = field(default_factory=list)
    settled: int = 0
    failed: int = 0
    as_of: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """The judge, or the model, as sentences name it."""
        return self.judge.name

    @abstractmethod
    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""

    @abstractmethod
    def place(self, store: Store) -> RunLocation:
        """Return the location of its runs: lock, log and rows."""

    @abstractmethod
    def held(self, store: Store, tell: Tell = silent) -> AbstractContextManager[None]:
        """Hold the lock; `tell` is given a sentence if it waits for another run.

        Raises:
            Problem: Another process may send the same requests.
        """

    @abstractmethod
    def estimate(self, store: Store) -> Estimate:
        """Return the estimated calls, tokens and USD."""

    @abstractmethod
    def begin(
        self, store: Store, expected: Mapping[str, Any], budget: float | None, **more: Any
    ) -> int:
        """Record the start of a run; returns its id.

        `expected` is the estimate as JSON, and `more` joins the scope stored with the run.
        """

    @abstractmethod
    def run(self, store: Store, **state: Any) -> "Run":
        """Return the run that does it; `state` are the fields that every `Run` has."""

    @abstractmethod
    def command(self, db: str, argument: str, options: Options) -> list[str]:
        """The command line that does the same; `argument` is what the command calls the judge."""

    @contextmanager
    def locked(self, store: Store, tell: Tell = silent) -> Iterator[Self]:
        """Hold the lock and yield the job, read again if anything was written to the store since.

        Its lists are emptied then: two copies of them take twice the memory.
        """
        unchanged = store.changes() == self.as_of
        self.place(store)  # registers a judge that is new to the store, which changes no job
        before = store.changes()
        with self.held(store, tell):
            if unchanged and store.changes() == before:
                yield self
                return
            # Stale: another run may have settled part of it since it was read.
            self.pending.clear()
            self.cached.clear()
            yield self.renewed(store)

    def counts(self) -> Counts:
        """The counts of a run that has asked nothing yet."""
        return Counts(total=len(self.pending) + len(self.cached), before=self.settled)

    def remarks(self, store: Store) -> list[str]:
        """Sentences to read with the estimate and the outcome."""
        return []

    def progress(self, counts: Counts) -> str:
        """Return the progress of a run, in words."""
        return counts.sentence()

    def summary(self, store: Store, counts: Counts, expected: Estimate) -> str:
        """Return sentences on how far a run got."""
        more = [expected.waiting(), *self.remarks(store)]
        return joined(" ", [counts.outcome(), *more])

    def outcome(
        self, store: Store, status: str, sentence: str, expected: Estimate, counts: Counts
    ) -> Outcome:
        """Return how the run ended."""
        return Outcome(self.name, status, sentence, expected, counts)


@dataclass(frozen=True, kw_only=True)
class JudgeJob(Job):
    """The remaining work of a judge on a sheet, by a rubric or for metrics.

    `retried` counts the tasks of `pending` whose earlier reply gave no score, `closed` the items
    that are never scored and so never asked.
    """

    kind: ClassVar[str]

    sheet: Sheet
    fingerprint: str
    rubric_id: int | None = None
    shots: tuple[Shot, ...] = ()
    repeats: int = 1
    limit: int | None = None
    retried: int = 0
    closed: int = 0

    @property
    def sheet_name(self) -> str:
        """The sheet that the run is for."""
        return self.sheet.name

    def definition(self) -> dict[str, Any]:
        """Return what is stored of the judge as a grader."""
        return {"judge": stored_form(self.judge)}

    @property
    def label(self) -> str:
        """The label of the judge as a grader."""
        return f"{self.judge.name}@{self.fingerprint}" if self.fingerprint else self.judge.name

    def grader(self, store: Store) -> Grader | None:
        """Return the judge as a grader; None where it is new to the store."""
        return graders.find(store, self.kind, self.label)

    def register(self, store: Store) -> int:
        """Return the judge's id as a grader, made now where it is new."""
        of = self.kind, self.judge.name, self.fingerprint
        return graders.ensure(store, *of, definition=self.definition())

    def place(self, store: Store) -> RunLocation:
        """Return the location of its runs."""
        return of_judge(self.sheet.id, self.register(store))

    def alike(self, store: Store) -> list[int]:
        """Return the ids of the judges that send the same requests; empty for a new judge."""
        known = self.grader(store)
        return [known.id] if known else []

    def held(self, store: Store, tell: Tell = silent) -> AbstractContextManager[None]:
        """Hold the lock of the judge and the sheet.

        Raises:
            Problem: Another run of this judge may ask about the same contents.
        """
        # A judge without a model pays for nothing, so it may run over shared answers twice.
        wanted = {task.content_hash for task in self.pending} if self.judge.model else ()
        own = self.register(store)
        return exclusive_lock(store, self.sheet, own, {own, *self.alike(store)}, wanted, tell)

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return {
            "limit": self.limit,
            "repeats": self.repeats,
            "retry_unscored": self.retry_unscored,
        }

    def begin(
        self, store: Store, expected: Mapping[str, Any], budget: float | None, **more: Any
    ) -> int:
        """Record the start of a run; returns its id."""
        of = self.register(store), self.sheet.id, self.rubric_id, self.scope() | more
        return runs.start(store, *of, [shot.id for shot in self.shots], expected, budget)

    def command(self, db: str, argument: str, options: Options) -> list[str]:
        """The command line that does the same."""
        given = {
            "sheet": self.sheet_name,
            "model": options.model,
            "base-url": options.base_url,
            "rubric": options.rubric,
            "concurrency": options.concurrency,
            "repeat": options.repeats,
            "limit": options.limit,
            "budget": options.budget,
            "metrics": ",".join(options.metrics) or None,
        }
        flags = ("retry-unscored", "batch", "cancel-batch")
        chosen = [flag for flag in flags if getattr(options, flag.replace("-", "_"))]
        return command_line(db, "judge", given, [*chosen, "yes"], judge_argument(argument))


def stored_form(judge: Judge) -> dict[str, Any]:
    """The judge as it is stored: with the address it is asked at.

    So it stays the same judge when OPENAI_BASE_URL changes.
    """
    as_it_is = judge.model is None or judge.endpoint.azure_endpoint is not None
    return json.loads((judge if as_it_is else judge.with_overrides(base_url=judge.url())).body())


def command_line(
    db: str, verb: str, given: Mapping[str, Any], flags: Sequence[str], *arguments: str
) -> list[str]:
    """The command line of a command; options that are None are left out."""
    # With `=`, so that a value that begins with a dash is not read as an option.
    named = [f"--{key}={value}" for key, value in given.items() if value is not None]
    chosen = [f"--{flag}" for flag in flags]
    # `--` before the arguments: a judge's file may begin with a dash.
    base = [sys.executable, "-m", "concord", "--db", str(Path(db).resolve()), verb]
    return [*base, *named, *chosen, *(["--"] if arguments else []), *arguments]


def judge_argument(name_or_path: str) -> str:
    """A judge as another process finds it, whatever its working folder."""
    is_file = name_or_path.endswith(".toml")
    return str(Path(name_or_path).resolve()) if is_file else name_or_path


@dataclass(kw_only=True)
class Run(RunState, ABC):
    """A job being done: the state of the run, and what its workers share.

    `disk` is the only writer while the workers run, `reader` a connection for reading, and `send`
    the connection to the judge's server.
    """

    id: int
    job: Job
    disk: Writer | None = None
    reader: Store | None = None
    send: Send | None = None

    @cached_property
    def _prices(self) -> tuple[prices.Price, ...]:
        """The prices of prices.toml, read once a run."""
        return prices.load()

    def receipt(self, judge: Judge, answer: Answer, model: str | None = None) -> runs.Receipt:
        """Return what an answer took, at today's price of the judge's model or the named one."""
        return receipt(answer, price_of(self._prices, judge, clock.today(), model))

    def take_stored(self, store: Store) -> None:
        """Settle what replies on disk settle, before the first request."""

    async def connect(self, stack: AsyncExitStack, connect: Connect) -> None:
        """Open the connections; they are closed with the stack."""
        self.send = (await stack.enter_async_context(connect(self.job.judge))).ask

    @abstractmethod
    async def work(self, task: Any) -> None:
        """Ask for one task; every reply is on disk before the next request is sent."""
