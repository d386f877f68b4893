"""Stored session: only stored results, of one item, one grader and one repeat. No API calls.

It serves to recompute a metric under other switches, from a judge's verdicts or an annotator's. The
live session extends it and requests what is missing.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import NOT_ASKED, NOT_LABELLED, Undefined
from concord.model import Cell, Unit, Verdict
from concord.rubrics.model import Rubric
from concord.store import runs, vectors
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.units import unit_verdicts, units

# Why there is no value, by the kind of the grader that has given none.
OPEN = {"person": NOT_LABELLED, "metric": "Not asked yet."}


class Scratch:
    """Results of one item in memory; its units have ids below 0, as no grader has seen them.

    `units` are those made so far by kind, extended in place.
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


class StoredResults(Scratch):
    """Stored results of a grader on an item, in one repeat.

    `embedding` is the identity of the embedding model whose vectors count, '' for none; `kind` is
    the grader's.
    """

    def __init__(
        self,
        store: Store,
        item_id: int,
        grader_id: int,
        repeat: int = 1,
        embedding: str = "",
        kind: str = "metric",
    ):
        super().__init__()
        self.store, self.item_id, self.grader_id = store, item_id, grader_id
        self.repeat, self.embedding = repeat, embedding
        self._open = OPEN.get(kind, OPEN["metric"])
        self.lists: dict[str, int] = {}  # the decompositions that were looked at, by kind

    async def ask(self, ask: Any) -> Any:
        """Return the parsed stored reply; Undefined without one."""
        raw = self.reply(metric_request.part(ask))
        if raw is None:
            raise Undefined(NOT_ASKED, self._open)
        return metric_request.read(json.loads(raw), ask)

    def reply(self, part: str) -> str | None:
        """Return the stored good reply to a request; None without one."""
        return runs.reply(self.store, self.grader_id, part, self.repeat)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """The stored vectors; Undefined where one is missing."""
        known = self.vectors(texts)
        if not known.keys() >= set(texts):
            raise Undefined(NOT_ASKED, "Not embedded yet.")
        return [known[text] for text in texts]

    def vectors(self, texts: Sequence[str]) -> dict[str, Sequence[float]]:
        """The stored vectors by text."""
        return vectors.of(self.store, self.embedding, texts)

    def units(self, kind: str) -> Sequence[Unit] | None:
        """Return the item's current units of a kind; None where they are not made yet."""
        found = units.current(self.store, [self.item_id], kind).get(self.item_id)
        if found is None:
            return super().units(kind)
        self.lists[kind] = found.id
        return found.units

    def verdicts(self, rubric: Rubric, units: Sequence[Unit]) -> Mapping[int, Verdict]:
        """The grader's verdicts on units, by unit id."""
        ids = [unit.id for unit in units]
        return unit_verdicts.verdicts(self.store, self.grader_id, version(rubric), ids, self.repeat)

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Verdict]) -> None:
        """Verdicts read from stored replies; they are stored by the session that asked."""

    def grades(self, rubric: Rubric, verdicts: Mapping[int, Verdict], run_id: int) -> list[Press]:
        """Verdicts of a run as grades under the unit rubric."""
        labels = {level.score: level.label for level in rubric.criteria[0].levels}
        return [
            Press(
                self.item_id,
                version(rubric),
                self.grader_id,
                score=verdict.score,
                reason=verdict.reason,
                repeat=self.repeat,
                unit_id=unit_id,
                label=labels[verdict.score],
                run_id=run_id,
                quote=verdict.quote,
            )
            for unit_id, verdict in verdicts.items()
        ]


def version(rubric: Rubric) -> str:
    """The criterion version of a unit rubric, which has one criterion."""
    return rubric.version(rubric.criteria[0])
