"""Metrics chosen for a judge, and where they find the results they are computed from.

A metric asks a session for replies, units and verdicts of an item: stored ones alone
(`StoredResults`), stored ones and samples in place of the others, to know which requests a run
would send (`Rehearsal`), or those of a run, which asks for what is missing (`metric`).
"""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from concord.definitions import canonical_json, digest
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import PricedRequest
from concord.judges.prompting import metric_request
from concord.judges.prompting.delimiters import neutralised
from concord.judges.prompting.metric_request import NOT_ASKED, Undefined
from concord.judges.prompting.request import PLACEHOLDER
from concord.model import Cell, Context, Item, Unit, Verdict
from concord.rubrics.model import Rubric, of_units
from concord.store import runs, vectors
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.units import unit_verdicts, units

# An item that has everything any metric may need.
COMPLETE = PLACEHOLDER._replace(
    contexts=(Context("c1", "d1", "(context)", 1),),
    reference_contexts=("(document)",),
    turns=({"role": "user", "content": "(turn)"},),
    metadata={"relevant_ids": ["d1"], "rubric": {"0": "(meaning)", "1": "(meaning)"}},
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
A_VECTOR = (1.0, 0.0)
PAIRS = "_chunk"  # at the end of a kind whose units are pairs with a context


class ChosenMetric(NamedTuple):
    """A metric with its switches chosen.

    `definition` is all that tells it from another metric, but for what it asks. `lacks` says in
    words what an item lacks for it. `find` finds it for an item at a session, as an outcome with
    value, status, reason, parts, flags and units; raises Undefined.
    """

    name: str
    title: str
    asks: bool
    embeds: bool
    definition: Mapping[str, Any]
    lacks: Callable[[Item], Sequence[str]]
    find: Callable[[Item, Any], Awaitable[Any]]


class Choice(NamedTuple):
    """The metrics that a judge is to find; `prompts` is the hash of what all of them ask by."""

    metrics: tuple[ChosenMetric, ...]
    prompts: str


class Criterion(NamedTuple):
    """A metric as a criterion of grades: its version, and what that is the hash of."""

    version: str
    body: str


class Scratch:
    """Results of one item in memory; its units have ids below 0, as no grader has seen them."""

    def __init__(self):
        self._units: dict[str, Sequence[Unit]] = {}
        self._verdicts: dict[str, dict[int, Verdict]] = defaultdict(dict)

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
        return dict(self._verdicts[rubric.name])

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Verdict]) -> None:
        """Keep verdicts for the next metric."""
        self._verdicts[rubric.name].update(verdicts)


class StoredResults(Scratch):
    """Stored results of a grader on an item, in one repeat. No API calls.

    It serves to recompute a metric under other switches, from a judge's verdicts or an annotator's.
    `embedding` is the identity of the embedding model whose vectors count, '' for none. `lists` are
    the decompositions that were looked at, by kind.
    """

    def __init__(
        self, store: Store, item_id: int, grader_id: int, repeat: int = 1, embedding: str = ""
    ):
        super().__init__()
        self.store, self.item_id, self.grader_id = store, item_id, grader_id
        self.repeat, self.embedding = repeat, embedding
        self.lists: dict[str, int] = {}

    async def ask(self, ask: Any) -> Any:
        """Return the parsed stored reply; Undefined without one."""
        if (raw := self.reply(metric_request.part(ask))) is None:
            raise Undefined(NOT_ASKED, "Not asked or labelled yet.")
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


