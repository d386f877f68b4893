"""Submission of batches: a judge's remaining requests, batch by batch, within the budget."""

import asyncio
import secrets
from typing import NamedTuple

from concord import clock
from concord.judges.rubric_runs import batch_server
from concord.judges.rubric_runs.batch_plan import Planned, plan
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.rubric_runs.run import take_cached
from concord.judges.running.engine import recorded
from concord.judges.running.progress import Counts
from concord.messages import joined, said
from concord.store import batches
from concord.store.batches import Question
from concord.store.database import Store


class Handed(NamedTuple):
    """Number of requests submitted, left out by the budget, and not sent."""

    questions: int
    left: int
    counts: Counts

    def sentence(self) -> str:
        """Return the result, in words."""
        parts = [said("Nothing was submitted.")]
        if self.questions:
            parts = [
                said(
                    "Submitted as a batch: 1 request; the replies arrive within a day. Run the "
                    "judge again to fetch them."
                )
                if self.questions == 1
                else said(
                    "Submitted as a batch: {n:,} requests; the replies arrive within a day. "
                    "Run the judge again to fetch them.",
                    n=self.questions,
                )
            ]
        if self.counts.cached:
            parts.append(said("{n:,} came from the cache.", n=self.counts.cached))
        if long := self.counts.statuses["too_long"]:
            parts.append(said("{n:,} do not fit the model.", n=long))
        if self.left:
            parts.append(
                said("The budget does not cover {n:,}; they are left for a later run.", n=self.left)
            )
        return joined(" ", parts)


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
            made = [
                _added(store, current, exchange.grader_id, about, questions)
                for questions in plan(store, *of)
            ]
            if made:
                # Stored before they are sent: a crash in between leaves a batch that the token can
                # find again.
                asyncio.run(batch_server.send_all(store, made, job.judge))
            handed = Handed(planned.asked, planned.left, counts)
            record.status, record.why = "done", handed.sentence()
    return handed


def _added(
    store: Store,
    job: RubricJob,
    grader_id: int,
    about: tuple[dict, dict, float | None],
    questions: list[Question],
) -> int:
    """Store a batch that is about to be sent; returns its id."""
    place = (grader_id, job.sheet.id, job.rubric_id)
    with store.write():
        # The token goes with the batch: after a crash it shows whether the server has it already.
        return batches.add(store, *place, secrets.token_hex(16), *about, questions)
