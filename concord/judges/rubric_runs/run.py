"""Rubric runs: asks a judge for its grades, and puts every reply on disk as it arrives."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from concord.judges.prompting.request import to_larger
from concord.judges.prompting.verdict import Verdict, number_scored
from concord.judges.rubric_runs.completion import TOO_LONG, Exchange, Task, settles
from concord.judges.running.job import Job, Run
from concord.judges.running.progress import Counts
from concord.judges.running.run_loop import ATTEMPTS, STOPPED
from concord.judges.running.writer import Landed, commit
from concord.judges.transport.response import Answer
from concord.store import items, runs
from concord.store.database import Row, Store

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
        if runs.heartbeat(store, self.id, self.counts.as_stored()):
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