class Rehearsal(Scratch):
    """A session that answers every request with its own sample.

    The `asks`, and the `texts` of each request for vectors, are noted. Stored replies are used; a
    text to be decomposed is assumed to hold one claim per sentence. It goes from item to item
    (`turn`), and notes no request twice: a request is told by its part and the part of the request
    that produced its units. What the model writes in another repeat is another text.
    """

    def __init__(self):
        self._made, self._all_origins = defaultdict(dict), defaultdict(dict)
        self._noted: set[tuple] = set()
        self.asks, self.texts = [], []
        self.turn(None, 0, 1)

    def turn(self, known: StoredResults | None, item_id: int, repeat: int) -> None:
        """Go on with an item in a repeat, of which these results are stored."""
        super().__init__()
        self._units, self._origins = self._made[item_id], self._all_origins[item_id]
        self._known, self._repeat, self._last, self._sampled = known, repeat, "", {}

    def requests(self, judge: Judge) -> list[tuple[dict[str, Any], PricedRequest]]:
        """Return the body and the tokens of each request noted since the last call.

        Without a model nothing is embedded.
        """
        of, embedder = metric_request, metric_request.embedder(judge)
        found = [(of.body(judge, ask), of.chat_estimate(judge, ask)) for ask in self.asks]
        for texts in self.texts if embedder else ():
            sent = of.embedding_body(embedder, texts)
            found.append((sent, of.embedding_estimate(embedder, texts)))
        self.asks, self.texts = [], []
        return found

    def _note(self, key: tuple) -> bool:
        """Note a request; True where it is new."""
        is_new = key not in self._noted
        self._noted.add(key)
        return is_new

    async def ask(self, ask: Any) -> Any:
        """Return the stored reply, else the sample."""
        part = metric_request.part(ask)
        if self._known is not None and self._known.reply(part) is not None:
            return await self._known.ask(ask)
        self._last = part
        # Two generated lists of units differ, so requests about them do.
        rubric = of_units().get(ask.name)
        origin = self._origins.get(rubric.units.removesuffix(PAIRS), "") if rubric else ""
        if self._note((self._repeat, part, origin)):
            self.asks.append(ask)
        own = (text for text in _texts(ask.sample) if neutralised(text) not in ask.user)
        self._sampled |= dict.fromkeys(own, part)
        return ask.read(ask.sample)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return vectors that are all the same where none is stored.

        A text in a sample represents a text of the model's own, one per occurrence.
        """
        known, sent = self._known.vectors(texts) if self._known is not None else {}, []
        for place, text in enumerate(texts):
            sample = self._sampled.get(text)
            key = (self._repeat, sample, text, texts[:place].count(text)) if sample else (text,)
            if self._note(key) and text not in known:
                sent.append(text)
        self.texts += [sent] if sent else []
        return [A_VECTOR] * len(texts)

    def units(self, kind: str) -> Sequence[Unit] | None:
        """Stored units, else those made here."""
        stored = self._known.units(kind) if self._known is not None else None
        return super().units(kind) if stored is None else stored

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Units for this rehearsal; a sample of claims is taken apart into sentences."""
        if not by_rule:
            self._origins[kind] = self._last
            if "claim" in kind:
                texts = (one for cell in cells for one in _SENTENCE_END.split(cell.text))
                cells = [Cell(text, n) for n, text in enumerate(filter(str.strip, texts))]
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
        yield from chain.from_iterable(
            map(_texts, sample.values() if isinstance(sample, Mapping) else sample)
        )


def rehearsed(metrics: Iterable[ChosenMetric], item: Item, session: Rehearsal) -> Rehearsal:
    """Note the requests of some metrics for an item; returns the session."""

    async def find() -> None:
        for metric in metrics:
            with suppress(Undefined):  # what it asked until then is noted
                await metric.find(item, session)

    asyncio.run(find())
    return session


def criteria(metrics: Iterable[ChosenMetric]) -> dict[str, Criterion]:
    """The criterion of each metric by its name, from what it asks about `COMPLETE`."""
    found = {}
    for metric in metrics:
        sent = rehearsed([metric], COMPLETE, Rehearsal())
        prompts = digest([metric_request.texts(ask) for ask in sent.asks])
        body = canonical_json({**metric.definition, "prompts": prompts})
        found[metric.name] = Criterion(digest(body), body)
    return found
