"""Duplicates: texts that are the same but for form, case and white space count once."""

from collections.abc import Iterable

from concord.model import normalised


def folded(texts: Iterable[str]) -> list[str]:
    """The texts in their order, each kept the first time it occurs in normalised form."""
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(normalised(text), text)
    return list(first.values())
