"""Batch: a judge's questions handed to the provider, who answers within a day for half the price.

What a batch asks is on disk before anything is sent, and in flight until its results are in or it
is given up: whoever repeats the command goes on from there, after a kill or after weeks. Replies
land as they do in a live run, with the same statuses, in the same cache.
"""

import asyncio
import datetime
import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple

from concord import clock
from concord.judges.definition import prices, registry
from concord.judges.definition.model import Judge
from concord.judges.running import batch_file, batch_status
from concord.judges.running import job as jobs
from concord.judges.running.batch_file import ASKED_AT, Refused
from concord.judges.running.batch_plan import Planned, plan
from concord.judges.running.batch_results import Landing
from concord.judges.running.completion import Exchange
from concord.judges.running.engine import recorded
from concord.judges.running.job import Job, begin, scope_of
from concord.judges.running.progress import Counts
from concord.judges.running.rubric_estimate import estimate
from concord.judges.running.runner import locked, take_cached
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.messages import joined, said
from concord.problems import Problem
from concord.store import batches, graders
from concord.store.batches import Batch, Question
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet

ENDED = ("completed", "failed", "expired", "cancelled")
GIVEN_UP = "given up"

# Makes the connection to the batch mode of a judge's endpoint (`batch_client.BatchClient`).
Connect = Callable[[Judge], AbstractAsyncContextManager]


class Handed(NamedTuple):
    """How many questions were handed over, how many the budget left, and what was not asked."""

    questions: int
    left: int
    counts: Counts

    def sentence(self) -> str:
        """What happened, in words."""
        told = [said("Nothing was handed over.")]
        if self.questions:
            told = [
                said(
                    "Handed over as a batch: 1 question; the answers come within a day. Repeat the "
                    "command to collect them."
                )
                if self.questions == 1
                else said(
                    "Handed over as a batch: {n:,} questions; the answers come within a day. "
                    "Repeat the command to collect them.",
                    n=self.questions,
                )
            ]
        known = []
        if self.counts.cached:
            known.append(said("{n:,} came from the cache", n=self.counts.cached))
        if self.counts.statuses["too_long"]:
            known.append(said("what does not fit the model is marked so"))
        if known:
            told.append(said("Besides, {known}.", known=joined(" and ", known)))
        if self.left:
            told.append(said("The budget leaves {n:,} for another time.", n=self.left))
        return joined(" ", told)


class Collected(NamedTuple):
    """What became of the open batches: those still open, what landed, and a sentence for each."""

    pending: list[Batch]
    counts: Counts
    said: list[str]
    refused: bool

    def sentence(self) -> str:
        """What happened, in words."""
        landed = f" {self.counts.outcome()}" if self.counts.total else ""
        return f"{' '.join(self.said)}{landed}"


def submit(store: Store, job: Job, connect: Connect, budget: float | None = None) -> Handed:
    """Hand over what a job has left; nothing of it is asked live as long as the batch is open.

    Args:
        store: The open store.
        job: From `running.job.prepare`.
        connect: Makes the connection.
        budget: USD that the batch may cost at most, by the upper estimate of every question; what
            goes beyond stays pending.

    Raises:
        Problem: Another run of this judge and sheet is going on, or the server takes no batch.
    """
    with locked(store, job) as grader_id:
        job = jobs.renewed(store, job)
        expected = estimate(store, job)
        counts = Counts(total=len(job.cached) + len(job.pending), before=job.settled)
        about = (scope_of(job), expected.as_json(), budget)
        with recorded(store, _begun(store, job, grader_id, *about), counts) as record:
            exchange = Exchange(job, grader_id, record.id, prices.load(), clock.today())
            take_cached(store, exchange, counts)
            planned = Planned()
            made = [
                _added(store, job, grader_id, about, questions)
                for questions in plan(store, exchange, expected, budget, counts, planned)
            ]
            if made:
                asyncio.run(_send_all(store, made, connect(job.judge)))
            handed = Handed(planned.asked, planned.left, counts)
            record.status, record.why = "done", handed.sentence()
    return handed


