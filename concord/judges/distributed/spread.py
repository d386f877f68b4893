"""Distributed run: requests sent by a cluster, partition by partition, and merged into the store.

The cluster is any object with `map` that returns futures like Dask's client; this module imports
none. A partition is a Parquet file in a folder that all workers share. Replies received before a
worker, the cluster or this process died are in the journals of that folder, and are merged first
when the run is repeated.
"""

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from concord.judges.distributed import partition
from concord.judges.prompting.verdict import number_scored
from concord.judges.rubric_runs.completion import Exchange, Task
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.rubric_runs.run import store_too_long, take_cached
from concord.judges.running.engine import recorded
from concord.judges.running.progress import Counts
from concord.judges.running.run_loop import RunResult
from concord.judges.running.writer import Landed, commit
from concord.store import items
from concord.store.database import Store

PART_TASKS = 500
MERGED_AT_ONCE = 200
UNFINISHED = "The run ended before all parts were asked. Run it again."

# Takes a function and the arguments of each call; yields the place of each call that has ended.
Spread = Callable[[Callable[..., int], list[tuple]], Iterator[int]]


def run(
    store: Store,
    job: RubricJob,
    spread: Spread,
    folder: str | Path,
    concurrency: int = 16,
    part_tasks: int = PART_TASKS,
    report: Callable[[Counts], None] = lambda counts: None,
) -> RunResult:
    """Run the rest of a job on a cluster, to whose workers the `folder` is open too.

    `spread` submits calls to the cluster, and yields the index of each that has ended;
    `concurrency` is per worker, and `report` is called after every partition of `part_tasks`
    requests.

    Raises:
        Problem: Another run of this judge and sheet is in progress, or an endpoint denied a
            worker's requests. What was journalled is merged.
    """
    with job.locked(store) as current:
        counts = current.counts()
        run_id = current.begin(store, current.estimate(store).as_json(), None)
        with recorded(store, run_id, counts) as record:
            record.why = UNFINISHED
            exchange = current.exchange(store, run_id)
            own = Path(folder).resolve() / f"run-{exchange.grader_id}-{job.sheet.id}"
            take_cached(store, current, exchange, counts)
            left = {task[:3]: task for task in current.pending}
            _go(store, exchange, counts, left, spread, own, concurrency, part_tasks, report)
            record.status, record.why = "done", ""
    return RunResult(record.status, record.why, counts)


def _go(
    store: Store,
    exchange: Exchange,
    counts: Counts,
    left: dict[tuple, Task],
    spread: Spread,
    folder: Path,
    concurrency: int,
    part_tasks: int,
    report: Callable[[Counts], None],
) -> None:
    """Merge what an earlier run left, ask the rest part by part, and merge each as it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    # Before the folder is emptied: replies in the journals of a dead run are paid for.
    _merge(store, exchange, counts, sorted(folder.glob("*.parquet")), left)
    shutil.rmtree(folder)
    folder.mkdir()
    paths = list(_parts(store, exchange, counts, left, folder, part_tasks))
    judge, rubric = exchange.judge, exchange.rubric
    azure = judge.endpoint.azure_endpoint is not None
    # The address goes along, since workers may lack this environment's OPENAI_BASE_URL.
    kept = judge if azure else judge.with_overrides(base_url=judge.url())
    calls = [(str(path), kept.body(), rubric.body(), concurrency) for path in paths]
    try:
        for place in spread(partition.ask, calls):
            _merge(store, exchange, counts, [paths[place]], left)
            report(counts)
    finally:
        # Also where the cluster fails: what its workers wrote is paid for.
        _merge(store, exchange, counts, paths, left)
    shutil.rmtree(folder)


def _parts(
    store: Store,
    exchange: Exchange,
    counts: Counts,
    left: dict[tuple, Task],
    folder: Path,
    part_tasks: int,
) -> Iterator[Path]:
    """Write what is left as Parquet files; what fits no model is settled at once."""
    asked = _requests(store, exchange, counts, left)
    number = 0
    while some := list(islice(asked, part_tasks)):
        path = folder / f"{number:06}.parquet"
        partition.write(path, some)
        number += 1
        yield path


def _requests(
    store: Store, exchange: Exchange, counts: Counts, left: dict[tuple, Task]
) -> Iterator[tuple[Task, dict[str, Any]]]:
    for task in list(left.values()):
        body = exchange.body(task, items.item(store, task.item_ids[0]).item)
        if body is not None:
            yield task, body
            continue
        store_too_long(store, exchange, task, counts)
        del left[task[:3]]


def _merge(
    store: Store, exchange: Exchange, counts: Counts, paths: list[Path], left: dict[tuple, Task]
) -> None:
    """Put the replies to some parts into the store; a question that is settled is left no more."""
    for path in paths:
        came: dict[tuple, list[partition.JournaledReply]] = defaultdict(list)
        for one in partition.journals(path):
            if one.key in left:
                came[one.key].append(one)
        landed = [_landed(exchange, counts, left, every) for every in came.values()]
        for start in range(0, len(landed), MERGED_AT_ONCE):
            commit(store, exchange.run_id, landed[start : start + MERGED_AT_ONCE])


def _landed(
    exchange: Exchange,
    counts: Counts,
    left: dict[tuple, Task],
    every: list[partition.JournaledReply],
) -> Landed:
    """The replies to one question, and the grades of the best of them once it is settled."""
    task, best, replies, settled = left[every[0].key], {}, [], False
    for came in sorted(every, key=lambda one: one.attempt):
        verdicts = exchange.verdicts(task, came.answer())
        reply = exchange.reply(task, came.attempt, came.body, came.answer(), verdicts)
        counts.note_reply(reply.status, reply.receipt)
        replies.append(reply)
        best = max(best, verdicts, key=number_scored) if best else verdicts
        settled = settled or came.settles(exchange.judge, verdicts)
    if not settled:
        return Landed(replies, [])
    del left[task[:3]]
    counts.note_done(best.values())
    return Landed(replies, exchange.presses(task, best))
