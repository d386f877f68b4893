"""Distributed run: requests sent by a cluster, partition by partition, and merged into the store.

Only `cluster` imports Dask, which is installed apart. A partition is a Parquet file in a folder
that all workers share. Replies received before a worker, the cluster or this process died are in
the journals of that folder, and are merged first when the run is repeated.

A worker needs nothing else of Concord: no database, no rubric. The requests are those a local run
would send; every reply is journalled before the next request, so that a crashed worker costs only
what it had in flight, and its successor sends only the rest.
"""

import asyncio
import json
import os
import shutil
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from concord.definitions import canonical_json
from concord.judges.definition import model
from concord.judges.prompting.reply import Verdict, number_scored
from concord.judges.prompting.request import to_larger
from concord.judges.run.exchange import Exchange, Task, settles, store_too_long, take_cached
from concord.judges.run.job import ATTEMPTS, RunResult
from concord.judges.run.progress import Counts
from concord.judges.run.rubric import RubricJob
from concord.judges.run.session import recorded
from concord.judges.run.writer import Landed, commit
from concord.judges.transport import response as answers
from concord.judges.transport.response import Answer
from concord.messages import Problem
from concord.resources import install
from concord.rubrics import model as rubrics
from concord.store import items
from concord.store.database import Store

_SCHEMA = pa.schema(
    [
        ("content_hash", pa.string()),
        ("part", pa.string()),
        ("repeat", pa.int32()),
        ("item_ids", pa.list_(pa.int64())),
        ("body", pa.string()),
    ]
)


class JournaledReply(NamedTuple):
    """One reply as the journal keeps it, with the request it answers."""

    content_hash: str
    part: str
    repeat: int
    attempt: int
    body: dict[str, Any]
    status: str
    why: str
    raw: str
    latency: float | None

    @property
    def key(self) -> tuple[str, str, int]:
        """Return the key of the request: content, part and repeat."""
        return self.content_hash, self.part, self.repeat

    def larger(self, judge: model.Judge) -> dict[str, Any] | None:
        """The same request to the larger sibling, where the server found it too long."""
        return to_larger(judge, self.body) if self.status == "too_long" else None

    def settles(self, judge: model.Judge, verdicts: dict[str, Verdict]) -> bool:
        """True where this reply ends the attempts: the same rule as in a local run."""
        return settles(self.attempt, self.status, verdicts, self.larger(judge))

    def answer(self) -> Answer:
        """The answer as the connection gave it."""
        if self.status:
            return Answer(self.status, self.why, self.raw, latency=self.latency)
        return answers.read(self.raw.encode())._replace(latency=self.latency)


def write(path: Path, asked: Iterable[tuple[Task, dict[str, Any]]]) -> int:
    """Write tasks with their requests as one Parquet file, whole or not at all, and count them."""
    rows = [(*task[:3], list(task.item_ids), canonical_json(body)) for task, body in asked]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * len(_SCHEMA)
    half = path.with_suffix(".half")
    pq.write_table(pa.table(columns, schema=_SCHEMA), half)
    half.replace(path)
    return len(rows)


def read(path: Path) -> list[tuple[Task, dict[str, Any]]]:
    """The tasks of a Parquet file with their requests."""
    return [
        (
            Task(row["content_hash"], row["part"], row["repeat"], tuple(row["item_ids"])),
            json.loads(row["body"]),
        )
        for row in pq.read_table(path).to_pylist()
    ]


def journals(path: Path) -> Iterator[JournaledReply]:
    """Yield every reply of a partition so far, from all workers; truncated lines are skipped."""
    for journal in sorted(path.parent.glob(f"{path.stem}.*.jsonl")):
        for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                yield JournaledReply(*json.loads(line))
            except (ValueError, TypeError):
                continue


def ask(path: str, judge_body: str, rubric_body: str, concurrency: int) -> int:
    """Ask what is left of a part; returns how many replies came. Runs on a worker.

    `path` is the Parquet file, in a folder that every worker and the run itself can write to; judge
    and rubric are as of their `body`, `concurrency` is how many requests are in flight at most.
    """
    judge, rubric = model.from_body(judge_body), rubrics.from_body(rubric_body)
    return asyncio.run(_Asking(Path(path), judge, rubric).go(concurrency))