def waiting(store: Store, sheet: Sheet, judge_name: str) -> list[int]:
    """The ids of the judges of that name, of any fingerprint, with an open batch over a sheet."""
    named = [g.id for g in graders.of_kind(store, "judge") if g.name == judge_name]
    return [found for found in named if batches.pending(store, sheet.id, found)]


def collect(
    store: Store, sheet: Sheet, grader_id: int, connect: Connect, cancel: bool = False
) -> Collected:
    """Ask how a judge's open batches stand, and put on disk what has come.

    Args:
        store: The open store.
        sheet: The sheet.
        grader_id: The judge as a grader.
        connect: Makes the connection.
        cancel: Ask the server to answer no more; what was answered is still collected, and a batch
            that the server does not know any more is given up.

    Raises:
        Problem: Another run is going on, the server does not answer, or it knows a batch no more.
    """
    job = _job_of(store, sheet, grader_id)
    with locked(store, job):
        return asyncio.run(_collect(store, job, grader_id, connect, cancel))


def _begun(
    store: Store, job: Job, grader_id: int, scope: dict, expected: dict, budget: float | None
) -> int:
    """Note the start of a run that hands over or collects a batch; returns its id."""
    return begin(store, job, grader_id, expected, budget, {**scope, "mode": "batch"})


def _added(
    store: Store,
    job: Job,
    grader_id: int,
    about: tuple[dict, dict, float | None],
    questions: list[Question],
) -> int:
    """Store a batch that is about to be sent; returns its id."""
    place = (grader_id, job.sheet.id, job.rubric_id)
    with store.write():
        return batches.add(store, *place, secrets.token_hex(16), *about, questions)


async def _send_all(store: Store, made: list[int], connecting: AbstractAsyncContextManager) -> None:
    """Hand over one batch after the other; where one is refused, the others are taken back."""
    sent = 0
    try:
        async with connecting as client:
            for batch_id in made:
                await _send(store, client, batches.get(store, batch_id))
                sent += 1
    except Problem as problem:
        for batch_id in made[sent + 1 :]:
            batches.close(store, batch_id, "failed", str(problem))
        raise


async def _send(store: Store, client, batch: Batch) -> Batch:
    """Hand a batch over, going on where a process that died had come to."""
    told = await client.find(batch.token) if batch.file_id else None
    if told is None:
        file_id = batch.file_id or await _upload(store, client, batch)
        try:
            told = await client.create(file_id, batch.token)
        except Refused as refusal:
            batches.close(store, batch.id, "failed", str(refusal))
            raise
    return _noted(store, batch, told)


async def _upload(store: Store, client, batch: Batch) -> str:
    """Upload a batch's questions; where that fails nothing was asked, and they are free again."""
    owed = batches.requests(store, batch.id)
    lines = (batch_file.line(name, body, ASKED_AT) for name, body in owed)
    try:
        file_id = await client.upload(lines)
    except EndpointProblem as problem:
        batches.close(store, batch.id, "failed", str(problem))
        raise
    batches.note_file(store, batch.id, file_id)
    return file_id


def _noted(store: Store, batch: Batch, told: dict) -> Batch:
    """Keep the server's word on a batch; the name it has there was told when it was made."""
    word = batch_status.read(told)
    remote_id = batch.remote_id or word.id
    if not (remote_id and word.status):
        raise Problem(
            said("The server returned no `id` and `status` of the batch. Repeat the command.")
        )
    batches.note_told(store, batch.id, remote_id, word.status, told)
    return batches.get(store, batch.id)


async def _collect(
    store: Store, job: Job, grader_id: int, connect: Connect, cancel: bool
) -> Collected:
    found = Collected([], Counts(), [], False)
    ended: list[Batch] = []
    async with connect(job.judge) as client:
        for batch in batches.pending(store, job.sheet.id, grader_id):
            looked = await _look(store, client, batch, cancel)
            if looked.status in ENDED:
                ended.append(looked)
            elif looked.closed_at:
                found.said.append(said("A batch was given up; its questions are free again."))
            else:
                found.pending.append(looked)
                found.said.append(_progress(looked))
        if ended:
            refused = await _take(store, job, grader_id, client, ended, found, cancel)
            found = found._replace(refused=refused)
    return found


