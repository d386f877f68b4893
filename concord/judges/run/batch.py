"""Batch at a provider: planned within the budget, submitted, followed and fetched.

Each step is recorded in the store. The requests of a batch are on disk before anything is sent, and
in flight until its results are in or it is given up, so a repeated command resumes after a crash or
after weeks.
"""

import asyncio
import datetime
import json
import secrets
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from concord import clock
from concord.definitions import canonical_json
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.prompting.reply import Verdict, number_scored
from concord.judges.prompting.request import to_larger
from concord.judges.run.estimate import Estimate
from concord.judges.run.exchange import Exchange, Task, settles, store_too_long, take_cached
from concord.judges.run.progress import Counts
from concord.judges.run.rubric import RubricJob, most_usd
from concord.judges.run.session import recorded
from concord.judges.run.writer import Landed, commit
from concord.judges.transport import batch_file
from concord.judges.transport.batch_file import ASKED_AT, BatchRefused, Result, custom_id
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.messages import Problem, counted, joined, minute, on_command_line
from concord.model import Sheet
from concord.store import batches, graders, grades, items
from concord.store.batches import Batch, Question
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

GIVEN_UP = "given up"
_CANCEL = on_command_line("`--cancel-batch`")


def connected(judge: Judge) -> AbstractAsyncContextManager:
    """Return the connection to the batch mode of a judge's endpoint."""
    from concord.judges.transport.batch_client import BatchClient  # imports openai, half a second

    return BatchClient(judge)


async def send_all(store: Store, made: list[int], judge: Judge) -> None:
    """Submit one batch after the other; where one is rejected, cancel the others."""
    sent = 0
    try:
        async with connected(judge) as client:
            for batch_id in made:
                await _send(store, client, batches.get(store, batch_id))
                sent += 1
    except Problem as problem:
        # The rejected batch itself is closed by `_send`, or stays open if it may have reached the
        # server.
        for batch_id in made[sent + 1 :]:
            batches.close(store, batch_id, "failed", str(problem))
        raise


async def _send(store: Store, client, batch: Batch) -> Batch:
    """Submit a batch, resuming where a process that died had stopped."""
    # A process may have died between creating the batch and storing its id; creating it again would
    # pay twice.
    reported = await client.find(batch.token) if batch.file_id else None
    if reported is None:
        file_id = batch.file_id or await _upload(store, client, batch)
        try:
            reported = await client.create(file_id, batch.token)
        except BatchRefused as refusal:
            batches.close(store, batch.id, "failed", str(refusal))
            raise
    return _noted(store, batch, reported)


async def _upload(store: Store, client, batch: Batch) -> str:
    """Upload a batch's questions; where that fails nothing was asked, and they are free again."""
    owed = batches.requests(store, batch.id)
    lines = (batch_file.line(name, body, ASKED_AT) for name, body in owed)
    try:
        file_id = await client.upload(lines)
    except EndpointProblem as problem:
        batches.close(store, batch.id, "failed", str(problem))
        raise
    # Stored before the batch is created: a file id on record tells a restart to look for the batch.
    batches.note_file(store, batch.id, file_id)
    return file_id


async def look(store: Store, client, batch: Batch, cancel: bool) -> Batch:
    """Return the batch's state at the server, after submitting it where that had failed."""
    if cancel:
        return await _cancelled(store, client, batch)
    if batch.remote_id is None:
        batch = await _send(store, client, batch)
    reported = await client.look(batch.remote_id)
    if reported is not None:
        return _noted(store, batch, reported)
    raise Problem(
        "The server no longer has batch {name}; providers keep results for about a month. Cancel "
        "it{on_command_line}; its requests can then be sent again.",
        name=batch.remote_id,
        on_command_line=_CANCEL,
    )


