"""Alike: which retrieved contexts are like the right passages, letter by letter, with no model."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from concord.messages import said
from concord.metrics.framework import counted_once
from concord.metrics.framework.counted_once import Parts
from concord.metrics.framework.metric import Outcome, Switch, under_each
from concord.metrics.prompts.inputs import Hand, Undefined
from concord.model import Item
from concord.text.normal_form import folded, normalised
from concord.text.similarity import edit_likeness

NEEDS = ("retrieved", "contexts", "reference_contexts")
THRESHOLD = Switch(
    "threshold",
    ("0.5", "0.3", "0.7", "0.9"),
    said(
        "How alike a context and a right passage must be at the least; at 0.5 half the letters "
        "differ."
    ),
)


class Alike(NamedTuple):
    """Likenesses of contexts, best first, and right passages, each of these once.

    Attributes:
        table: (contexts, passages) from 0 to 1; case, width and white space do not count.
        places: (contexts,) which of them stand nowhere higher with their text.
    """

    table: tuple[tuple[float, ...], ...]
    places: Parts

    def contexts(self, chosen: Mapping[str, str]) -> list[bool]:
        """Whether each context that counts is like some passage."""
        rows = self.places.counted(self.table, chosen)
        return [max(row) >= float(chosen[THRESHOLD.name]) for row in rows]

    def passages(self, chosen: Mapping[str, str]) -> list[bool]:
        """Whether each passage is like some context."""
        columns = zip(*self.table, strict=True)
        return [max(column) >= float(chosen[THRESHOLD.name]) for column in columns]

    def flags(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """What a reader must know: that nothing is alike, that the same was retrieved twice."""
        found = () if any(self.contexts(chosen)) else ("no_relevant",)
        return found + self.places.flags(chosen)


def outcome(
    item: Item,
    by: Hand,
    switches: Sequence[Switch],
    which: Callable[[Alike, Mapping[str, str]], list[bool]],
    number: Callable[[Sequence[bool]], float],
    found: str,
) -> Outcome:
    """The outcome of a metric of what is alike, with its value under every choice beside it.

    `which` says of each context or each passage whether it is alike under the choices made,
    `number` takes that to the value, and `found` says in words what is counted.
    """
    likeness = alike(item)
    chosen = {one.name: by.switch(one.name) for one in switches}
    value, each = under_each(switches, by, lambda said: number(which(likeness, said)))
    hits, flags = which(likeness, chosen), likeness.flags(chosen)
    reason = f"{sum(hits)} of {len(hits)} {found}."
    return Outcome(value, reason=reason, parts=each, flags=flags, units=len(hits))


def alike(item: Item) -> Alike:
    """The likenesses of an item; Undefined where it has no contexts or no right passages."""
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    contexts = [normalised(one.text) for one in ranked]
    passages = [normalised(text) for text in folded(item.reference_contexts) if text.strip()]
    if not any(contexts) or not passages:
        lacking = "contexts" if passages else "reference contexts"
        raise Undefined("missing_input", f"There are no {lacking} to compare.")
    table = tuple(tuple(edit_likeness(a, b) for b in passages) for a in contexts)
    return Alike(table, counted_once.of_texts(contexts))
