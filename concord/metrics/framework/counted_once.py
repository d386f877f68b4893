"""Duplicates among parts, and their optional exclusion. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from concord.metrics.framework.metric import Switch
from concord.text.normal_form import normalised

DUPLICATES = Switch(
    "duplicates",
    ("once", "each"),
    "Whether a duplicate text counts once or twice.",
)


class Parts(NamedTuple):
    """First occurrences among parts; case, width and white space are ignored."""

    first: tuple[bool, ...]

    def counted(self, parts: Sequence, chosen: Mapping[str, str]) -> list:
        """Return the parts, or what is said of them, that count under the choice made.

        Each text counts once where nothing is chosen.
        """
        every = chosen.get(DUPLICATES.name) == "each"
        return [one for one, first in zip(parts, self.first, strict=True) if first or every]

    def flags(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """Return the flag for duplicate texts."""
        every = chosen.get(DUPLICATES.name) == "each"
        return () if all(self.first) else ("duplicates" if every else "duplicates_folded",)


def of_texts(texts: Iterable[str]) -> Parts:
    """Return the first occurrences among texts; blank ones never count as duplicates."""
    seen: set[str] = set()
    first = []
    for text in map(normalised, texts):
        first.append(not text or text not in seen)
        seen.add(text)
    return Parts(tuple(first))
