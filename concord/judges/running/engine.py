"""The engine of every run of a model: plan, estimate, confirm, lock, send, store, resume.

A `Plan` is the remaining work for one purpose (grades by a rubric, metrics, drafts, answers); a
`Run` executes it. The engine adds what all purposes share: the estimate and its confirmation, the
lock, the record in the store, budget, workers, heartbeat and writer. Resuming is planning again: a
plan excludes what is on disk.
"""

import asyncio
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    contextmanager,
)
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from concord import clock
from concord.judges.definition import prices
from concord.judges.definition.judge_price import price_of
from concord.judges.definition.model import Judge
from concord.judges.running.estimate import Estimate
from concord.judges.running.job import Job
from concord.judges.running.progress import Counts, usd
from concord.judges.running.run_lock import Place, held_off, is_running, of_judge
from concord.judges.running.run_loop import (
    CONCURRENCY,
    FAILED,
    STOPPED,
    Budget,
    RunResult,
    RunState,
    run_workers,
)
from concord.judges.running.writer import Writer
from concord.judges.transport.response import Answer, receipt
from concord.messages import Problem, said
from concord.store import runs
from concord.store.database import Store, open_store

# Makes the connection to a judge's server, something with `ask` (`client.Client`).
Connect = Callable[[Judge], AbstractAsyncContextManager]
Confirm = Callable[[str], bool]
Progress = Callable[[str], None]
FAULT = said("An error in Concord ended the run; the command line shows it.")
TOO_LONG_IN_A_ROW = said(
    "{n} answers in a row do not fit the model, so the run stopped. The last: {why} Name a model "
    "with room for them, or `larger` in the judge file, and run it again; for the same judge on a "
    "server with more room, add --retry-unscored."
)
BREAKING = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}


@dataclass(frozen=True)
class Options:
    """The user's options of a run, from the commands `judge`, `build` and `answer`.

    `metrics` are for a judge of kind `metric`; empty means those that its file names.
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


@dataclass(kw_only=True)
class Run(RunState, ABC):
    """A plan being done: the state of the run, and what its workers share.

    `disk` is the only writer while the workers run, `reader` a connection for reading.
    """

    id: int
    disk: Writer | None = None
    reader: Store | None = None

    @cached_property
    def _prices(self) -> tuple[prices.Price, ...]:
        """The prices of prices.toml, read once a run."""
        return prices.load()

    def receipt(self, judge: Judge, answer: Answer, model: str | None = None) -> runs.Receipt:
        """Return what an answer took, at today's price of the judge's model or the named one."""
        return receipt(answer, price_of(self._prices, judge, clock.today(), model))

    @abstractmethod
    def tasks(self) -> Sequence:
        """Return the requests to send."""

    def take_stored(self, store: Store) -> None:
        """Settle what replies on disk settle, before the first request."""

    @abstractmethod
    async def connect(self, stack: AsyncExitStack, connect: Connect) -> None:
        """Open the connections; they are closed with the stack."""

    @abstractmethod
    async def work(self, task: Any) -> None:
        """Ask for one task; every reply is on disk before the next request is sent."""


class Plan(ABC):
    """The remaining work for one purpose, read from the store."""

    judge: Judge
    sheet_name: str

    @property
    def name(self) -> str:
        """The judge, or the model, as sentences name it."""
        return self.judge.name

    @abstractmethod
    def place(self, store: Store) -> Place:
        """Return the location of its runs: lock, log and rows."""

    @abstractmethod
    def locked(self, store: Store) -> AbstractContextManager[Self]:
        """Hold the lock and yield the plan, read again under it.

        Raises:
            Problem: Another process may send the same requests.
        """

    @abstractmethod
    def estimate(self, store: Store) -> Estimate:
        """Return the estimated calls, tokens and USD."""

    @abstractmethod
    def counts(self) -> Counts:
        """The counts of a run that has asked nothing yet."""

    @abstractmethod
    def begin(self, store: Store, expected: Estimate, budget: float | None) -> int:
        """Record the start of a run; returns its id."""

    @abstractmethod
    def run(self, run_id: int, budget: Budget, counts: Counts) -> Run:
        """The run that does it."""

    def remarks(self, store: Store) -> list[str]:
        """Sentences to read with the estimate and the outcome."""
        return []

    def progress(self, counts: Counts) -> str:
        """Return the progress of a run, in words."""
        return counts.sentence()

    def summary(self, store: Store, counts: Counts, expected: Estimate) -> str:
        """Return sentences on how far a run got."""
        return " ".join([counts.outcome(), *self.remarks(store)])

    def outcome(
        self, store: Store, status: str, sentence: str, expected: Estimate, counts: Counts
    ) -> Outcome:
        """Return how the run ended."""
        return Outcome(self.name, status, sentence, expected, counts)

    @abstractmethod
    def command(self, db: str, argument: str, options: Options) -> list[str]:
        """The command line that does the same; `argument` is what the command calls the judge."""


@dataclass(frozen=True)
class JudgePlan(Plan):
    """A judge's remaining work on a sheet; `grader_id` is known under the lock."""

    job: Job
    grader_id: int | None = None

    @property
    def judge(self) -> Judge:
        """The judge that is asked."""
        return self.job.judge

    @property
    def sheet_name(self) -> str:
        """The sheet that the run is for."""
        return self.job.sheet.name

    def place(self, store: Store) -> Place:
        """Return the location of its runs."""
        return of_judge(self.job.sheet.id, self.job.register(store))

    @contextmanager
    def locked(self, store: Store) -> Iterator[Self]:
        """Hold the lock; the job is read again if anything was written to the store since.

        Its lists are emptied then: two copies of them take twice the memory.
        """
        job, unchanged = self.job, store.changes() == self.job.as_of
        job.register(store)  # a judge that is new to the store does not change its job
        before = store.changes()
        with held(store, job) as grader_id:
            if not unchanged or store.changes() != before:
                # Stale: another run may have settled part of it since it was read.
                job.pending.clear()
                job.cached.clear()
                job = job.renewed(store)
            yield replace(self, job=job, grader_id=grader_id)

    def counts(self) -> Counts:
        """The counts of a run that has asked nothing yet."""
        job = self.job
        return Counts(total=len(job.pending) + len(job.cached), before=job.settled)

    def begin(self, store: Store, expected: Estimate, budget: float | None) -> int:
        """Record the start of a run; returns its id."""
        return self.job.begin(store, self.grader_id, expected.as_json(), budget)

    def command(self, db: str, argument: str, options: Options) -> list[str]:
        """The command line that does the same."""
        return judge_command(db, argument, self.sheet_name, options)


