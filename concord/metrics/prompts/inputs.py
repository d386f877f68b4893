"""Inputs of a metric for one item: requests, embeddings, units and verdicts.

A metric accesses neither network nor store. Its inputs come from a session: one that sends requests
and stores the replies, one limited to stored results, or one with an annotator's labels.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from concord.judges.metric_results import Scratch
from concord.judges.prompting.metric_request import NOT_ASKED, NOT_LABELLED, Undefined
from concord.metrics.prompts import unit_kinds
from concord.metrics.prompts import verdicts as prompts_verdicts
from concord.model import Cell, Item, Unit
from concord.model import Verdict as Verdict

TRIES = 2  # all units at once, then only those that did not come back


class Inputs:
    """Requests, embeddings, decompositions and verdicts for one item under the chosen switches.

    They come from the session, which keeps units and verdicts.

    `ask` and `embed` are those of the session, `switches` has the choice of each switch of the
    metric. `by_labels` means that the session is an annotator's, where no rule replaces a label.
    """

    def __init__(
        self, item: Item, session: Scratch, switches: Mapping[str, str], by_labels: bool = False
    ):
        self._item, self._session, self.switches = item, session, switches
        self._by_labels = by_labels
        self.ask, self.embed = session.ask, session.embed

    def switch(self, name: str) -> str:
        """Return the choice of a switch of the metric."""
        return self.switches[name]

    async def units(self, kind: str) -> Sequence[Unit]:
        """Return the item's units of a kind, decomposing it where needed; the list may be empty.

        Once made they are the same for every judge, metric and annotator, until an annotator edits
        them.
        """
        kept = self._session.units(kind)
        if kept is not None:
            return kept
        made = unit_kinds.KINDS[kind]
        if made.rule is not None:
            texts = made.rule(self._item)
        else:
            texts = await self._session.ask(made.ask(self._item))
        cells = [Cell(text, place) for place, text in enumerate(texts)]
        return await self._session.keep_units(kind, cells, by_rule=made.rule is not None)

    def flags(self, kind: str) -> tuple[str, ...]:
        """Return the caveats of the item's decomposition into units of a kind."""
        return unit_kinds.flags(self._item, kind)

    async def in_chunks(self, kind: str) -> Sequence[Unit]:
        """One unit for every pair of a unit of a kind and a chunk: `claim` gives `claim_chunk`.

        A pair's parent is the unit, its position the chunk's rank less one, its text the unit's.
        """
        pairs, units = f"{kind}_chunk", await self.units(kind)
        chunks = range(len(self._item.contexts))
        cells = [Cell(unit.text, chunk, unit.id) for unit in units for chunk in chunks]
        kept = self._session.units(pairs)
        if kept is not None and [Cell(*unit[2:]) for unit in kept] == cells:
            return kept
        return await self._session.keep_units(pairs, cells, by_rule=True)

    async def verdicts(self, rubric: str, units: Sequence[Unit]) -> dict[int, Verdict]:
        """Return a verdict on each unit by a unit rubric, by unit id; all of them or Undefined.

        One request for all, but one per chunk for chunks and pairs with a chunk; units whose ids
        are missing in the reply are requested once more. Received verdicts are kept either way. A
        blank context gets the lowest score without a request.
        """
        asked = prompts_verdicts.rubric(rubric)
        known = dict(self._session.verdicts(asked, units))
        left = [unit for unit in self._in_blank_chunks(units) if unit.id not in known]
        blank = {unit.id: Verdict(asked.scale[0], "The context is blank.") for unit in left}
        if blank and not self._by_labels:
            await self._session.keep_verdicts(asked, blank)
        known |= blank
        for _ in range(TRIES):
            left = [unit for unit in units if unit.id not in known]
            for together in _together(left):
                try:
                    came = await self._session.ask(
                        prompts_verdicts.request(asked, self._item, together)
                    )
                except Undefined as fault:
                    if fault.status != "unparsable" or not known:
                        raise
                    continue  # what is missing of all is told, not what this reply lacked
                verdicts = {unit: Verdict(*said) for unit, said in came.items()}
                await self._session.keep_verdicts(asked, verdicts)
                known |= verdicts
        left = sum(unit.id not in known for unit in units)
        if left:
            raise Undefined(
                "unparsable", "Missing: {left} of {n} verdicts.", left=left, n=len(units)
            )
        return {unit.id: known[unit.id] for unit in units}

    def _in_blank_chunks(self, units: Sequence[Unit]) -> list[Unit]:
        """Those of some chunks, and of some pairs with a chunk, whose chunk has no text."""
        ranked = sorted(self._item.contexts, key=lambda one: one.rank)
        blank = {place for place, one in enumerate(ranked) if not one.text.strip()}
        return [unit for unit in units if _is_of_chunk(unit) and unit.position in blank]

    def labelled(self, rubric: str, units: Sequence[Unit]) -> dict[int, Verdict] | None:
        """Return an annotator's labels of the units, all or Undefined; None for a judge.

        For verdicts that follow from lists by a rule, without a request.
        """
        if not self._by_labels:
            return None
        known = dict(self._session.verdicts(prompts_verdicts.rubric(rubric), units))
        if not known.keys() >= {unit.id for unit in units}:
            raise Undefined(NOT_ASKED, NOT_LABELLED)
        return {unit.id: known[unit.id] for unit in units}

    async def conclude(self, rubric: str, units: Sequence[Unit], said: Sequence[Verdict]) -> None:
        """Keep the verdicts that a rule drew from lists, one for each unit, where they are new."""
        asked = prompts_verdicts.rubric(rubric)
        known = self._session.verdicts(asked, units)
        drawn = {unit.id: verdict for unit, verdict in zip(units, said, strict=True)}
        changed = {one: verdict for one, verdict in drawn.items() if known.get(one) != verdict}
        if changed:
            await self._session.keep_verdicts(asked, changed)


def _together(units: Sequence[Unit]) -> list[list[Unit]]:
    """The units that are asked about in one request each."""
    by_chunk: dict[int | None, list[Unit]] = {}
    for unit in units:
        by_chunk.setdefault(unit.position if _is_of_chunk(unit) else None, []).append(unit)
    return list(by_chunk.values())


def _is_of_chunk(unit: Unit) -> bool:
    return unit.kind == "chunk" or unit.kind.endswith("_chunk")


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors, from -1 to 1; Undefined where one of them is zero."""
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    if not lengths:
        raise Undefined("unparsable", "The embedding of a text is a zero vector.")
    return max(-1.0, min(1.0, float(np.dot(one, other)) / lengths))
