"""Stored session: only stored results, of one item, one grader and one repeat. No API calls.

It serves to recompute a metric under other switches, from a judge's verdicts or an annotator's. The
live session extends it and requests what is missing.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from concord.judges.metric_runs import metric_request
from concord.judges.metric_runs.undefined import NOT_ASKED, NOT_LABELLED, Undefined
from concord.model import Cell, Unit, Verdict
from concord.rubrics.model import Rubric
from concord.store import runs, vectors
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.units import unit_verdicts, units

# Why there is no number, by the kind of the grader that has not spoken.
OPEN = {"person": NOT_LABELLED, "metric": "Not asked yet."}


class Known:
    """Stored results of a grader on an item.

    Args:
        store: The open store, for reading.
        item_id: The item.
        grader_id: The grader whose replies and verdicts count.
        repeat: The number of the repeat.
        embedding: The identity of the embedding model whose vectors count; '' for none.
        kind: The grader's kind.
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
        self.store, self.item_id, self.grader_id = store, item_id, grader_id
        self.repeat, self.embedding = repeat, embedding
        self._open = OPEN.get(kind, OPEN["metric"])
        self.lists: dict[str, int] = {}  # the decompositions that were looked at, by kind
        self._made: dict[str, list[Unit]] = {}

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
            return self._made.get(kind)
        self.lists[kind] = found.id
        return found.units

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Return units for this session alone; ids are below 0, as no grader has seen them."""
        taken = sum(map(len, self._made.values()))
        made = [
            Unit(-number, kind, cell.text, cell.position, cell.parent)
            for number, cell in enumerate(cells, taken + 1)
        ]
        self._made[kind] = made
        return made

    def verdicts(self, rubric: Rubric, units: Sequence[Unit]) -> Mapping[int, Verdict]:
        """The grader's verdicts on units, by unit id."""
        ids = [unit.id for unit in units]
        return unit_verdicts.verdicts(self.store, self.grader_id, version(rubric), ids, self.repeat)

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Verdict]) -> None:
        """Verdicts read from stored replies; they are stored by the desk that asked."""

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
