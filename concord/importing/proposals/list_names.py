"""Names in lists: the key under which each object of a list holds a name of its own."""

from collections.abc import Sequence

from concord.importing.proposals import name_words as known

# Letters of a name at most.
_NAME = 60


def naming(lists: Sequence[list], names: frozenset[str]) -> str:
    """The key under which each object of the lists holds a name of its own; '' for none."""
    parts = [part for cell in lists for part in cell]
    if not parts or not all(isinstance(part, dict) for part in parts):
        return ""
    for key in parts[0]:
        if not known.has(known.words(key), names | {"name"}):
            continue
        called = [[part.get(key) for part in cell] for cell in lists]
        if all(are_names(one) for one in called):
            return key
    return ""


def are_names(held: Sequence[object]) -> bool:
    """True for short texts, all of them different."""
    return len({*map(str, held)}) == len(held) and all(
        isinstance(one, str) and 0 < len(one.strip()) <= _NAME for one in held
    )
