"""Runner: goes over what a job has left, asks, and puts every reply on disk as it lands.

N workers take tasks from one queue; one writer, on a thread of its own, commits whenever it is
free. A run holds a file lock that dies with its process. It can be killed at any moment: what was
on disk stays, and the next run asks only what is missing.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date

from data import clock, grades, runs, sheets
from data.grades import Press
from data.runs import Reply
from data.store import Store, file_lock, open_store
from judges import job as jobs
from judges import price
from judges.answer import Answer
from judges.job import Job, Task
from judges.prompt import parts
from judges.reply import Verdict, finished, parse
from judges.request import request, route
from problems import Problem
from rubrics.model import canonical_json

ATTEMPTS = 3
CONCURRENCY = 16
HEARTBEAT_S = 1.0
FAILURES_IN_A_ROW = 20

Ask = Callable[[dict], Awaitable[Answer]]
Connect = Callable[[], AbstractAsyncContextManager]


@dataclass
class Counts:
    """How far a run is; `cost` is USD, and `unpriced` counts the replies whose price is unknown."""

    total: int = 0
    done: int = 0
    cached: int = 0
    calls: int = 0
    statuses: Counter = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def as_dict(self) -> dict:
        """The counts as they are stored with the run and shown."""
        return asdict(self) | {"statuses": dict(self.statuses)}


@dataclass
class _Run:
    """The state of one run, shared by its workers, writer and heartbeat."""

    job: Job
    run_id: int
    grader_id: int
    budget: float | None
    prices: tuple
    counts: Counts
    in_flight: int = 0
    failures: int = 0
    stop: str = ""
    problem: Problem | None = None
    landed: asyncio.Queue = field(default_factory=asyncio.Queue)

    def mean_cost(self) -> float:
        """The mean cost of a call so far, to keep the budget with calls in flight."""
        priced = self.counts.calls - self.counts.unpriced
        return self.counts.cost / priced if priced else 0.0

    def over_budget(self) -> bool:
        """Whether one more call might pass the budget."""
        if self.budget is None:
            return False
        return self.counts.cost + (self.in_flight + 1) * self.mean_cost() > self.budget


def run(
    store: Store,
    job: Job,
    connect: Connect,
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    report: Callable[[Counts], None] = lambda counts: None,
) -> tuple[str, str, Counts]:
    """Do what a job has left; returns how it ended ('done', 'stopped'), why, and the counts.

    Args:
        store: The open store.
        job: From `judges.job.prepare`.
        connect: Makes the connection, something with `ask` (`judges.client.Client`).
        budget: USD that are not to be passed by more than the requests in flight.
        concurrency: How many requests are in flight at most.
        report: Is told the counts about every second.

    Raises:
        Problem: Another run of this judge and sheet is going on, or the endpoint refuses in a way
            that no further request would survive (key, address, setting). What was on disk stays.
        KeyboardInterrupt: After everything that had landed was put on disk.
    """
    with _locked(store, job) as grader_id:
        job = jobs.renewed(store, job)  # another run may have ended since the job was prepared
        run_id = _start(store, job, grader_id, budget)
        prices = price.load()
        state = _Run(job, run_id, grader_id, budget, prices, Counts(total=_total(job)))
        try:
            _take_cached(store, state)
            asyncio.run(_go(store.path, state, connect, concurrency, report))
        except KeyboardInterrupt:
            runs.finish(store, run_id, "stopped", "Interrupted.", state.counts.as_dict())
            raise
        except Problem as problem:
            runs.finish(store, run_id, "failed", str(problem), state.counts.as_dict())
            raise
        status = "stopped" if state.stop else "done"
        runs.finish(store, run_id, status, state.stop, state.counts.as_dict())
        return status, state.stop, state.counts


def is_running(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether a process is at work on this judge and sheet; a dead one's run is closed."""
    with file_lock(_lock_path(store, sheet_id, grader_id), wait=False) as free:
        if not free:
            return True
        latest = runs.latest(store, sheet_id, grader_id)
        if latest and latest["status"] == "running":
            runs.interrupt(store, latest["id"], "The process ended before the run did.")
        return False


@contextmanager
def _locked(store: Store, job: Job) -> Iterator[int]:
    grader_id = jobs.grader_id(store, job)
    with file_lock(_lock_path(store, job.sheet.id, grader_id), wait=False) as free:
        if not free:
            raise Problem(
                f"{job.judge.name} is already running over “{job.sheet.name}”. Wait for it, or "
                "stop it first."
            )
        latest = runs.latest(store, job.sheet.id, grader_id)
        if latest and latest["status"] == "running":
            runs.interrupt(store, latest["id"], "The process ended before the run did.")
        yield grader_id


