"""Batches at a provider: a rubric job handed over within the budget, followed and fetched.

Each step is recorded in the store. The requests of a batch are on disk before anything is sent, and
in flight until its results are in or it is given up, so a repeated command resumes after a crash or
after weeks. What comes of a reply is what would come of it live.
"""

import asyncio
import datetime
import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from itertools import chain

from concord import clock
from concord.definitions import canonical_json
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Usage, cost, token_band
from concord.judges.run.estimate import Estimate
from concord.judges.run.job import Outcome, blocks
from concord.judges.run.progress import Counts
from concord.judges.run.rubric import Grading, RubricJob, Task
from concord.judges.run.session import recorded
from concord.judges.run.writer import Landed, commit
from concord.judges.transport import batch_client
from concord.judges.transport.batch_client import BatchClient, BatchRefused
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.messages import Problem, joined, on_command_line, said
from concord.model import Grader
from concord.store import batches, graders, items
from concord.store.batches import Batch, Question
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

GIVEN_UP = "given up"
# Limits of one batch: providers accept 50,000 requests; a file is held in memory as a whole.
MOST_QUESTIONS, MOST_BYTES = 50_000, 25_000_000
LANDED_AT_ONCE = 200


def submit(store: Store, job: RubricJob, budget: float | None, expected: Estimate) -> Outcome:
    """Hand over what a job has left; nothing of it is asked live as long as the batch is open.

    `budget` is the USD that the batch may cost at most, by the upper estimate of every question;
    what goes beyond stays pending.

    Raises:
        Problem: Another run of this judge and sheet is going on, or the server takes no batch.
    """
    with job.locked(store) as current:
        estimate, counts = current.estimate(store), current.counts()
        run_id = current.begin(store, estimate.as_json(), budget, mode="batch")
        with recorded(store, run_id, counts) as ended:
            current.take_cached(store, run_id, counts)
            grading = Grading(current, store, run_id, counts, clock.today())
            about = current.scope(), estimate.as_json(), budget
            of, made, asked = (grading.grader_id, job.sheet.id, job.rubric_id), [], 0
            for questions in _plan(store, grading, budget):
                # After a crash the token shows whether the server has the batch already.
                with store.write():
                    made.append(batches.add(store, *of, secrets.token_hex(16), *about, questions))
                asked += len(questions)
            if made:
                # Stored before they are sent: a crash in between leaves a batch that the token can
                # find again.
                asyncio.run(_send_all(store, job.judge, made))
            beyond = counts.total - counts.done - asked
            told = said(
                "Requests in a batch: {n:,}; beyond the budget: {beyond:,}. Run the judge again "
                "within a day or two to fetch the replies.",
                n=asked,
                beyond=beyond,
            )
            ended.status, ended.why = "done", told
    return Outcome(job.name, "submitted" if asked else "done", told, expected, counts)


def _plan(store: Store, grading: Grading, budget: float | None) -> Iterator[list[Question]]:
    """The questions of one batch after the other, each for one model.

    What fits no model is put on disk as too long. Of the pending tasks questions are made in their
    order until the next would pass the budget.
    """
    chunks, sizes, most = defaultdict(list), Counter(), 0.0
    for of in grading.begun(store, grading.job.pending):
        if of.body is None:
            commit(store, grading.run_id, [Landed((), grading.presses(of))])
            grading.counts.note_done(of.best.values())
            continue
        model, request = of.body["model"], canonical_json(of.body)
        if budget is not None:
            usage = Usage(token_band(request).high, grading.job.output.high)
            most += float(cost(usage, grading.price(model)) or 0)
            if most > budget:
                break
        sizes[model] += (size := len(request.encode(errors="replace")))
        if len(chunks[model]) == MOST_QUESTIONS or (chunks[model] and sizes[model] > MOST_BYTES):
            yield chunks.pop(model)
            sizes[model] = size
        chunks[model].append(Question(batch_client.custom_id(*of.task[:3]), *of.task[:3], request))
    yield from filter(None, chunks.values())


async def _send_all(store: Store, judge: Judge, made: list[int]) -> None:
    """Submit one batch after the other; where one is rejected, close the others."""
    left = [*made]
    try:
        async with BatchClient(judge) as client:
            while left:
                await _send(store, client, batches.get(store, left.pop(0)))
    except Problem as problem:
        # The rejected batch itself is closed by `_send`, or stays open if it may have reached the
        # server.
        for batch_id in left:
            batches.close(store, batch_id, "failed", str(problem))
        raise


