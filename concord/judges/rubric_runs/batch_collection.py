"""Collection of batches: the results of those that have ended, stored as replies and grades.

Results of a batch on their way to the store.

Replies, grades and completed requests are stored in one transaction, so that a crash neither loses
nor duplicates anything.
"""

import asyncio
import datetime
import json
from collections import defaultdict
from itertools import groupby
from typing import NamedTuple

from concord.judges.definition import registry
from concord.judges.prompting.request import to_larger
from concord.judges.prompting.verdict import Verdict, number_scored
from concord.judges.rubric_runs import batch_file, batch_server, batch_status
from concord.judges.rubric_runs.batch_file import Result
from concord.judges.rubric_runs.completion import Exchange, Task, settles
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.running.engine import recorded
from concord.judges.running.progress import Counts
from concord.judges.running.writer import Landed, commit
from concord.messages import counted, joined, said
from concord.model import Sheet
from concord.store import batches, graders, grades, items
from concord.store.batches import Batch
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


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
    async with batch_server.connected(job.judge) as client:
        for batch in batches.pending(store, job.sheet.id, grader_id):
            looked = await batch_server.look(store, client, batch, cancel)
            if looked.status in batch_status.ENDED:
                ended.append(looked)
            elif looked.closed_at:
                abandoned = said("A batch was abandoned; its questions can be sent again.")
                found.said.append(joined(" ", [abandoned, looked.message]))
            else:
                found.pending.append(looked)
                found.said.append(batch_server.progress(looked))
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
            came = await batch_server.results(client, batch, cancel)
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
        why = batch_status.read(self._batch.told).why
        parts = [
            said(
                "Batch {status}: {questions} answered.",
                status=reported.replace("_", " "),
                questions=counted(self._answered, "request"),
            )
        ]
        if why:
            parts.append(said("The server says: {why}.", why=why.rstrip(".")))
        if undone:
            parts.append(said("{n:,} not answered; run the judge again to submit them.", n=undone))
        if self._open:
            parts.append(
                said(
                    "{replies} could not be used; these requests are sent again.",
                    replies=counted(self._open, "reply", "replies"),
                )
            )
        ended = joined(" ", parts)
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