def _lock_path(store: Store, sheet_id: int, grader_id: int) -> str:
    return f"{store.path}.run-{sheet_id}-{grader_id}.lock"


def _start(store: Store, job: Job, grader_id: int, budget: float | None) -> int:
    return runs.start(
        store,
        grader_id,
        job.sheet.id,
        job.rubric_id,
        scope={"limit": job.limit, "repeats": job.repeats},
        examples=[shot.id for shot in job.shots],
        estimate=jobs.estimate(store, job).as_json(),
        budget=budget,
    )


def _total(job: Job) -> int:
    return len(job.pending) + len(job.cached)


def _take_cached(store: Store, state: _Run) -> None:
    """Write the grades of contents that the judge has answered well before; nothing is asked."""
    good = runs.good(store, state.grader_id, state.job.sheet.id)
    presses: list[Press] = []
    for task in state.job.cached:
        raw = good[task.content_hash, task.part, task.repeat]["raw"]
        verdicts = parse(json.loads(raw), _names(state.job, task), state.job.rubric.scale)
        presses += _presses(state, task, verdicts)
        state.counts.cached += 1
        state.counts.done += 1
        state.counts.statuses.update(verdict.status for verdict in verdicts.values())
    grades.record(store, presses)


async def _go(
    path: str, state: _Run, connect: Connect, concurrency: int, report: Callable[[Counts], None]
) -> None:
    """Workers, writer and heartbeat together; leaves when all have landed or the run stops."""
    tasks: asyncio.Queue[Task] = asyncio.Queue()
    for task in state.job.pending:
        tasks.put_nowait(task)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(connect()) if state.job.pending else None
        reader = stack.enter_context(open_store(path))
        disk = stack.enter_context(_Writer(path))
        writer = asyncio.create_task(_write(state, disk))
        heart = asyncio.create_task(_beat(state, disk, report))
        workers = [
            asyncio.create_task(_work(reader, state, tasks, client.ask))
            for _ in range(min(concurrency, len(state.job.pending)))
        ]
        try:
            await _all_or_first_failure([*workers], writer)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            heart.cancel()
            await asyncio.gather(heart, return_exceptions=True)
            state.landed.put_nowait(None)
            await writer
    report(state.counts)
    if state.problem:
        raise state.problem


async def _all_or_first_failure(workers: list[asyncio.Task], writer: asyncio.Task) -> None:
    """Wait until every worker is through; a failing worker or writer ends the wait."""
    waiting = {*workers}
    while waiting:
        done, _ = await asyncio.wait({*waiting, writer}, return_when=asyncio.FIRST_COMPLETED)
        for finished_task in done:
            finished_task.result()
        waiting -= done
        if writer in done:
            return


async def _work(reader: Store, state: _Run, tasks: asyncio.Queue, ask: Ask) -> None:
    """Take tasks until there are none, or the run is stopped."""
    while not tasks.empty() and not state.stop and state.problem is None:
        if state.over_budget():
            state.stop = f"The budget of ${state.budget:.2f} is reached."
            return
        task = tasks.get_nowait()
        state.in_flight += 1
        try:
            replies, verdicts = await _judge(reader, state, task, ask)
        except Problem as problem:
            state.problem = state.problem or problem
            return
        finally:
            state.in_flight -= 1
        _count(state, replies, verdicts)
        state.landed.put_nowait((replies, _presses(state, task, verdicts)))
        _break_circuit(state, verdicts)


async def _judge(
    reader: Store, state: _Run, task: Task, ask: Ask
) -> tuple[list[Reply], dict[str, Verdict]]:
    """Ask about one content until the reply can be read, at most ATTEMPTS times."""
    job = state.job
    names = _names(job, task)
    item = sheets.item(reader, task.item_ids[0]).item
    body = request(job.judge, job.rubric, item, task.part, job.shots)
    model = route(job.judge, body)
    if model is None:
        return [], dict.fromkeys(names, Verdict("too_long", why="Does not fit the model."))
    body["model"] = model
    replies, best = [], {}
    for attempt in range(1, ATTEMPTS + 1):
        answer = await ask(body)
        verdicts = _verdicts(answer, names, job.rubric.scale)
        replies.append(_reply(state, task, attempt, body, answer, verdicts))
        best = max(best, verdicts, key=_scored) if best else verdicts
        if answer.status in ("failed", "too_long") or finished(verdicts):
            break
    return replies, best


def _verdicts(answer: Answer, names: list[str], scale: tuple[int, ...]) -> dict[str, Verdict]:
    """The verdicts of an answer; one that never became a completion has its own status."""
    if answer.status:
        return dict.fromkeys(names, Verdict(answer.status, why=answer.why))
    return parse(answer.completion, names, scale)


