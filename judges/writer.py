"""Writer: the only one that writes during a run, on a thread and a connection of its own."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

from data import grades, runs
from data.grades import Press
from data.runs import Reply
from data.store import Store, open_store
from problems import Problem


class Landed(NamedTuple):
    """What came in together and goes to the disk together."""

    replies: list[Reply]
    presses: list[Press]


class Writer:
    """Writes on a thread of its own, one thing after the other; a context manager."""

    def __init__(self, path: str):
        self._path = path
        self._thread = ThreadPoolExecutor(1, "writer")
        self._waiting: deque[Landed] = deque()
        self._put = self._saved = 0

    def __enter__(self) -> Self:
        try:
            self._store = self._thread.submit(open_store, self._path).result()
        except BaseException:
            self._thread.shutdown()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()

    async def do(self, write: Callable, *values: Any) -> Any:
        """Run `write(store, *values)` on the writer's thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, write, self._store, *values)

    async def land(self, run_id: int, landed: Landed) -> None:
        """Put something on disk, with all else that waits by then; there when this returns.

        The writer never waits to fill a batch: under load the batches grow by themselves.
        """
        self._waiting.append(landed)
        self._put += 1
        await self.do(self._commit, run_id, self._put)

    def _commit(self, store: Store, run_id: int, number: int) -> None:
        """Commit what waits, unless an earlier commit took that number along."""
        if number <= self._saved:
            return
        batch = list(self._waiting)
        commit(store, run_id, batch)
        for _ in batch:
            self._waiting.popleft()
        self._saved += len(batch)


def commit(store: Store, run_id: int, landed: list[Landed]) -> None:
    """Put replies and their grades on disk in one transaction; durable when it returns."""
    if not landed:
        return
    with store.write():
        if runs.get(store, run_id) is None:
            raise Problem("The sheet was deleted while the run went on, so the run has ended.")
        runs.add_replies(store, run_id, [reply for entry in landed for reply in entry.replies])
        grades.record(store, [press for entry in landed for press in entry.presses])
