"""Rubric runs: asks a judge for its grades, and puts every reply on disk as it arrives."""

import datetime
import json
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from concord.definitions import canonical_json
from concord.judges.definition.model import Judge, Shot
from concord.judges.definition.prices import DayPrice
from concord.judges.prompting.reply import Verdict, finished, number_scored
from concord.judges.prompting.request import requester, route, to_larger
from concord.judges.run.job import ATTEMPTS, STOPPED, Job, Run
from concord.judges.run.progress import Counts
from concord.judges.run.writer import Landed, commit
from concord.judges.transport.response import Answer, receipt
from concord.model import Item
from concord.rubrics.model import Rubric
from concord.store import items, runs
from concord.store.database import Row, Store
from concord.store.grades import Press
from concord.store.runs import Reply


class Task(NamedTuple):
    """One question to the judge: a content, a part and a repeat, for every item that holds it."""

    content_hash: str
    part: str
    repeat: int
    item_ids: tuple[int, ...]


TOO_LONG = Verdict("too_long", why="The prompt does not fit the model's context.")


def settles(attempt: int, status: str, verdicts: dict[str, Verdict], larger: Any) -> bool:
    """Tell if a reply ends the attempts at a task; the first attempt is 1.

    `status` is that of a reply without a completion, else ''. `larger` is the request to the larger
    model, None without one.
    """
    # A failed request was already retried by the client, so another attempt here would multiply its
    # retries.
    if attempt >= ATTEMPTS or status == "failed":
        return True
    return larger is None if status == "too_long" else finished(verdicts)


class Exchange:
    """State shared by all requests of one run.

    `scored` are the (item, criterion, repeat) that have a score already, which stays. `batch_of` is
    the day a batch was submitted, whose prices apply; None for live replies, each at its own day's
    price.
    """

    def __init__(
        self,
        judge: Judge,
        shots: Sequence[Shot],
        rubric: Rubric,
        scored: Set[tuple[int, str, int]],
        grader_id: int,
        run_id: int,
        batch_of: datetime.date | None = None,
    ):
        self.judge, self.rubric, self._shots, self._scored = judge, rubric, shots, scored
        self.grader_id, self.run_id = grader_id, run_id
        self._names = {
            part: [criterion.name for criterion in criteria]
            for part, criteria in judge.parts(rubric).items()
        }
        self._versions = rubric.versions()
        self.price = DayPrice(judge, batch_of).of
        self._requests: dict[str, Callable[[Item], dict[str, Any]]] = {}

    def body(self, task: Task, item: Item) -> dict[str, Any] | None:
        """The request, to the model that it fits; None if it fits none."""
        body = self._request(task.part)(item)
        model = route(self.judge, body)
        return None if model is None else body | {"model": model}

    def _request(self, part: str) -> Callable[[Item], dict[str, Any]]:
        """The function that builds the request of a part; made when first needed."""
        if part not in self._requests:
            of = self.judge, self.rubric, part, self._shots
            self._requests[part] = requester(*of)
        return self._requests[part]

    def verdicts(self, task: Task, answer: Answer) -> dict[str, Verdict]:
        """Verdicts by criterion; an answer without a completion has one status for all."""
        if answer.status:
            return self.all(task, Verdict(answer.status, why=answer.why))
        # A chat completion is decoded already; a decision has to be read as it came.
        reply = answer.completion if self.judge.chats else answer.raw
        return self.judge.read(reply, self._names[task.part], self.rubric.scale)

    def again(self, task: Task, raw: str) -> dict[str, Verdict]:
        """Verdicts in a stored reply."""
        return self.judge.read(raw, self._names[task.part], self.rubric.scale)

    def all(self, task: Task, verdict: Verdict) -> dict[str, Verdict]:
        """One verdict for every criterion of a task."""
        return dict.fromkeys(self._names[task.part], verdict)

    def presses(self, task: Task, verdicts: dict[str, Verdict]) -> list[Press]:
        """Grades of every item with this content; a score that is stored already stays."""
        return [
            Press(
                item_id,
                self._versions[name],
                self.grader_id,
                verdict.status,
                verdict.score,
                verdict.reason or verdict.why,
                repeat=task.repeat,
                run_id=self.run_id,
                distribution=verdict.distribution,
            )
            for item_id in task.item_ids
            for name, verdict in verdicts.items()
            # A score on disk is never replaced by a later reply, also where only another criterion
            # was missing.
            if (item_id, name, task.repeat) not in self._scored
        ]

    def reply(
        self,
        task: Task,
        attempt: int,
        body: dict[str, Any],
        answer: Answer,
        verdicts: dict[str, Verdict],
    ) -> Reply:
        """One answer as it is stored, with its cost at the day's price."""
        unscored = [one.reply_status for one in verdicts.values() if one.reply_status != "scored"]
        return Reply(
            self.grader_id,
            task.item_ids[0],
            task.content_hash,
            task.part,
            task.repeat,
            attempt,
            canonical_json(body),
            answer.raw,
            unscored[0] if unscored else "scored",
            receipt(answer, self.price(body["model"])),
        )


