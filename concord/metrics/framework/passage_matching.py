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
    """Similarities of contexts, best first, and distinct right passages.

    Attributes:
        table: (contexts, passages) from 0 to 1; case, width and white space do not count.
        places: (contexts,) True for the first context with its text.
    """

    table: tuple[tuple[float, ...], ...]
    places: Parts

    def contexts(self, chosen: Mapping[str, str]) -> list[bool]:
        """Return for each distinct context if it is similar to some passage."""
        rows = self.places.counted(self.table, chosen)
        return [max(row) >= float(chosen[THRESHOLD.name]) for row in rows]

    def passages(self, chosen: Mapping[str, str]) -> list[bool]:
        """Return for each passage if it is similar to some context."""
        columns = zip(*self.table, strict=True)
        return [max(column) >= float(chosen[THRESHOLD.name]) for column in columns]

    def flags(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """Return the caveats: nothing is similar, or duplicates were retrieved."""
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
    """Return the outcome of a metric of similar passages, with its value under every choice.

    `which` returns the similar contexts or passages under the choices made, `number` maps them to
    the value, and `found` describes the count in words.
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
