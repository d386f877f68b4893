"""Live session: a judge asked about one item, with nothing stored."""

from collections.abc import Sequence
from typing import Any

from concord.judges.definition.model import Judge
from concord.judges.metric_runs import metric_request
from concord.judges.metric_runs.stored_session import Scratch
from concord.model import Unit


class Live(Scratch):
    """A session that sends every request once, over a line like `probe.Line`.

    `units` are the given units of the item, by kind.
    """

    def __init__(self, judge: Judge, line: Any, units: dict[str, Sequence[Unit]] | None = None):
        super().__init__(units)
        self._judge, self._line = judge, line

    async def ask(self, ask: Any) -> Any:
        """Return the parsed reply; Undefined where it is unusable."""
        return metric_request.read(
            await self._line.chat(metric_request.body(self._judge, ask)), ask
        )

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector per text."""
        return await self._line.embed(texts)