async def _send(store: Store, client, batch: Batch) -> Batch:
    """Submit a batch, resuming where a process that died had stopped."""
    # A process may have died between creating the batch and storing its id; creating it again would
    # pay twice.
    reported = await client.find(batch.token) if batch.file_id else None
    if reported is None:
        file_id, lines = batch.file_id, batches.requests(store, batch.id)
        try:
            if file_id is None:
                file_id = await client.upload(batch_client.line(*one) for one in lines)
                # Stored before the batch is created: it tells a restart to look for the batch.
                batches.note_file(store, batch.id, file_id)
            reported = await client.create(file_id, batch.token)
        except EndpointProblem as problem:
            # Where the upload fails nothing was asked, and the questions are free again.
            if isinstance(problem, BatchRefused) or file_id is None:
                batches.close(store, batch.id, "failed", str(problem))
            raise
    return _noted(store, batch, reported)


def _noted(store: Store, batch: Batch, reported: dict) -> Batch:
    """Store the server's status of a batch; its remote id was stored on creation."""
    word = batch_client.read_status(reported)
    # The id never changes, so a later status without one must not erase it.
    remote_id = batch.remote_id or word.id
    if not (remote_id and word.status):
        raise Problem("The server returned no `id` and `status` of the batch. Try again later.")
    batches.note_status(store, batch.id, remote_id, word.status, reported)
    return batches.get(store, batch.id)


def collect(store: Store, job: RubricJob, cancel: bool = False) -> Outcome | None:
    """Poll the judge's open batches over the sheet, and store what has arrived; None without any.

    Includes batches that an earlier version of the judge left open. With `cancel` they are
    cancelled: finished requests are still collected, and a batch that the server does not know or
    says nothing of is given up.

    Raises:
        Problem: Another run is in progress; or, without `cancel`, the server does not answer, or a
            batch is unknown to it.
    """
    waiting = [
        (grader, found)
        for grader in graders.of_kind(store, "judge")
        if grader.name == job.judge.name
        and (found := batches.pending(store, job.sheet.id, grader.id))
    ]
    if not waiting:
        told = "There is no open batch."
        return Outcome(job.name, "done", told, job.estimate(store)) if cancel else None
    counts, ended, told = Counts(), [], []
    for grader, found in waiting:
        of = _job_of(store, job, grader, found[0].rubric_id)
        # A live run must not ask what the batch is about to answer.
        with of.held(store):
            ended += asyncio.run(_taken(store, of, found, cancel, counts, told))
    expected = job.renewed(store).estimate(store)
    told += [counts.outcome()] if counts.total else []
    status = "done" if {*ended} <= {*batch_client.ENDED, GIVEN_UP} else "pending"
    return Outcome(job.name, status, joined(" ", told), expected, counts, "failed" in ended)


def _job_of(store: Store, job: RubricJob, grader: Grader, rubric_id: int) -> RubricJob:
    """The job that a judge's batches did, as far as landing needs it, from what is stored."""
    return RubricJob(
        judge=registry.stored(grader),
        sheet=job.sheet,
        fingerprint=grader.fingerprint,
        rubric_id=rubric_id,
        rubric=rubric_versions.get(store, rubric_id),
    )


async def _taken(
    store: Store, job: RubricJob, found: list[Batch], cancel: bool, counts: Counts, told: list[str]
) -> list[str]:
    """Poll the batches of one judge; the results of each that has ended are stored as a run.

    Returns their statuses; `counts` and `told` are added to.
    """
    statuses = []
    async with BatchClient(job.judge) as client:
        for batch in found:
            batch = await (_cancelled if cancel else _looked)(store, client, batch)
            word = batch_client.read_status(batch.told)
            statuses.append(batch.status)
            if batch.closed_at:
                told.append(joined(": ", [batch.status, batch.message]))
            elif batch.status in batch_client.ENDED:
                own = Counts(total=len(batches.unanswered_requests(store, batch.id)))
                scope = batch.scope | {"mode": "batch"}
                run_id = job.begin(store, batch.estimate, batch.budget, **scope)
                with recorded(store, run_id, own) as run:
                    contents = []
                    for name in word.files:
                        with suppress(Problem) if cancel else nullcontext():
                            contents.append(await client.content(name))
                    read = (True for one in contents if one for _ in batch_client.results(one))
                    is_lost = (word.done or any(contents)) and not any(read)
                    if not cancel and (None in contents or is_lost):
                        raise _gone(batch)
                    run.why = _land(store, job, batch, run_id, own, contents)
                    run.status = "done"
                counts.add(own)
                told.append(run.why)
            else:
                of = {"done": word.done, "total": word.total or batch.questions}
                told.append(said("{s}: {done:,} of {total:,}.", s=batch.status, **of))
    return statuses