async def _cancelled(store: Store, client, batch: Batch) -> Batch:
    """Cancel a batch and return its state; whatever keeps the server from it, it is given up."""
    try:
        # A batch whose id was never stored must be found first, or it would be paid for and lost.
        if batch.remote_id is None and batch.file_id:
            reported = await client.find(batch.token)
            batch = _noted(store, batch, reported) if reported else batch
        accepted = batch.remote_id and await client.cancel(batch.remote_id)
        reported = batch.remote_id and await client.look(batch.remote_id)
        batch = _noted(store, batch, reported) if reported else batch
        going_on = accepted and batch.status in batch_file.WAITING
        if reported and (going_on or batch.status in batch_file.ENDED):
            return batch
        why = "The server does not know it, or does not cancel it."
    except Problem as problem:
        why = str(problem)
    batches.close(store, batch.id, GIVEN_UP, why)
    return batches.get(store, batch.id)


def _noted(store: Store, batch: Batch, reported: dict) -> Batch:
    """Store the server's status of a batch; its remote id was stored on creation."""
    word = batch_file.read_status(reported)
    # The id never changes, so a later status without one must not erase it.
    remote_id = batch.remote_id or word.id
    if not (remote_id and word.status):
        raise Problem("The server returned no `id` and `status` of the batch. Try again later.")
    batches.note_status(store, batch.id, remote_id, word.status, reported)
    return batches.get(store, batch.id)


async def results(client, batch: Batch, cancel: bool) -> list[bytes]:
    """Return the files of results; as they are with `cancel`, else complete."""
    reported = batch_file.read_status(batch.told)
    contents = []
    for name in reported.files:
        try:
            contents.append(await client.content(name))
        except Problem:
            if not cancel:
                raise
            contents.append(None)
    found = [content or b"" for content in contents]
    if cancel:
        return found
    if None in contents:
        raise Problem(
            "The server no longer has the results of batch {name}; providers keep them for about "
            "a month. Cancel it{on_command_line}; its requests can then be sent again.",
            name=batch.remote_id,
            on_command_line=_CANCEL,
        )
    if (reported.done or any(found)) and not any(map(batch_file.is_readable, found)):
        raise Problem(
            "The server reports batch {name} as {status}, but its results contain no answer. "
            "Try again later, or cancel the batch{on_command_line}; its requests are then sent, "
            "and paid, again.",
            name=batch.remote_id,
            on_command_line=_CANCEL,
            status=batch.status.replace("_", " "),
        )
    return found


def progress(batch: Batch) -> str:
    """Return the server's progress, in words."""
    reported = batch_file.read_status(batch.told)
    total = reported.total or batch.questions
    return (
        f"The batch of {minute(batch.created_at)} (UTC) is {batch.status.replace('_', ' ')} on the "
        f"server: {reported.done:,} of {total:,} requests answered. Check again later."
    )


class Handed(NamedTuple):
    """Number of requests submitted, too long for the model, and left out by the budget."""

    questions: int
    too_long: int
    left: int
    counts: Counts

    def sentence(self) -> str:
        """Return the result, in words."""
        parts = ["Nothing was submitted."]
        if self.questions:
            sent = f"Submitted as a batch: {counted(self.questions, 'request')};"
            parts = [f"{sent} the replies arrive within a day. Run the judge again to fetch them."]
        if self.counts.cached:
            parts.append(f"{self.counts.cached:,} came from the cache.")
        if self.too_long:
            parts.append(f"Too long for the model: {counted(self.too_long, 'request')}.")
        if self.left:
            parts.append(f"The budget does not cover {self.left:,}; they are left for a later run.")
        return " ".join(parts)


