"""The only writer of a run, on a connection of its own."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, Self

from concord.messages import Problem
from concord.store import grades, metric_values, runs, vectors
from concord.store.database import Store, open_store
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.runs import Reply


class Landed(NamedTuple):
    """Contents of one transaction.

    `measured` are metric values, `vectors` those of texts, by (embedding, text).
    """

    replies: Sequence[Reply] = ()
    presses: Sequence[Press] = ()
    measured: Sequence[NewMetricValue] = ()
    vectors: Mapping[tuple[str, str], Sequence[float]] = {}


class Writer:
    """A writer that stores in order, on a thread of its own; a context manager.

    What is written outlives the process at once, however that ends. A second thread then flushes it
    to the disk without a pause, and no worker waits for that: a power cut costs no more than the
    replies of some hundredths of a second.
    """

    def __init__(self, path: str):
        self._path = path
        self._thread, self._disk = ThreadPoolExecutor(1, "writer"), ThreadPoolExecutor(1, "disk")
        self._waiting: deque[tuple[Landed, asyncio.Future[None]]] = deque()
        self._called = self._to_flush = False
        self._refused: Problem | None = None

    def __enter__(self) -> Self:
        try:
            self._store = self._thread.submit(open_store, self._path).result()
            self._thread.submit(self._store.wait_for_no_disk).result()
        except BaseException:
            self._thread.shutdown()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # Closed on the thread that opened it, as sqlite3 requires.
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()
        # Waits for the last flush, so that a run that ended survives a power cut.
        self._disk.shutdown()
        self._raise_refusal()

    async def do(self, write: Callable, *values: Any) -> Any:
        """Run `write(store, *values)` on the writer's thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._write, write, *values)

    async def land(self, run_id: int, landed: Landed) -> None:
        """Store something, with all else that waits by then; committed when this returns.

        The writer never waits to fill a batch: under load the batches grow.
        """
        loop = asyncio.get_running_loop()
        there = loop.create_future()
        self._waiting.append((landed, there))
        if not self._called:
            # One commit at a time is queued; what arrives until it runs is part of the same
            # transaction.
            self._called = True
            loop.call_soon(self._hand_over, run_id)  # with all that this turn has to land
        await there

    def _hand_over(self, run_id: int) -> None:
        """Have the writer's thread commit what waits by then, and wake those who wait."""
        loop, batch = asyncio.get_running_loop(), []
        done = self._thread.submit(self._write, self._commit, run_id, batch)
        # Straight to those who wait: every turn of a busy loop in between takes milliseconds.
        done.add_done_callback(partial(loop.call_soon_threadsafe, _wake, batch))

    def _write(self, write: Callable, *values: Any) -> Any:
        """Run `write(store, *values)`, then flush; a Problem if an earlier flush failed."""
        found = write(self._store, *values)
        self._raise_refusal()
        if not self._to_flush:
            self._to_flush = True
            self._disk.submit(self._flush)
        return found

    def _commit(self, store: Store, run_id: int, batch: list) -> None:
        """Commit what waits, and name it in `batch`."""
        self._called = False
        # Taken on the writer's thread; `popleft` of a deque is atomic, so the loop may append
        # meanwhile.
        while self._waiting:
            batch.append(self._waiting.popleft())
        commit(store, run_id, [landed for landed, _ in batch])

    def _flush(self) -> None:
        """Flush what is written by now; what comes later needs another flush."""
        self._to_flush = False
        try:
            if self._refused is None:  # asked again, the system would say that all is well
                self._store.flush()
        except Problem as problem:
            self._refused = problem

    def _raise_refusal(self) -> None:
        if self._refused is not None:
            raise self._refused


def _wake(batch: list[tuple[Landed, asyncio.Future[None]]], done: Future[None]) -> None:
    """Wake all that wait for a batch, with its error if it failed."""
    error = done.exception()
    for _, there in batch:
        # A worker that was cancelled meanwhile has a future that cannot be set again.
        if not there.done():
            there.set_exception(error) if error else there.set_result(None)


def commit(
    store: Store, run_id: int, landed: Sequence[Landed], also: Callable | None = None, *of: Any
) -> Any:
    """Store replies and their grades in one transaction; in it, `also(store, *of)` is returned."""
    with store.write():
        # Deleting a sheet deletes its runs, also one that is at work in another process.
        if not runs.exists(store, run_id):
            raise Problem("The sheet was deleted during the run, so the run has ended.")
        runs.add_replies(store, run_id, [reply for entry in landed for reply in entry.replies])
        grades.record(store, [press for entry in landed for press in entry.presses])
        metric_values.record(store, [one for entry in landed for one in entry.measured])
        for entry in landed:
            vectors.keep(store, entry.vectors)
        return also and also(store, *of)
