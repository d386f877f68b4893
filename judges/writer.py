"""Writer: the only one that writes during a run, on a thread and a connection of its own."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, Self

from data import grades, measured, runs, vectors
from data.grades import Press
from data.measured import Measured
from data.runs import Reply
from data.store import Store, open_store
from problems import Problem


class Landed(NamedTuple):
    """What came in together and goes to the disk together.

    `measured` are the numbers that measures found, `vectors` those of texts, by (embedding, text).
    """

    replies: list[Reply]
    presses: list[Press]
    measured: Sequence[Measured] = ()
    vectors: Mapping[tuple[str, str], Sequence[float]] = {}


# What waits for a commit, and who waits for it.
Batch = list[tuple[Landed, asyncio.Future[None]]]


class Writer:
    """Writes on a thread of its own, one thing after the other; a context manager.

    What it has written outlives the process at once, however that ends. A second thread then has
    the disk take it, without a pause: nobody waits for that, and a power cut costs no more than the
    replies of some hundredths of a second.
    """

    def __init__(self, path: str):
        self._path = path
        self._thread, self._disk = ThreadPoolExecutor(1, "writer"), ThreadPoolExecutor(1, "disk")
        self._waiting: deque[tuple[Landed, asyncio.Future[None]]] = deque()
        self._called = False
        self._written = self._flushed = 0
        self._refused: Problem | None = None

    def __enter__(self) -> Self:
        try:
            self._store = self._thread.submit(_opened, self._path).result()
        except BaseException:
            self._thread.shutdown()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()
        self._disk.shutdown()
        self._hear()

    async def do(self, write: Callable, *values: Any) -> Any:
        """Run `write(store, *values)` on the writer's thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._write, write, *values)

    async def land(self, run_id: int, landed: Landed) -> None:
        """Put something in the store, with all else that waits by then; there when this returns.

        The writer never waits to fill a batch: under load the batches grow by themselves.
        """
        loop, batch = asyncio.get_running_loop(), []
        there = loop.create_future()
        self._waiting.append((landed, there))
        if not self._called:
            self._called = True
            done = self._thread.submit(self._write, self._commit, run_id, batch)
            # Straight to those who wait: every turn of a busy loop in between takes milliseconds.
            done.add_done_callback(partial(loop.call_soon_threadsafe, _tell, batch))
        await there

    def _write(self, write: Callable, *values: Any) -> Any:
        """Run `write(store, *values)`, and have the disk take it."""
        found = write(self._store, *values)
        self._hear()
        self._written += 1
        self._disk.submit(self._flush, self._written)
        return found

    def _commit(self, store: Store, run_id: int, batch: Batch) -> None:
        """Commit what waits, and name it in `batch`."""
        self._called = False
        while self._waiting:
            batch.append(self._waiting.popleft())
        commit(store, run_id, [landed for landed, _ in batch])

    def _flush(self, number: int) -> None:
        """Have the disk take what was written, unless it took that number along before."""
        if number > self._flushed and self._refused is None:
            written = self._written
            try:
                self._store.flush()
            except Problem as problem:
                self._refused = problem
            self._flushed = written

    def _hear(self) -> None:
        """A Problem where the disk did not take what was written before."""
        if self._refused is not None:
            raise self._refused


def _opened(path: str) -> Store:
    store = open_store(path)
    store.wait_for_no_disk()
    return store


def _tell(batch: Batch, done: Future[None]) -> None:
    """Tell all who wait for a batch how it went."""
    error = done.exception()
    for _, there in batch:
        if there.done():
            continue
        if error is None:
            there.set_result(None)
        else:
            there.set_exception(error)


def commit(store: Store, run_id: int, landed: list[Landed]) -> None:
    """Put replies and their grades in the store in one transaction."""
    if not landed:
        return
    with store.write():
        if runs.get(store, run_id) is None:
            raise Problem("The sheet was deleted while the run went on, so the run has ended.")
        runs.add_replies(store, run_id, [reply for entry in landed for reply in entry.replies])
        grades.record(store, [press for entry in landed for press in entry.presses])
        measured.record(store, [one for entry in landed for one in entry.measured])
        for entry in landed:
            vectors.keep(store, entry.vectors)