def submit(store: Store, job: RubricJob, budget: float | None = None) -> Handed:
    """Hand over what a job has left; nothing of it is asked live as long as the batch is open.

    `budget` is the USD that the batch may cost at most, by the upper estimate of every question;
    what goes beyond stays pending.

    Raises:
        Problem: Another run of this judge and sheet is going on, or the server takes no batch.
    """
    with job.locked(store) as current:
        expected, counts = current.estimate(store), current.counts()
        about = current.scope(), expected.as_json(), budget
        run_id = current.begin(store, *about[1:], mode="batch")
        with recorded(store, run_id, counts) as record:
            exchange = current.exchange(store, run_id, clock.today())
            take_cached(store, current, exchange, counts)
            planned = Planned()
            of = current.pending, exchange, expected, budget, counts, planned
            made = []
            for questions in plan(store, *of):
                with store.write():
                    place = (exchange.grader_id, job.sheet.id, job.rubric_id)
                    # After a crash the token shows whether the server has the batch already.
                    token = secrets.token_hex(16)
                    made.append(batches.add(store, *place, token, *about, questions))
            if made:
                # Stored before they are sent: a crash in between leaves a batch that the token can
                # find again.
                asyncio.run(send_all(store, made, job.judge))
            handed = Handed(planned.asked, planned.too_long, planned.left, counts)
            record.status, record.why = "done", handed.sentence()
    return handed


# Limits of one batch: providers accept 50,000 requests; a file is held in memory as a whole.
MOST_QUESTIONS, MOST_BYTES = 50_000, 25_000_000


@dataclass
class Planned:
    """Number of requests, and their maximum cost in USD.

    `too_long` fit no model and are not asked; `left` are left out by the budget.
    """

    asked: int = 0
    too_long: int = 0
    left: int = 0
    most: float = 0.0


