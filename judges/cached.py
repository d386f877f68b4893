"""Cached: the grades of contents that a judge has answered well before; nothing is asked."""

import json
from collections.abc import Callable

from data import runs
from data.store import Store
from judges.exchange import Exchange
from judges.progress import Counts
from judges.writer import Landed, commit

AT_ONCE = 200


def take(
    store: Store,
    exchange: Exchange,
    counts: Counts,
    stops: Callable[[], bool] = lambda: False,
) -> None:
    """Put the grades of a job's cached tasks on disk.

    A task whose reply was deleted with its sheet since the job was prepared becomes pending.

    Args:
        store: The open store.
        exchange: Of the run.
        counts: Counts along.
        stops: Is asked after every AT_ONCE tasks whether to leave the rest.
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
