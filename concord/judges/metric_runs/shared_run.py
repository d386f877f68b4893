"""State shared by the sessions of a metric run: connections, writer, requests in flight."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from concord.judges.definition.model import Judge
from concord.judges.running.job import Run
from concord.judges.running.writer import Landed, commit
from concord.judges.transport.response import Answer
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units


class Halted(Exception):
    """The run ends before the metric is computed; what is open stays open."""


class JudgeConnection(NamedTuple):
    """One connection: the judge it asks, and how a request is sent."""

    judge: Judge
    send: Callable[[dict[str, Any]], Awaitable[Answer]]


@dataclass(kw_only=True)
class SharedRun(Run):
    """State shared by all sessions of one run.

    `chat` and `embedding` are None where not needed. `waiting` holds the requests in flight, by
    part and repeat, or by text and 0; `rubrics` the names of the unit rubrics in the store.
    """

    grader_id: int
    chat: JudgeConnection | None = None
    embedding: JudgeConnection | None = None
    identity: str = ""
    waiting: dict[tuple[str, int], asyncio.Future] = field(default_factory=dict)
    rubrics: set[str] = field(default_factory=set)

    async def land(self, replies: list, presses: list, **more: Any) -> None:
        """Put something on disk; there when this returns."""
        await self.disk.land(self.id, Landed(replies, presses, **more))

    async def once(self, part: str, repeat: int, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Return the result of `ask`, or of the same request already in flight."""
        key = part, repeat
        if key in self.waiting:
            # Shielded: cancelling one waiter must not cancel the request that others wait for.
            return await asyncio.shield(self.waiting[key])
        return await self.promised([key], ask)

    async def promised(
        self, keys: Sequence[tuple[str, int]], ask: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the result of `ask`, and let others await it under these keys."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.update(dict.fromkeys(keys, future))
        try:
            future.set_result(await ask())
        except BaseException as error:
            if isinstance(error, Exception):
                future.set_exception(error)
                future.exception()  # whether or not anybody waits for it
            else:
                future.cancel()
            raise
        finally:
            for key in keys:
                del self.waiting[key]
        return future.result()

    async def keep_units(self, *of: Any) -> units.Decomposition:
        """Store a decomposition, by the arguments of `units.keep`; returns the one that counts."""
        return await self.disk.do(_units_kept, self.id, *of)

    async def keep_verdicts(self, rubric: Rubric, presses: list[Press]) -> None:
        """Store verdicts on units as grades, and the unit rubric where it is new."""
        if rubric.name not in self.rubrics:
            await self.disk.do(rubric_versions.register, rubric, "preset")
            self.rubrics.add(rubric.name)
        await self.land([], presses)


def _units_kept(store: Store, run_id: int, *of: Any) -> units.Decomposition:
    """Store a decomposition; a Problem where the run is gone with its sheet."""
    with store.write():
        commit(store, run_id, [Landed([], [])])
        return units.keep(store, *of)