def plan(
    store: Store,
    pending: Sequence[Task],
    exchange: Exchange,
    expected: Estimate,
    budget: float | None,
    counts: Counts,
    planned: Planned,
) -> Iterator[list[Question]]:
    """The questions of one batch after the other, each for one model; `planned` counts along.

    What fits no model is put on disk as too long. Of the `pending` tasks questions are made in
    their order until the next would pass the budget.
    """
    chunks: dict[str, list[Question]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    larger = batches.too_long(store, exchange.grader_id)
    for place, task in enumerate(pending):
        body = _body(store, exchange, task, larger)
        if body is None:
            store_too_long(store, exchange, task, counts)
            planned.too_long += 1
            continue
        planned.most += _most(exchange, expected, body) if budget is not None else 0.0
        if budget is not None and planned.most > budget:
            planned.left = len(pending) - place
            break
        model, request = body["model"], canonical_json(body)
        size = len(request.encode(errors="replace"))
        if len(chunks[model]) == MOST_QUESTIONS or sizes[model] + size > MOST_BYTES:
            yield chunks.pop(model)
            sizes[model] = 0
        sizes[model] += size
        chunks[model].append(Question(custom_id(*task[:3]), *task[:3], request))
        planned.asked += 1
    yield from filter(None, chunks.values())


def _body(
    store: Store, exchange: Exchange, task: Task, larger: set[tuple[str, str, int]]
) -> dict | None:
    """The request, to the larger sibling where the server found it too long for the model."""
    body = exchange.body(task, items.item(store, task.item_ids[0]).item)
    if body is not None and task[:3] in larger:
        return to_larger(exchange.judge, body) or body
    return body


def _most(exchange: Exchange, expected: Estimate, body: dict) -> float:
    """The upper estimate of what one question costs, in USD."""
    if expected.from_usage:
        return expected.cost_per_call(batch=True)
    return most_usd(exchange.judge, exchange.rubric, body, exchange.price(body["model"]))


class Collected(NamedTuple):
    """State of the open batches: those still open, what was stored, and a sentence for each."""

    pending: list[Batch]
    counts: Counts
    said: list[str]
    refused: bool

    def sentence(self) -> str:
        """Return the result, in words."""
        landed = self.counts.outcome() if self.counts.total else ""
        return joined(" ", [*self.said, landed])


def waiting(store: Store, sheet: Sheet, judge_name: str) -> list[int]:
    """The ids of the judges of that name, of any fingerprint, with an open batch over a sheet."""
    named = [g.id for g in graders.of_kind(store, "judge") if g.name == judge_name]
    return [found for found in named if batches.pending(store, sheet.id, found)]


def collect(store: Store, sheet: Sheet, grader_id: int, cancel: bool = False) -> Collected:
    """Poll a judge's open batches, and store the results that have arrived.

    With `cancel` they are cancelled: finished requests are still collected, and a batch that the
    server does not know or says nothing of is given up.

    Raises:
        Problem: Another run is in progress; or, without `cancel`, the server does not answer, or a
            batch is unknown to it.
    """
    job = _job_of(store, sheet, grader_id)
    # A live run must not ask what the batch is about to answer.
    with job.held(store):
        return asyncio.run(_collect(store, job, grader_id, cancel))


async def _collect(store: Store, job: RubricJob, grader_id: int, cancel: bool) -> Collected:
    found = Collected([], Counts(), [], False)
    ended: list[Batch] = []
    async with connected(job.judge) as client:
        for batch in batches.pending(store, job.sheet.id, grader_id):
            looked = await look(store, client, batch, cancel)
            if looked.status in batch_file.ENDED:
                ended.append(looked)
            elif looked.closed_at:
                abandoned = "A batch was abandoned; its questions can be sent again."
                found.said.append(joined(" ", [abandoned, looked.message]))
            else:
                found.pending.append(looked)
                found.said.append(progress(looked))
        for _, alike in groupby(ended, key=lambda batch: batch.scope):
            of_run = await _take(store, job, client, list(alike), cancel)
            found.counts.add(of_run.counts)
            found.said.extend(of_run.said)
            found = found._replace(refused=found.refused or of_run.refused)
    return found


async def _take(
    store: Store, job: RubricJob, client, ended: list[Batch], cancel: bool
) -> Collected:
    """Store the results of batches of one scope that have ended, as one run."""
    counts, told, first = Counts(), [], ended[0]
    counts.total = sum(len(batches.unanswered_requests(store, batch.id)) for batch in ended)
    scope = {**first.scope, "mode": "batch"}
    run_id = job.begin(store, first.estimate, first.budget, **scope)
    with recorded(store, run_id, counts) as record:
        for batch in ended:
            came = await results(client, batch, cancel)
            # At the prices of the day it was submitted, whenever it is collected.
            day = datetime.date.fromisoformat(batch.created_at[:10])
            exchange = job.exchange(store, run_id, day)
            landing = Landing(store, exchange, batch, counts)
            for content in came:
                landing.take(content)
            told.append(landing.close())
        record.status, record.why = "done", joined(" ", told)
    return Collected([], counts, told, any(batch.status == "failed" for batch in ended))


def _job_of(store: Store, sheet: Sheet, grader_id: int) -> RubricJob:
    """The job that a judge's batches did, as far as landing needs it, from what is stored."""
    grader = graders.get(store, grader_id)
    open_ = batches.pending(store, sheet.id, grader_id)
    rubric_id = open_[0].rubric_id
    rubric = rubric_versions.get(store, rubric_id)
    names = {version: name for name, version in rubric.versions().items()}
    scored = frozenset(
        (row["item_id"], names[row["version"]], row["repeat"])
        for row in grades.statuses(store, sheet.id, grader_id)
        if row["version"] in names and row["status"] == "scored"
    )
    return RubricJob(
        judge=registry.stored(grader),
        sheet=sheet,
        fingerprint=grader.fingerprint,
        rubric_id=rubric_id,
        rubric=rubric,
        scored=scored,
    )


LANDED_AT_ONCE = 200


class _Put(NamedTuple):
    """One result as it goes to the disk; `settled` where it is not asked about again."""

    landed: Landed
    verdicts: dict[str, Verdict]
    settled: bool


class Landing:
    """Puts the results of one batch on disk.

    `batch` is as stored, with the server's last word; `counts` may have counted others before.
    """

    def __init__(self, store: Store, exchange: Exchange, batch: Batch, counts: Counts):
        self._store, self._exchange, self._batch, self._counts = store, exchange, batch, counts
        self._items = defaultdict(list)
        for row in items.item_index(store, batch.sheet_id):
            self._items[row["content_hash"]].append(row["id"])
        self._owed = {name: key for name, *key in batches.unanswered_requests(store, batch.id)}
        self._before = batches.unscored(store, exchange.grader_id)
        self._answered = self._open = 0

    def take(self, content: bytes) -> None:
        """Put the results of a file on disk; one that is owed no more has landed before."""
        chunk: list[Result] = []
        for result in batch_file.results(content):
            if result.custom_id in self._owed and not result.undone:
                chunk.append(result)
            # In parts, so that the write lock is free for annotators in between.
            if len(chunk) == LANDED_AT_ONCE:
                self._put(chunk)
                chunk = []
        self._put(chunk)

    def close(self) -> str:
        """Close the batch; what the server left undone is pending again. Says what came of it."""
        reported, undone = self._batch.status, len(self._owed)
        why = batch_file.read_status(self._batch.told).why
        answered = counted(self._answered, "request")
        parts = [f"Batch {reported.replace('_', ' ')}: {answered} answered."]
        if why:
            parts.append(f"The server says: {why.rstrip('.')}.")
        if undone:
            parts.append(f"{undone:,} not answered; run the judge again to submit them.")
        if self._open:
            replies = counted(self._open, "reply", "replies")
            parts.append(f"{replies} could not be used; these requests are sent again.")
        ended = " ".join(parts)
        batches.close(self._store, self._batch.id, reported, ended)
        return ended

    def _put(self, chunk: list[Result]) -> None:
        """Put some results on disk in one transaction, then count them."""
        done: list[_Put] = []
        with self._store.write():
            for result in chunk:
                if result.custom_id in self._owed:  # the same line twice counts once
                    done.append(self._landed(result))
                    del self._owed[result.custom_id]
            commit(self._store, self._exchange.run_id, [put.landed for put in done])
            # In the transaction of the replies: after a crash a result is either stored or still
            # owed.
            batches.mark_received(self._store, self._batch.id, [r.custom_id for r in chunk])
        for put in done:
            self._counts.note_reply(put.landed.replies[0].status, put.landed.replies[0].receipt)
            if put.settled:
                self._counts.note_done(put.verdicts.values())
            self._answered += put.landed.replies[0].status != "failed"
            self._open += not put.settled

    def _landed(self, result: Result) -> _Put:
        """One result as it is stored: its reply, and its grades where it is settled by it."""
        key = tuple(self._owed[result.custom_id])
        task = Task(*key, tuple(self._items[key[0]]))
        request = batches.request(self._store, self._batch.id, result.custom_id)
        sent = json.loads(request)
        answer = batch_file.answered(result, self._exchange.judge, sent)
        verdicts = self._exchange.verdicts(task, answer)
        before = self._before.setdefault(key, [])
        attempt = len(before) + 1
        reply = self._exchange.reply(task, attempt, sent, answer, verdicts)
        larger = to_larger(self._exchange.judge, sent)
        if not settles(attempt, answer.status, verdicts, larger):
            before.append(reply.raw)
            return _Put(Landed([reply], []), verdicts, False)
        # Replies of earlier rounds count, too, as the earlier attempts of a live run do.
        best = self._best(task, verdicts, before)
        return _Put(Landed([reply], self._exchange.presses(task, best)), best, True)

    def _best(
        self, task: Task, verdicts: dict[str, Verdict], before: list[str]
    ) -> dict[str, Verdict]:
        """Return the one of several replies with the most scores."""
        if all(verdict.status == "scored" for verdict in verdicts.values()):
            return verdicts
        earlier = [self._exchange.again(task, raw) for raw in before]
        # Reversed: `max` keeps the first of equals, and of equally good replies the newest counts.
        return max([*earlier, verdicts][::-1], key=number_scored)