async def _looked(store: Store, client, batch: Batch) -> Batch:
    """Return the batch's state at the server, after submitting it where that had failed."""
    if batch.remote_id is None:
        batch = await _send(store, client, batch)
    if (reported := await client.look(batch.remote_id)) is None:
        raise _gone(batch)
    return _noted(store, batch, reported)


async def _cancelled(store: Store, client, batch: Batch) -> Batch:
    """Cancel a batch and return its state; given up where the server is kept from it."""
    why = "The server does not know it, or does not cancel it."
    try:
        # A batch whose id was never stored must be found first, or it would be paid and lost.
        reported = batch.file_id and not batch.remote_id and await client.find(batch.token)
        batch = _noted(store, batch, reported) if reported else batch
        accepted = batch.remote_id and await client.cancel(batch.remote_id)
        if reported := batch.remote_id and await client.look(batch.remote_id):
            batch = _noted(store, batch, reported)
            waits = accepted and batch.status in batch_client.WAITING
            if waits or batch.status in batch_client.ENDED:
                return batch
    except Problem as problem:
        why = str(problem)
    batches.close(store, batch.id, GIVEN_UP, why)
    return batches.get(store, batch.id)


def _gone(batch: Batch) -> Problem:
    """The fault of a batch whose results cannot be had, with the remedy."""
    return Problem(
        "Batch {name} is gone. Try again later, or cancel it{cancel} to ask anew.",
        name=batch.remote_id,
        cancel=on_command_line("`--cancel-batch`"),
    )


def _land(
    store: Store,
    job: RubricJob,
    batch: Batch,
    run_id: int,
    counts: Counts,
    contents: list[bytes | None],
) -> str:
    """Put the results of a batch on disk and close it; says what came of it.

    What the server left undone is pending again. Results are stored in parts, so that the write
    lock is free for annotators in between; one that is owed no more has landed before.
    """
    # At the prices of the day it was submitted, whenever it is collected.
    day = datetime.date.fromisoformat(batch.created_at[:10])
    grading, by_content = Grading(job, store, run_id, counts, day), defaultdict(list)
    for item_id, _, content_hash in items.hashes(store, batch.sheet_id):
        by_content[content_hash].append(item_id)
    owed = {name: tuple(key) for name, *key in batches.unanswered_requests(store, batch.id)}

    def answers() -> Iterator[tuple[batch_client.Result, Task]]:
        for one in chain.from_iterable(map(batch_client.results, filter(None, contents))):
            # Without those undone, and the second of two lines.
            if not one.undone and (key := owed.pop(one.custom_id, None)):
                yield one, Task(*key, tuple(by_content[key[0]]))

    for block in blocks(answers(), LANDED_AT_ONCE):
        landed, done = [], []
        begun = grading.earlier(store, [task for _, task in block])
        for (result, _), of in zip(block, begun, strict=True):
            sent = json.loads(batches.request(store, batch.id, result.custom_id))
            answer = batch_client.answered(result, job.judge, sent)
            put, of = grading.taken(of._replace(body=sent), answer)
            landed.append(put)
            done += [of.best] if of.body is None else []
        names = [result.custom_id for result, _ in block]
        # One transaction: after a crash a result is either stored or still owed.
        commit(store, run_id, landed, batches.mark_received, batch.id, names)
        for best in done:
            counts.note_done(best.values())
    why = batch_client.read_status(batch.told).why
    told = [
        said("{s}: {n:,} answered.", s=batch.status, n=counts.calls - counts.lost),
        why,
        owed and said("{n:,} not answered; run the judge again to submit them.", n=len(owed)),
    ]
    sentence = joined(" ", told)
    batches.close(store, batch.id, batch.status, sentence)
    return sentence
