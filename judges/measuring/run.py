"""Run: goes over what a job has left, item by item and measure by measure, and keeps what comes.

It can be killed at any moment: replies, units and verdicts that were on disk stay, and the next run
asks only what is missing.
"""

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from data import contents, graders, measured, runs
from data.grades import Press
from data.measured import Measured
from data.model import Item
from data.store import Store, open_store
from judges import price, rival
from judges.answer import Answer
from judges.budget import Budget
from judges.course import CONCURRENCY, FAILED, Course, Ended, follow
from judges.job import stored_form
from judges.measuring import embedding
from judges.measuring.chosen import Chosen
from judges.measuring.desk import Asking, Halted, Line, Room
from judges.measuring.estimate import estimate
from judges.measuring.job import MeasureJob, Task, renewed
from judges.measuring.unmeasured import Unmeasured
from judges.model import Judge
from judges.progress import Counts
from judges.record import beat, recorded
from judges.reply import Verdict
from judges.runner import TOO_LONG_IN_A_ROW
from judges.writer import Writer
from problems import Problem


@dataclass(kw_only=True)
class _Run(Course):
    """The course of one run, with what its workers share besides."""

    job: MeasureJob
    room: Room | None = None
    at_work: dict[str, asyncio.Lock] = field(default_factory=dict)


def run(
    store: Store,
    job: MeasureJob,
    connect: Callable[[Judge], Any],
    budget: float | None = None,
    concurrency: int = CONCURRENCY,
    report: Callable[[Counts], None] = lambda counts: None,
) -> Ended:
    """Do what a job has left.

    Args:
        store: The open store.
        job: From `judges.measuring.job.prepare`; what is left is looked up anew.
        connect: Makes the connection to a judge (`judges.client.Client`).
        budget: USD that this run does not pass by more than the requests in flight.
        concurrency: How many requests are in flight at most.
        report: Is told the counts about every half second.

    Raises:
        Problem: Another run of this judge and sheet is going on, or the endpoint refuses in a way
            that no further request would survive (key, address, setting). What was on disk stays.
        KeyboardInterrupt: After everything that had landed was put on disk.
    """
    with locked(store, job) as grader_id:
        job = renewed(store, job)
        expected = estimate(store, job)
        for name, found in job.criteria.items():
            measured.register(store, name, *found)
        counts = Counts(total=len(job.pending), before=job.settled)
        run_id = runs.start(
            store, grader_id, job.sheet.id, None, _scope(job), [], expected.as_json(), budget
        )
        with recorded(store, run_id, counts) as record:
            breaking = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}
            allowed = Budget(budget, expected.cost_per_call())
            state = _Run(allowed, counts, breaking, job=job)
            at = run_id, grader_id
            asyncio.run(_go(store.path, state, at, connect, concurrency, report))
            record.status, record.why, _ = state.ended()
        return state.ended()


@contextmanager
def locked(store: Store, job: MeasureJob) -> Iterator[int]:
    """Hold the lock of this judge and sheet; yields the judge's id as a grader."""
    made = grader_id(store, job)
    asked = {task.content_hash for task in job.pending} if job.judge.model else ()
    with rival.held_off(store, job.judge.name, job.sheet, made, asked):
        yield made


def grader_id(store: Store, job: MeasureJob) -> int:
    """The judge's id as a grader, made now where it is new; its file is kept as it is now.

    Which measures the file names, and which readings, makes no other judge of it.
    """
    about = {"judge": stored_form(job.judge)}
    made = graders.ensure(store, "metric", job.judge.name, job.fingerprint, definition=about)
    graders.define(store, made, about)
    return made


def _scope(job: MeasureJob) -> dict[str, Any]:
    """What a run is to do, as it is kept with it."""
    said = {"limit": job.limit, "repeats": job.repeats, "retry_unscored": job.retry_unscored}
    return said | {"measures": [measure.name for measure in job.measures]}


