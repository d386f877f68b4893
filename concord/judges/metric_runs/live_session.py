"""Live: a desk at which a judge is asked about an item that is not stored, and nothing is kept."""

from collections.abc import Sequence
from typing import Any

from concord.judges.definition.model import Judge
from concord.judges.metric_runs import metric_request
from concord.judges.metric_runs.scratch import Scratch
from concord.model import Unit


class Live(Scratch):
    """Every ask is sent once, over a line that sends chats and embeds texts.

    Args:
        judge: Whose settings the requests have.
        line: As `probe.Line`.
        units: The units of the item by kind that are given.
    """

    def __init__(self, judge: Judge, line: Any, units: dict[str, Sequence[Unit]] | None = None):
        super().__init__(units)
        self._judge, self._line = judge, line

    async def ask(self, ask: Any) -> Any:
        """What the reply says; Unmeasured where it cannot be taken."""
        return metric_request.read(
            await self._line.chat(metric_request.body(self._judge, ask)), ask
        )

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector per text."""
        return await self._line.embed(texts)
