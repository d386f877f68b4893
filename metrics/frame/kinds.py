"""Kinds of units: what an item is cut into, by a rule or by a model, once for everybody."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from data.model import Item
from metrics.frame.ask import Ask


class Kind(NamedTuple):
    """One kind: what people call it, what it is part of, and how it is made.

    Exactly one of `rule` and `ask` is given; a reply to `ask` is read as the list of texts. `of`
    is `answer`, `reference`, `contexts` or `question`: the text that a person sees beside the
    units when checking them.
    """

    name: str
    plural: str
    of: str
    rule: Callable[[Item], Sequence[str]] | None = None
    ask: Callable[[Item], Ask] | None = None


KINDS: dict[str, Kind] = {}


def _chunks(item: Item) -> list[str]:
    return [context.text for context in sorted(item.contexts, key=lambda one: one.rank)]


KINDS["chunk"] = Kind("chunk", "chunks", "contexts", rule=_chunks)