def _scored(verdicts: dict[str, Verdict]) -> int:
    return sum(verdict.status == "scored" for verdict in verdicts.values())


def _names(job: Job, task: Task) -> list[str]:
    return [criterion.name for criterion in parts(job.judge, job.rubric)[task.part]]


def _presses(state: _Run, task: Task, verdicts: dict[str, Verdict]) -> list[Press]:
    versions = state.job.rubric.versions()
    return [
        Press(
            item_id,
            versions[name],
            state.grader_id,
            verdict.status,
            verdict.score,
            verdict.reason or verdict.why,
            repeat=task.repeat,
            run_id=state.run_id,
        )
        for item_id in task.item_ids
        for name, verdict in verdicts.items()
    ]


def _reply(
    state: _Run,
    task: Task,
    attempt: int,
    body: dict,
    answer: Answer,
    verdicts: dict[str, Verdict],
) -> Reply:
    """One answer as it is stored, with what it cost at today's price."""
    usage = answer.usage
    today = date.fromisoformat(clock.today())
    model_price = price.price_of(state.prices, state.job.judge, today, body["model"])
    spent = price.cost(usage, model_price) if usage else None
    unscored = [v.status for v in verdicts.values() if v.status != "scored"]
    return Reply(
        state.grader_id,
        task.item_ids[0],
        task.content_hash,
        task.part,
        task.repeat,
        attempt,
        canonical_json(body),
        answer.raw,
        unscored[0] if unscored else "scored",
        answer.finish_reason,
        usage.input if usage else None,
        usage.output if usage else None,
        usage.cached if usage else None,
        model_price.model_dump_json(exclude_none=True) if model_price else None,
        str(model_price.date) if model_price else None,
        None if spent is None else float(spent),
        answer.latency,
        answer.model,
        answer.system_fingerprint,
    )


def _count(state: _Run, replies: list[Reply], verdicts: dict[str, Verdict]) -> None:
    counts = state.counts
    counts.done += 1
    counts.calls += len(replies)
    counts.statuses.update(verdict.status for verdict in verdicts.values())
    for reply in replies:
        counts.tokens_in += reply.tokens_in or 0
        counts.tokens_out += reply.tokens_out or 0
        counts.cost += reply.cost or 0.0
        counts.unpriced += reply.cost is None and reply.status != "failed"


def _break_circuit(state: _Run, verdicts: dict[str, Verdict]) -> None:
    """Stop where nothing comes through any more, instead of failing a thousand items."""
    if any(verdict.status != "failed" for verdict in verdicts.values()):
        state.failures = 0
        return
    state.failures += 1
    if state.failures >= FAILURES_IN_A_ROW and state.problem is None:
        why = next(iter(verdicts.values())).why
        state.problem = Problem(
            f"{FAILURES_IN_A_ROW} requests in a row failed, so the run stopped. The last: {why} "
            "Check the endpoint, then repeat the command; it goes on where it was."
        )


class _Writer:
    """The only one that writes during a run: a thread of its own with a connection of its own."""

    def __init__(self, path: str):
        self._path = path
        self._thread = ThreadPoolExecutor(1)

    def __enter__(self) -> "_Writer":
        self._store = self._thread.submit(open_store, self._path).result()
        return self

    def __exit__(self, *_) -> None:
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()

    async def do(self, write: Callable, *values):
        """Run `write(store, *values)` on the writer's thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, write, self._store, *values)


async def _write(state: _Run, disk: _Writer) -> None:
    """Commit all that has landed, whenever the writer is free; never wait to fill a batch."""
    over = False
    while not over:
        batch = [await state.landed.get()]
        while not state.landed.empty():
            batch.append(state.landed.get_nowait())
        over = batch[-1] is None
        landed = [entry for entry in batch if entry is not None]
        if landed:
            await disk.do(_commit, state.run_id, landed)


def _commit(store: Store, run_id: int, landed: list[tuple[list[Reply], list[Press]]]) -> None:
    with store.write():
        runs.add_replies(store, run_id, [reply for replies, _ in landed for reply in replies])
        grades.record(store, [press for _, presses in landed for press in presses])


async def _beat(state: _Run, disk: _Writer, report: Callable[[Counts], None]) -> None:
    """Note progress every second, and hear whether someone asked the run to stop."""
    while True:
        asked = await disk.do(runs.beat, state.run_id, state.counts.as_dict())
        if asked and not state.stop:
            state.stop = "Stopped on request."
        report(state.counts)
        await asyncio.sleep(HEARTBEAT_S)
