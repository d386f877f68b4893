"""Sessions that store nothing: units and verdicts of one item alone, and a judge asked live."""

from collections.abc import Mapping, Sequence
from typing import Any

from concord.judges.definition.model import Judge
from concord.judges.metric_runs import metric_request
from concord.model import Cell, Unit, Verdict
from concord.rubrics.model import Rubric


class Scratch:
    """Results of one item in memory; its units have ids below 0, as no grader has seen them.

    Args:
        units: The units made so far by kind, extended in place; None for none.
    """

    def __init__(self, units: dict[str, Sequence[Unit]] | None = None):
        self._units = {} if units is None else units
        self._verdicts: dict[str, dict[int, Verdict]] = {}

    def units(self, kind: str) -> Sequence[Unit] | None:
        """Return the units of a kind; None where they are not made yet."""
        return self._units.get(kind)

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Keep a decomposition."""
        return self.keep(kind, cells)

    def keep(self, kind: str, cells: Sequence[Cell]) -> Sequence[Unit]:
        """Keep a decomposition, numbered on from what there is."""
        taken = sum(map(len, self._units.values()))
        self._units[kind] = [
            Unit(-number, kind, cell.text, cell.position, cell.parent)
            for number, cell in enumerate(cells, taken + 1)
        ]
        return self._units[kind]

    def verdicts(self, rubric: Rubric, units: Sequence[Unit]) -> Mapping[int, Verdict]:
        """The verdicts that came, by unit id."""
        return dict(self._verdicts.get(rubric.name, {}))

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Verdict]) -> None:
        """Keep verdicts for the next metric."""
        self._verdicts.setdefault(rubric.name, {}).update(verdicts)


class Live(Scratch):
    """A session that sends every request once, over a line for chats and embeddings.

    Args:
        judge: The judge whose settings the requests have.
        line: Like `probe.Line`.
        units: The given units of the item, by kind.
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