class _Asking:
    """One worker on one part."""

    def __init__(self, path: Path, judge: model.Judge, rubric: rubrics.Rubric):
        self._path, self._judge, self._scale = path, judge, rubric.scale
        self._names = {
            part: [criterion.name for criterion in criteria]
            for part, criteria in judge.parts(rubric).items()
        }
        self._before: dict[tuple, list[JournaledReply]] = {}
        for came in journals(path):
            self._before.setdefault(came.key, []).append(came)
        self._came = 0

    async def go(self, concurrency: int) -> int:
        from concord.judges.transport.client import (
            Client,  # the openai package takes half a second to import
        )

        todo = iter(read(self._path))
        journal = self._path.with_name(f"{self._path.stem}.{uuid.uuid4().hex}.jsonl")
        with journal.open("a", encoding="utf-8") as kept:
            async with Client(self._judge) as client:
                workers = [self._work(todo, client, kept) for _ in range(concurrency)]
                await asyncio.gather(*workers)
        return self._came

    async def _work(self, todo: Iterator, client: Any, kept: Any) -> None:
        for task, body in todo:
            before = self._before.get(task[:3], [])
            first = max((came.attempt for came in before), default=0) + 1
            if any(came.settles(self._judge, self._verdicts(came)) for came in before):
                continue
            for attempt in range(first, ATTEMPTS + 1):
                answer = await client.ask(body)
                told = (answer.status, answer.why, answer.raw, answer.latency)
                came = JournaledReply(*task[:3], attempt, body, *told)
                await self._keep(kept, came)
                if came.settles(self._judge, self._verdicts(came)):
                    break
                body = came.larger(self._judge) or body

    def _verdicts(self, came: JournaledReply) -> dict[str, Verdict]:
        names = self._names[came.part]
        if came.status:
            return dict.fromkeys(names, Verdict(came.status, why=came.why))
        return self._judge.read(came.raw, names, self._scale)

    async def _keep(self, kept: Any, came: JournaledReply) -> None:
        kept.write(json.dumps(came, ensure_ascii=True) + "\n")
        kept.flush()
        # In a thread: a slow shared disk must not stall the worker's other requests.
        await asyncio.to_thread(os.fsync, kept.fileno())
        self._came += 1


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
    part_tasks: int | None = None,
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
            part_tasks = part_tasks or min(PART_TASKS, max(1, -(-len(left) // 4)))
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
        for place in spread(ask, calls):
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

    def requests() -> Iterator[tuple[Task, dict[str, Any]]]:
        for task in list(left.values()):
            body = exchange.body(task, items.item(store, task.item_ids[0]).item)
            if body is not None:
                yield task, body
                continue
            store_too_long(store, exchange, task, counts)
            del left[task[:3]]

    asked = requests()
    number = 0
    while some := list(islice(asked, part_tasks)):
        path = folder / f"{number:06}.parquet"
        write(path, some)
        number += 1
        yield path


def _merge(
    store: Store, exchange: Exchange, counts: Counts, paths: list[Path], left: dict[tuple, Task]
) -> None:
    """Put the replies to some parts into the store; a question that is settled is left no more."""
    for path in paths:
        came: dict[tuple, list[JournaledReply]] = defaultdict(list)
        for one in journals(path):
            if one.key in left:
                came[one.key].append(one)
        landed = [_landed(exchange, counts, left, every) for every in came.values()]
        for start in range(0, len(landed), MERGED_AT_ONCE):
            commit(store, exchange.run_id, landed[start : start + MERGED_AT_ONCE])


def _landed(
    exchange: Exchange,
    counts: Counts,
    left: dict[tuple, Task],
    every: list[JournaledReply],
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


@contextmanager
def cluster(scheduler: str) -> Iterator[Spread]:
    """Yield what runs calls on a Dask cluster: that of an address, or so many processes here."""
    try:
        from distributed import Client, LocalCluster, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise Problem(
            "Dask is not installed. Install it with “{command}”, or leave --scheduler out.",
            command=install("dask"),
        ) from None

    def calls(function, arguments):
        futures = [client.submit(function, *each, pure=False) for each in arguments]
        places = {future.key: place for place, future in enumerate(futures)}
        for future in as_completed(futures):
            try:
                future.result()
            except KilledWorker:
                raise Problem(
                    "Workers died repeatedly on the same part. See their logs, then repeat the "
                    "command to resume."
                ) from None
            yield places[future.key]

    if not scheduler.isdecimal():
        with Client(scheduler) as client:
            yield calls
        return
    local = {"n_workers": int(scheduler), "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(host="127.0.0.1", **local) as here, Client(here) as client:
        yield calls
