"""Results of a batch on their way to the store.

Replies, grades and completed requests are stored in one transaction, so that a crash neither loses
nor duplicates anything.
"""

import json
from collections import defaultdict
from typing import NamedTuple

from concord.judges.prompting.request import to_larger
from concord.judges.prompting.verdict import Verdict, number_scored
from concord.judges.rubric_runs import batch_file, batch_status
from concord.judges.rubric_runs.batch_file import Result
from concord.judges.rubric_runs.completion import Exchange, Task, settles
from concord.judges.running.progress import Counts
from concord.judges.running.writer import Landed, commit
from concord.messages import counted, joined, said
from concord.store import batches, items
from concord.store.batches import Batch
from concord.store.database import Store

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
