"""Rehearsal: the requests metrics would send for an item, found by a dry run with sample replies.

No API calls. Stored replies are used; a text to be decomposed is assumed to hold one claim per
sentence.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from concord.judges.prompting import metric_request
from concord.judges.prompting.delimiters import neutralised
from concord.judges.prompting.metric_request import Undefined
from concord.judges.run.chosen_metrics import COMPLETE, ChosenMetric, Criterion, criterion
from concord.judges.run.stored_session import Scratch, StoredResults
from concord.model import Cell, Item, Unit, Verdict
from concord.rubrics.model import Rubric, of_units

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
A_VECTOR = (1.0, 0.0)
PAIRS = "_chunk"  # at the end of a kind whose units are pairs with a context


class ExpectedRequests(NamedTuple):
    """Requests for an item: chats, and the texts of each embedding request."""

    asks: list[Any]
    texts: list[list[str]]


class Rehearsal(Scratch):
    """A session that answers every request with its own sample, and records it in `found`.

    `known` are the stored results of the item. `noted` and `embedded` are the requests and texts
    already recorded, which are not sent twice; a request is noted by its part and the part of the
    request that produced its units, `origins` by kind. What the model writes in another `repeat` is
    another text. `units` are those that rehearsals made, by kind.
    """

    def __init__(
        self,
        known: StoredResults | None = None,
        noted: set[tuple[str, str]] | None = None,
        units: dict[str, Sequence[Unit]] | None = None,
        found: ExpectedRequests | None = None,
        embedded: set[tuple] | None = None,
        repeat: int = 1,
        origins: dict[str, str] | None = None,
    ):
        super().__init__(units)
        self._origins = {} if origins is None else origins
        self._last = ""
        self.found = found or ExpectedRequests([], [])
        self._known, self._noted = known, set() if noted is None else noted
        self._embedded = set() if embedded is None else embedded
        self._sampled: dict[str, str] = {}
        self._repeat = repeat

    async def ask(self, ask: Any) -> Any:
        """Return the stored reply, else the sample."""
        part = metric_request.part(ask)
        if self._known is not None and self._known.reply(part) is not None:
            return await self._known.ask(ask)
        self._last = part
        key = part, self._origin(ask)
        if key not in self._noted:
            self._noted.add(key)
            self.found.asks.append(ask)
        own = (text for text in _texts(ask.sample) if neutralised(text) not in ask.user)
        self._sampled |= dict.fromkeys(own, part)
        return ask.read(ask.sample)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return vectors that are all the same where none is stored.

        A text in a sample represents a text of the model's own, one per occurrence.
        """
        known = self._known.vectors(texts) if self._known is not None else {}
        missing = {self._key(texts, place): text for place, text in enumerate(texts)}
        sent = [
            text for key, text in missing.items() if key not in self._embedded and text not in known
        ]
        self._embedded.update(missing)
        if sent:
            self.found.texts.append(sent)
        return [A_VECTOR] * len(texts)

    def _origin(self, ask: Any) -> str:
        """Return the request that produced the units of this one; two generated lists differ."""
        rubric = of_units().get(ask.name)
        return self._origins.get(rubric.units.removesuffix(PAIRS), "") if rubric else ""

    def _key(self, texts: Sequence[str], place: int) -> tuple:
        """Return the identity of a text: itself, or its position in the reply it comes from."""
        text = texts[place]
        if text not in self._sampled:
            return (text,)
        return self._repeat, self._sampled[text], text, texts[:place].count(text)

    def units(self, kind: str) -> Sequence[Unit] | None:
        """Stored units, else those made here."""
        stored = self._known.units(kind) if self._known is not None else None
        return super().units(kind) if stored is None else stored

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Units for this rehearsal; a sample of claims is taken apart into sentences."""
        if not by_rule:
            self._origins[kind] = self._last
        if not by_rule and "claim" in kind:
            texts = [one for cell in cells for one in _SENTENCE_END.split(cell.text) if one.strip()]
            cells = [Cell(text, place) for place, text in enumerate(texts)]
        return self.keep(kind, cells)

    def verdicts(self, rubric: Rubric, units: Sequence[Unit]) -> Mapping[int, Verdict]:
        """Stored verdicts and those of samples, by unit id."""
        stored = self._known.verdicts(rubric, units) if self._known is not None else {}
        return {**super().verdicts(rubric, units), **stored}


def _texts(sample: Any) -> Iterator[str]:
    """Yield every text in a sample reply."""
    if isinstance(sample, str):
        yield sample
    elif isinstance(sample, Mapping | list):
        for part in sample.values() if isinstance(sample, Mapping) else sample:
            yield from _texts(part)


async def rehearsed(
    metrics: Iterable[ChosenMetric], item: Item, session: Rehearsal
) -> ExpectedRequests:
    """Return the requests of some metrics for an item."""
    for metric in metrics:
        try:
            await metric.find(item, session)
        except Undefined:
            continue  # what it asked until then is noted
    return session.found


async def criteria(metrics: Iterable[ChosenMetric]) -> dict[str, Criterion]:
    """The criterion of each metric, by its name."""
    found = {}
    for metric in metrics:
        sent = await rehearsed([metric], COMPLETE, Rehearsal())
        found[metric.name] = criterion(metric, [metric_request.texts(ask) for ask in sent.asks])
    return found
