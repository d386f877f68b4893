"""Grades from stored replies to the same content; no request is sent."""

import json
from collections.abc import Callable

from concord.judges.running.completion import Exchange
from concord.judges.running.progress import Counts
from concord.judges.running.writer import Landed, commit
from concord.store import runs
from concord.store.database import Store

AT_ONCE = 200


def take(
    store: Store,
    exchange: Exchange,
    counts: Counts,
    stops: Callable[[], bool] = lambda: False,
) -> None:
    """Store the grades of a job's cached tasks.

    A task whose reply was deleted with its sheet since the job was prepared becomes pending.

    Args:
        store: The open store.
        exchange: Of the run.
        counts: Updated.
        stops: Called after every AT_ONCE tasks; true to leave the rest.
    """
    cached = exchange.job.cached
    for start in range(0, len(cached), AT_ONCE):
        landed = []
        for task in cached[start : start + AT_ONCE]:
            raw = runs.good_raw(store, exchange.grader_id, *task[:3])
            if raw is None:
                exchange.job.pending.append(task)
                continue
            verdicts = exchange.again(task, json.loads(raw))
            landed.append(Landed([], exchange.presses(task, verdicts)))
            counts.cached += 1
            counts.note_done(verdicts.values())
        commit(store, exchange.run_id, landed)
        if stops():
            return
