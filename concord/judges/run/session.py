"""The engine of every run of a model: estimate, confirm, lock, send, store, resume.

A job (`job.Job`) is the remaining work for one purpose. The engine adds what all purposes share:
the estimate and its confirmation, the lock, the record in the store, budget, workers, heartbeat and
writer.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass

from concord.judges.definition.model import Judge
from concord.judges.run.estimate import Estimate
from concord.judges.run.job import (
    CONCURRENCY,
    STOPPED,
    Budget,
    Connect,
    Job,
    Options,
    Outcome,
    Run,
    RunResult,
    run_workers,
)
from concord.judges.run.lock import is_running
from concord.judges.run.progress import Counts, usd
from concord.judges.run.writer import Writer
from concord.messages import Problem, joined
from concord.store import runs
from concord.store.database import Store, open_store

Confirm = Callable[[str], bool]
Progress = Callable[[str], None]
FAULT = "An error in Concord ended the run; the command line shows it."


def run(
    store: Store,
    job: Job,
    connect: Connect,
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    report: Callable[[Counts], None] = lambda counts: None,
    tell: Progress = lambda sentence: None,
) -> RunResult:
    """Do what a job has left. It may be killed at any moment: what was on disk stays.

    The job is read again under the lock. `connect` makes the connection to a judge's server; the
    `budget` in USD is not exceeded by more than the requests in flight, at most `concurrency`;
    `report` is given the counts about every half second, `tell` a sentence while the run waits for
    another that sends the same requests.

    Raises:
        Problem: Another process may ask the same, or the endpoint refuses in a way that no further
            request would survive (key, address, setting). What was on disk stays.
        KeyboardInterrupt: After everything that had arrived was put on disk.
    """
    with job.locked(store, tell) as current:
        # Estimated again: until the lock was held, another run may have done part of the job.
        expected = current.estimate(store)
        counts = current.counts()
        run_id = current.begin(store, expected.as_json(), budget)
        with recorded(store, run_id, counts) as record:
            limit = Budget(budget, expected.cost_per_call())
            state = {"budget": limit, "counts": counts, "breaking": current.breaking}
            work = current.run(store, id=run_id, job=current, **state)
            # First, as a reply on disk may settle what would otherwise be paid for again.
            work.take_stored(store)
            # Without tasks no connection is opened, so a finished run can be repeated without a
            # server.
            if work.is_open() and current.pending:
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
    tasks = work.job.pending
    async with AsyncExitStack() as stack:
        await work.connect(stack, connect)
        # A connection of its own: sqlite3 connections must not be shared with the writer's thread.
        work.reader = stack.enter_context(open_store(path))
        # Entered last, so closed first: everything that arrived is committed before the connections
        # close.
        work.disk = stack.enter_context(Writer(path))
        # More workers than tasks would only wait.
        workers = min(concurrency, len(tasks))
        await run_workers(work, tasks, workers, work.work, lambda: _beat(work, report))


def carry_out(
    store: Store,
    job: Job,
    options: Options,
    confirm: Confirm,
    progress: Progress = lambda sentence: None,
    hand_over: Callable[[Estimate], Outcome] | None = None,
) -> Outcome:
    """Estimate, ask for confirmation where it costs money, and run.

    `confirm` is never called for a free run; `progress` is given a sentence about every half
    second. `hand_over` does a confirmed job in place of a run: submits it as a batch.
    """
    expected = job.estimate(store)
    # Refused before anything is sent: with an unknown price no budget can be enforced.
    check_budget(options.budget, expected)
    warning = job.judge.retirement()
    about = joined(" ", [warning, expected.sentence(options.batch), *job.remarks(store)])
    if options.only_estimate:
        return job.outcome(store, "estimated", about, expected, Counts())
    # `--yes` skips only the confirmation; a free run has nothing to confirm, so scripts need no
    # flag.
    if not (options.yes or expected.is_free()) and not confirm(f"{job.name}: {about}"):
        return job.outcome(store, "declined", "Nothing was asked.", expected, Counts())
    if hand_over is not None:
        return hand_over(expected)
    # The same command given again with a budget changes the limit of the run in progress.
    if options.budget is not None and is_running(store, job.place(store)):
        runs.set_budget(store, job.place(store).newest(store)["id"], options.budget)
        sentence = f"It is running; its budget is now {usd(options.budget)}."
        return job.outcome(store, "running", sentence, expected, Counts())
    ended = run(
        store,
        job,
        _client,
        options.budget,
        options.concurrency,
        lambda counts: progress(f"{job.name}: {job.progress(counts)}"),
        lambda sentence: progress(f"{job.name}: {sentence}"),
    )
    stopped = f"Stopped. {ended.why} " if ended.status == "stopped" else ""
    sentence = f"{stopped}{job.summary(store, ended.counts, expected)}"
    return job.outcome(store, ended.status, sentence, expected, ended.counts)


def check_budget(budget: float | None, expected: Estimate) -> None:
    """Raise a Problem if a budget cannot be kept because a price is unknown."""
    if budget is not None and expected.calls and expected.cost is None:
        raise Problem(
            "The model's price is unknown, so a budget cannot be kept. Set “price” in the judge "
            "file (0 if it is free), or set no budget."
        )


def _client(judge: Judge) -> AbstractAsyncContextManager:
    from concord.judges.transport.client import Client  # imports openai, half a second

    return Client(judge)


@dataclass
class Record:
    """End of a run, as stored; an error unless the work sets another status."""

    status: str = "failed"
    why: str = FAULT


@contextmanager
def recorded(store: Store, run_id: int, counts: Counts) -> Iterator[Record]:
    """Store how a run ended and how far it got, also when it is interrupted."""
    record = Record()
    try:
        yield record
    except KeyboardInterrupt:
        record.status, record.why = "stopped", "Interrupted."
        raise
    except Problem as problem:
        record.status, record.why = "failed", str(problem)
        raise
    finally:
        runs.finish(store, run_id, record.status, record.why, counts.as_dict())


async def _beat(work: Run, report: Callable[[Counts], None]) -> None:
    """Store the progress; read whether to stop, and whether the budget was changed."""
    # The request to stop comes through the store, since another process may have made it.
    if await work.disk.do(runs.heartbeat, work.id, work.counts.as_dict()):
        work.stop(STOPPED)
    # Read again at every beat: the command may be repeated with another budget during the run.
    work.budget = work.budget._replace(limit=await work.disk.do(runs.budget, work.id))
    report(work.counts)