CACHED_AT_ONCE = 200
# Replies that do not settle their task before the last attempt.
UNREADABLE = ("unparsable", "truncated")


@dataclass(kw_only=True)
class RubricRun(Run):
    """A judge asked for its grades: one request for each content, part and repeat."""

    exchange: Exchange

    def take_stored(self, store: Store) -> None:
        """Grade what stored replies to the same content settle."""
        take_cached(store, self.job, self.exchange, self.counts, lambda: self._is_stopped(store))

    def _is_stopped(self, store: Store) -> bool:
        """Store the progress; tell if the run was asked to stop."""
        if runs.heartbeat(store, self.id, self.counts.as_dict()):
            self.stop(STOPPED)
        return not self.is_open()

    async def work(self, task: Task) -> None:
        """Ask about one content until the reply can be parsed, at most ATTEMPTS times.

        The last reply and the grades go to the disk in one transaction. Of several replies the
        best counts for the grades. Attempts before a run was stopped count, as they are paid.
        """
        exchange = self.exchange
        request = exchange.body(task, items.item(self.reader, task.item_ids[0]).item)
        if request is None:
            return await self._finish(task, [], exchange.all(task, TOO_LONG))
        earlier, tried = self._earlier(task), 0
        verdicts = (exchange.again(task, row["raw"]) for row in earlier)
        best: dict[str, Verdict] = max(verdicts, key=number_scored, default={})
        if earlier:
            request, tried = json.loads(earlier[-1]["request"]), earlier[-1]["attempt"]

        async def take(attempt: int, body: dict[str, Any], answer: Answer) -> dict | None:
            nonlocal best
            verdicts = exchange.verdicts(task, answer)
            reply = exchange.reply(task, attempt, body, answer, verdicts)
            self.counts.note_reply(reply.status, reply.receipt)
            best = max(best, verdicts, key=number_scored) if best else verdicts
            larger = to_larger(self.job.judge, body) if answer.status == "too_long" else None
            if settles(attempt, answer.status, verdicts, larger):
                await self._finish(task, [reply], best, answer.is_turned_away)
                return None
            await self.disk.land(self.id, Landed([reply], []))
            return larger or body

        await self.ask(self.send, request, take, tried)

    def _earlier(self, task: Task) -> list[Row]:
        """Return the replies to a task that a run left between two attempts, oldest first."""
        rows = runs.of_request(self.reader, self.job.same, *task)
        newest = rows[-1] if rows else {"status": "", "attempt": 0}
        # After the last attempt, or a failure, the attempts begin anew where it is asked again.
        is_open = newest["status"] in UNREADABLE and newest["attempt"] < ATTEMPTS
        return [row for row in rows if row["status"] in UNREADABLE] if is_open else []

    async def _finish(
        self,
        task: Task,
        replies: list,
        verdicts: dict[str, Verdict],
        rejected: bool = False,
    ) -> None:
        """Put the last reply and the grades on disk, then count them.

        Different statuses of one reply break nothing.
        """
        await self.disk.land(self.id, Landed(replies, self.exchange.presses(task, verdicts)))
        self.counts.note_done(verdicts.values())
        if replies:
            first, statuses = next(iter(verdicts.values())), {v.status for v in verdicts.values()}
            self.note_status(first.status if len(statuses) == 1 else "", first.why, rejected)


def take_cached(
    store: Store,
    job: Job,
    exchange: Exchange,
    counts: Counts,
    stops: Callable[[], bool] = lambda: False,
) -> None:
    """Store the grades of a job's cached tasks, and count them.

    A task whose reply was deleted with its sheet since the job was prepared becomes pending.
    `stops` is called after every CACHED_AT_ONCE tasks; true to leave the rest.
    """
    cached = job.cached
    for start in range(0, len(cached), CACHED_AT_ONCE):
        landed = []
        for task in cached[start : start + CACHED_AT_ONCE]:
            # The sheet whose reply was to be used again may have been deleted since the job was
            # prepared.
            raw = runs.good_raw(store, job.same, *task[:3], job.reusable)
            if raw is None:
                job.pending.append(task)
                continue
            verdicts = exchange.again(task, raw)
            landed.append(Landed([], exchange.presses(task, verdicts)))
            counts.cached += 1
            counts.note_done(verdicts.values())
        # In chunks: one transaction for 100,000 cached grades would block annotators for its
        # length.
        commit(store, exchange.run_id, landed)
        if stops():
            return


def store_too_long(store: Store, exchange: Exchange, task: Task, counts: Counts) -> None:
    """Store that the prompt of a task fits no model."""
    verdicts = exchange.all(task, TOO_LONG)
    commit(store, exchange.run_id, [Landed([], exchange.presses(task, verdicts))])
    counts.note_done(verdicts.values())
