"""Live: a desk at which a judge is asked about an item that is not stored, and nothing is kept."""

from collections.abc import Sequence
from typing import Any

from data.model import Unit
from judges.measuring import question
from judges.measuring.scratch import Scratch
from judges.model import Judge


class Live(Scratch):
    """Every ask is sent once, over a line that sends chats and embeds texts.

    Args:
        judge: Whose settings the requests have.
        line: As `judges.trial.Line`.
        units: The units of the item by kind that are given.
    """

    def __init__(self, judge: Judge, line: Any, units: dict[str, Sequence[Unit]] | None = None):
        super().__init__(units)
        self._judge, self._line = judge, line

    async def ask(self, ask: Any) -> Any:
        """What the reply says; Unmeasured where it cannot be taken."""
        return question.read(await self._line.chat(question.body(self._judge, ask)), ask)

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector per text."""
        return await self._line.embed(texts)