async def _look(store: Store, client, batch: Batch, cancel: bool) -> Batch:
    """A batch as the server knows it now; handed over first where that had not come about."""
    if batch.remote_id is None:
        told = await client.find(batch.token) if cancel and batch.file_id else None
        if cancel and told is None:
            return _given_up(store, batch)
        batch = _noted(store, batch, told) if told else await _send(store, client, batch)
    if cancel:
        await client.cancel(batch.remote_id)
    told = await client.look(batch.remote_id)
    if told is not None:
        return _noted(store, batch, told)
    if cancel:
        return _given_up(store, batch)
    raise Problem(
        said(
            "The server no longer has batch {name}; providers keep results for about a month. Add "
            "--cancel-batch to abandon it; its requests are then sent again.",
            name=batch.remote_id,
        )
    )


def _given_up(store: Store, batch: Batch) -> Batch:
    batches.close(store, batch.id, GIVEN_UP, "The server knew nothing of it.")
    return batches.get(store, batch.id)


async def _take(
    store: Store,
    job: Job,
    grader_id: int,
    client,
    ended: list[Batch],
    found: Collected,
    cancel: bool,
) -> bool:
    """Put the results of batches that have ended on disk; returns whether one was refused whole."""
    counts, first = found.counts, ended[0]
    counts.total = sum(len(batches.owed(store, batch.id)) for batch in ended)
    about = (first.scope, first.estimate, first.budget)
    with recorded(store, _begun(store, job, grader_id, *about), counts) as record:
        for batch in ended:
            came = await _results(client, batch, cancel)
            day = datetime.date.fromisoformat(batch.created_at[:10])
            exchange = Exchange(job, grader_id, record.id, prices.load(), day)
            landing = Landing(store, exchange, batch, counts)
            for content in came:
                landing.take(batch_file.results(content))
            found.said.append(landing.close())
        record.status, record.why = "done", " ".join(found.said)
    return any(batch.status == "failed" for batch in ended)


async def _results(client, batch: Batch, cancel: bool) -> list[bytes]:
    """The files of results; who cancels takes them as they are, else what is paid for is there."""
    told = batch_status.read(batch.told)
    came = [await client.content(name) for name in told.files]
    found = [content or b"" for content in came]
    if cancel:
        return found
    if None in came:
        raise Problem(
            said(
                "The results of batch {name} are gone from the server; providers keep them for "
                "about a month. Add --cancel-batch to give it up; then its questions are free.",
                name=batch.remote_id,
            )
        )
    if (told.done or any(found)) and not any(map(batch_file.is_readable, found)):
        raise Problem(
            said(
                "The server reports batch {name} as {status}, but its results contain no answer. "
                "Repeat the command later, or add --cancel-batch to abandon the batch; its "
                "requests are then sent, and paid, again.",
                name=batch.remote_id,
                status=batch.status,
            )
        )
    return found


def _progress(batch: Batch) -> str:
    """How far the server is, in words."""
    told = batch_status.read(batch.told)
    total = told.total or batch.questions
    made, stands = batch.created_at[:16].replace("T", " "), batch.status.replace("_", " ")
    return said(
        "The batch of {made} (UTC) is {stands} at the server: {done:,} of {total:,} questions "
        "answered. Repeat the command later.",
        made=made,
        stands=stands,
        done=told.done,
        total=total,
    )


def _job_of(store: Store, sheet: Sheet, grader_id: int) -> Job:
    """The job that a judge's batches did, as far as landing needs it, from what is stored."""
    grader = graders.get(store, grader_id)
    open_ = batches.pending(store, sheet.id, grader_id)
    rubric_id = open_[0].rubric_id
    rubric = rubric_versions.get(store, rubric_id)
    found = jobs.states(store, sheet, rubric, grader_id)
    scored = frozenset(key for key, status in found.items() if status == "scored")
    return Job(
        registry.stored(grader), rubric, rubric_id, sheet, (), grader.fingerprint, 1, None, False,
        [], [], 0, 0, 0, scored,
    )  # fmt: skip