async def _go(
    path: str,
    state: _Run,
    at: tuple[int, int],
    connect: Callable[[Judge], Any],
    concurrency: int,
    report: Callable[[Counts], None],
) -> None:
    """Workers, writer and heartbeat together; leaves when all have landed or the run ends."""
    job = state.job
    async with AsyncExitStack() as stack:
        reader = stack.enter_context(open_store(path))
        disk = stack.enter_context(Writer(path))
        state.room = Room(state, disk, reader, *at, price.load())
        _connect(stack, state.room, job, connect)
        await follow(
            state,
            job.pending,
            min(concurrency, len(job.pending)),
            lambda task: _measure(state, task),
            lambda: beat(state, disk, at[0], report),
        )
    report(state.counts)
    if state.problem:
        raise state.problem


def _connect(
    stack: AsyncExitStack, room: Room, job: MeasureJob, connect: Callable[[Judge], Any]
) -> None:
    """The lines that the measures may need; each is connected when it is first used."""
    if job.judge.model is not None:
        room.chat = Line(job.judge, _Lazy(stack, connect, job.judge))
    embedder = embedding.embedder(job.judge)
    if embedder is not None:
        room.embedding = Line(embedder, _Lazy(stack, connect, embedder, embedding.PATH))
        room.identity = job.judge.embedding.identity()


class _Lazy:
    """Sends to a path of a judge's server, connected at the first request."""

    def __init__(
        self, stack: AsyncExitStack, connect: Callable[[Judge], Any], judge: Judge, *path: str
    ):
        self._stack, self._connect, self._judge, self._path = stack, connect, judge, path
        self._client: Any = None
        self._connecting = asyncio.Lock()

    async def __call__(self, body: dict[str, Any]) -> Answer:
        async with self._connecting:
            if self._client is None:
                made = self._connect(self._judge)
                self._client = await self._stack.enter_async_context(made)
        return await self._client.ask(body, *self._path)


async def _measure(state: _Run, task: Task) -> None:
    """Find the measures of one content; one repeat after the other, since they share its units."""
    async with state.at_work.setdefault(task.content_hash, asyncio.Lock()):
        verdicts = []
        for item_id, names in task.todo:
            found = await _item(state, task, item_id, names)
            verdicts += [Verdict(one.press.status, why=one.press.reason) for one in found]
            if len(found) < len(names):
                return  # the run ends; what is open stays open
        state.counts.note_done(verdicts)


async def _item(state: _Run, task: Task, item_id: int, names: tuple[str, ...]) -> list[Measured]:
    """Find measures of one item and put them on disk; fewer than asked for where the run ends."""
    stored = contents.item(state.room.reader, item_id)
    desk, found = Asking(state.room, stored, task.repeat), []
    try:
        for measure in state.job.measures:
            if measure.name in names and state.goes_on():
                found.append(await _found(state, measure, stored.item, desk))
    except Halted:
        pass
    await state.room.land([], [], measured=found)
    return found


async def _found(state: _Run, measure: Chosen, item: Item, desk: Asking) -> Measured:
    """One number with all that stands beside it, or why there is none."""
    press = Press(
        desk.item_id,
        state.job.criteria[measure.name].version,
        state.room.grader_id,
        repeat=desk.repeat,
        run_id=state.room.run_id,
    )
    lacking = measure.lacks(item)
    if lacking:
        reason = f"It has {' and '.join(lacking)}."
        return Measured(press._replace(status="missing_input", reason=reason))
    desk.lists.clear()
    try:
        outcome = await measure.find(item, desk)
    except Unmeasured as error:
        press = press._replace(status=error.status, reason=error.reason)
        return Measured(press, lists=tuple(desk.lists.values()))
    _check(measure, outcome)
    press = press._replace(status=outcome.status, score=outcome.value, reason=outcome.reason)
    beside = dict(outcome.parts), tuple(outcome.flags), outcome.units
    return Measured(press, *beside, tuple(desk.lists.values()))


def _check(measure: Chosen, outcome: Any) -> None:
    """Refuse an outcome that is neither a number nor says why there is none."""
    numbers = [outcome.value, *outcome.parts.values()]
    if any(number is not None and not math.isfinite(number) for number in numbers):
        raise Problem(
            f"{measure.name} gave what is no number. Its file must say why there is none."
        )
    if (outcome.value is None) == (outcome.status == "scored"):
        raise Problem(f"{measure.name} gave {outcome.value} with status {outcome.status}.")
