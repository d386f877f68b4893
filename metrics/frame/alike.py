"""Alike: which retrieved contexts are like the right passages, letter by letter, with no model."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from data.model import Item, normalised
from metrics.frame.choices import under_each
from metrics.frame.hand import Hand, Unmeasured
from metrics.frame.measure import Outcome, Switch
from metrics.text.duplicates import folded
from metrics.text.likeness import edit_likeness

NEEDS = ("contexts", "reference_contexts")
THRESHOLD = Switch(
    "threshold",
    ("0.5", "0.3", "0.7", "0.9"),
    "How alike a context and a right passage must be at the least; at 0.5 half the letters differ.",
)


class Alike(NamedTuple):
    """Likenesses of contexts and right passages, each text once, contexts best first.

    Attributes:
        table: (contexts, passages) from 0 to 1; case, width and white space do not count.
        folded: How many contexts were left out because the same stood higher.
    """

    table: tuple[tuple[float, ...], ...]
    folded: int

    def contexts(self, threshold: str) -> list[bool]:
        """Whether each context is like some passage."""
        return [max(row) >= float(threshold) for row in self.table]

    def passages(self, threshold: str) -> list[bool]:
        """Whether each passage is like some context."""
        return [max(column) >= float(threshold) for column in zip(*self.table, strict=True)]

    def flags(self, threshold: str) -> tuple[str, ...]:
        """What a reader must know: that nothing is alike, that the same was retrieved twice."""
        flags = [] if any(self.contexts(threshold)) else ["no_relevant"]
        return (*flags, *(["duplicates_folded"] if self.folded else []))


def outcome(
    item: Item,
    by: Hand,
    which: Callable[[Alike, str], list[bool]],
    number: Callable[[Sequence[bool]], float],
    found: str,
) -> Outcome:
    """The outcome of a measure of what is alike, with its value at every threshold beside it.

    `which` says of each context or each passage whether it is alike at a threshold, `number` takes
    that to the value, and `found` says in words what is counted.
    """
    likeness, threshold = alike(item), by.switch(THRESHOLD.name)
    value, each = under_each(
        [THRESHOLD], by, lambda chosen: number(which(likeness, chosen[THRESHOLD.name]))
    )
    hits = which(likeness, threshold)
    flags = likeness.flags(threshold)
    reason = f"{sum(hits)} of {len(hits)} {found}."
    return Outcome(value, reason=reason, parts=each, flags=flags, units=len(hits))


def alike(item: Item) -> Alike:
    """The likenesses of an item; Unmeasured where it has no contexts or no right passages."""
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    given = [one.text for one in ranked if one.text.strip()]
    contexts = [normalised(text) for text in folded(given)]
    passages = [normalised(text) for text in folded(item.reference_contexts) if text.strip()]
    if not contexts or not passages:
        lacking = "contexts" if passages else "reference contexts"
        raise Unmeasured("missing_input", f"There are no {lacking} to compare.")
    table = tuple(tuple(edit_likeness(a, b) for b in passages) for a in contexts)
    return Alike(table, len(given) - len(contexts))
