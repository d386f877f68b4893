"""Collection of batches: the results of those that have ended, stored as replies and grades."""

import asyncio
import datetime
from itertools import groupby
from typing import NamedTuple

from concord.judges.definition import registry
from concord.judges.rubric_runs import batch_server, batch_status
from concord.judges.rubric_runs.batch_results import Landing
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.running.engine import recorded
from concord.judges.running.progress import Counts
from concord.messages import joined, said
from concord.model import Sheet
from concord.store import batches, graders, grades
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
        # A run for each scope: what the few-shot pool was asked is told from the rest by its run.
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