@contextmanager
def held(store: Store, job: Job) -> Iterator[int]:
    """Hold the lock of a job's judge and sheet; yields the judge's id as a grader.

    Raises:
        Problem: Another run of this judge may ask about the same contents.
    """
    grader_id = job.register(store)
    # A judge without a model pays for nothing, so it may run over shared answers twice.
    wanted = {task.content_hash for task in job.pending} if job.judge.model else ()
    with held_off(store, job.judge.name, job.sheet, grader_id, wanted):
        yield grader_id


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


def judge_command(db: str, argument: str, sheet: str, options: Options) -> list[str]:
    """The command line of `judge` for one judge and sheet."""
    given = {
        "sheet": sheet,
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
    judge = judge_argument(argument)
    return command_line(db, "judge", given, [*chosen, "yes"], judge)


def run(
    store: Store,
    plan: Plan,
    connect: Connect,
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    report: Callable[[Counts], None] = lambda counts: None,
) -> RunResult:
    """Do what a plan has left. It may be killed at any moment: what was on disk stays.

    The plan is read again under the lock. `connect` makes the connection to a judge's server; the
    `budget` in USD is not exceeded by more than the requests in flight, at most `concurrency`;
    `report` is given the counts about every half second.

    Raises:
        Problem: Another process may ask the same, or the endpoint refuses in a way that no further
            request would survive (key, address, setting). What was on disk stays.
        KeyboardInterrupt: After everything that had arrived was put on disk.
    """
    with plan.locked(store) as current:
        # Estimated again: until the lock was held, another run may have done part of the plan.
        expected = current.estimate(store)
        counts = current.counts()
        run_id = current.begin(store, expected, budget)
        with recorded(store, run_id, counts) as record:
            work = current.run(run_id, Budget(budget, expected.cost_per_call()), counts)
            # Before `tasks`: a reply on disk may settle a request that would otherwise be paid for
            # again.
            work.take_stored(store)
            # Without tasks no connection is opened, so a finished run can be repeated without a
            # server.
            if work.is_open() and work.tasks():
                asyncio.run(_ask(store.path, work, connect, concurrency, report))
            report(counts)
            # Raised inside `recorded`, which stores it as the reason why the run ended.
            if work.problem:
                raise work.problem
            record.status, record.why, _ = work.result()
        return work.result()


async def _ask(
    path: str,
    work: Run,
    connect: Connect,
    concurrency: int,
    report: Callable[[Counts], None],
) -> None:
    """Run workers, writer and heartbeat together; returns when all replies are on disk."""
    tasks = work.tasks()
    async with AsyncExitStack() as stack:
        await work.connect(stack, connect)
        # A connection of its own: sqlite3 connections must not be shared with the writer's thread.
        work.reader = stack.enter_context(open_store(path))
        # Entered last, so closed first: everything that arrived is committed before the connections
        # close.
        work.disk = stack.enter_context(Writer(path))
        await run_workers(
            work,
            tasks,
            # More workers than tasks would only wait.
            min(concurrency, len(tasks)),
            work.work,
            lambda: beat(work, work.disk, work.id, report),
        )


def carry_out(
    store: Store,
    plan: Plan,
    options: Options,
    confirm: Confirm,
    progress: Progress = lambda sentence: None,
    hand_over: Callable[[Estimate], Outcome] | None = None,
) -> Outcome:
    """Estimate, ask for confirmation where it costs money, and run.

    `confirm` is never called for a free run; `progress` is given a sentence about every half
    second. `hand_over` does a confirmed plan in place of a run: submits it as a batch.
    """
    expected = plan.estimate(store)
    # Refused before anything is sent: with an unknown price no budget can be enforced.
    check_budget(options.budget, expected)
    warning = plan.judge.retirement(clock.today())
    about = " ".join(filter(None, [warning, expected.sentence(), *plan.remarks(store)]))
    if options.only_estimate:
        return plan.outcome(store, "estimated", about, expected, Counts())
    # `--yes` skips only the confirmation; a free run has nothing to confirm, so scripts need no
    # flag.
    if not (options.yes or expected.is_free()) and not confirm(f"{plan.name}: {about}"):
        return plan.outcome(store, "declined", "Nothing was asked.", expected, Counts())
    if hand_over is not None:
        return hand_over(expected)
    # The same command given again with a budget changes the limit of the run in progress.
    if options.budget is not None and is_running(store, plan.place(store)):
        runs.set_budget(store, plan.place(store).newest(store)["id"], options.budget)
        sentence = f"It is running; its budget is now {usd(options.budget)}."
        return plan.outcome(store, "running", sentence, expected, Counts())
    ended = run(
        store,
        plan,
        _client,
        options.budget,
        options.concurrency,
        lambda counts: progress(f"{plan.name}: {plan.progress(counts)}"),
    )
    stopped = f"Stopped. {ended.why} " if ended.status == "stopped" else ""
    sentence = f"{stopped}{plan.summary(store, ended.counts, expected)}"
    return plan.outcome(store, ended.status, sentence, expected, ended.counts)


def check_budget(budget: float | None, expected: Estimate) -> None:
    """Raise a Problem if a budget cannot be kept because a price is unknown."""
    if budget is not None and expected.calls and expected.cost is None:
        raise Problem(
            "The model's price is unknown, so a budget cannot be kept. Set `price` in the judge "
            "file (0 if it is free), add it to judges/prices.toml, or set no budget."
        )


def _client(judge: Judge) -> AbstractAsyncContextManager:
    from concord.judges.transport.client import Client  # imports openai, half a second

    return Client(judge)


@dataclass
class Record:
    """End of a run, as stored; an error unless the work sets another status."""

    id: int
    status: str = "failed"
    why: str = FAULT


@contextmanager
def recorded(store: Store, run_id: int, counts: Counts) -> Iterator[Record]:
    """Store how a run ended and how far it got, also when it is interrupted."""
    record = Record(run_id)
    try:
        yield record
    except KeyboardInterrupt:
        record.status, record.why = "stopped", said("Interrupted.")
        raise
    except Problem as problem:
        record.status, record.why = "failed", str(problem)
        raise
    finally:
        runs.finish(store, record.id, record.status, record.why, counts.as_dict())


async def beat(
    state: RunState, disk: Writer, run_id: int, report: Callable[[Counts], None]
) -> None:
    """Store the progress; read whether to stop, and whether the budget was changed."""
    # The request to stop comes through the store, since another process may have made it.
    if await disk.do(runs.beat, run_id, state.counts.as_dict()):
        state.stop(STOPPED)
    # Read again at every beat: the command may be repeated with another budget during the run.
    state.budget = state.budget._replace(limit=await disk.do(runs.budget, run_id))
    report(state.counts)
