"""Nested objects as dotted columns: which objects are opened, and the cells of their leaves.

An object with fixed keys is opened into one column per leaf, as in `metrics.f1`. A dictionary stays
one cell: its keys name models, annotators or other things, and would make a column each. So does a
single context, conversation or rubric of an item, which is read as a whole.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from concord.importing.fields import ITEM_FIELDS, folded
from concord.importing.readers.cells import Damaged

# Keys of one object, levels and columns of one file that are opened.
KEYS, LEVELS, COLUMNS = 60, 8, 1000
# With more keys than these, of which a row has less than half on average, it is a dictionary.
_FIXED_KEYS = 12
# Share of keys that the objects of a dictionary have in common, of all that any of them has.
_ALIKE = 0.5


def _names(*fields: str) -> set[str]:
    return {folded(name) for one in fields for name in ITEM_FIELDS[one].split()}


_NAMES, _RUBRICS, _QUESTIONS = _names(*ITEM_FIELDS), _names("rubric"), _names("question", "turns")
_WHOLE = _names("contexts", "reference", "reference_contexts", "turns")
# Keys of an object that is one context or one message.
_TEXTS = {"text", "content", "page_content", "passage", "context", "chunk", "body", "role"}
# A key that cannot be part of a column's name.
_NO_NAME = re.compile(r"\s*|.*[\0\ud800-\udfff].*", re.DOTALL)
Path = tuple[str, ...]  # a column, and the keys that lead from it to a value


@dataclass
class Shape:
    """Structure of a column over all rows: number of objects, their keys, and other values."""

    keys: dict[str, "Shape"] = field(default_factory=dict)
    objects: int = 0
    others: int = 0
    present: int = 0

    def add(self, value: object, level: int = 0) -> None:
        """Count one value; beyond `LEVELS` nothing is looked into."""
        if not isinstance(value, dict) or level > LEVELS:
            self.others += value is not None and not isinstance(value, Damaged)
            return
        self.objects += 1
        self.present += len(value)
        for key, part in value.items():
            # A dictionary with an entry per row would otherwise grow by a shape for every row.
            if len(self.keys) <= KEYS or key in self.keys:
                self.keys.setdefault(key, Shape()).add(part, level + 1)


def leaves(shapes: Mapping[str, Shape], most: int = COLUMNS) -> tuple[Path, ...]:
    """The columns of a table whose columns have these shapes, in the order of the file.

    A column that is not opened is its own leaf. None is opened that would give two columns one
    name, or more columns than `most`.
    """
    found: list[Path] = []
    names = set(shapes)
    for place, (column, shape) in enumerate(shapes.items(), 1):
        opened = [*islice(_opened((column,), shape), COLUMNS + 1)]
        inner = {".".join(path) for path in opened}
        count = len(found) + len(opened) + len(shapes) - place
        # `a.b` may be a column of its own; opening `a` would then give two columns that name.
        is_taken = names & (inner - {column}) or len(inner) < len(opened)
        if not opened or count > min(COLUMNS, most) or is_taken:
            opened = [(column,)]
        found += opened
        names |= inner
    return tuple(found)


def values(columns: Iterable[Path], given: Mapping[str, object]) -> Iterator[object]:
    """Yield the value of each leaf in one object; None where the way to it breaks off.

    A value that is no object where one is expected, as a damaged one, is that of all its leaves.
    """
    for path in columns:
        value = given
        for key in path:
            if not isinstance(value, dict):
                break
            value = value.get(key)
        yield value


def is_question(key: str) -> bool:
    """True for a key that names the question, or the conversation that holds it."""
    return folded(key) in _QUESTIONS


def _opened(path: Path, shape: Shape) -> Iterator[Path]:
    called = {folded(".".join(path)), folded(path[-1])}
    is_whole = called & _RUBRICS or (called & _WHOLE and {*shape.keys} & _TEXTS)
    is_wide = shape.others or len(path) > LEVELS or len(shape.keys) > KEYS
    is_named = shape.keys and not any(map(_NO_NAME.fullmatch, shape.keys))
    if not is_named or is_wide or is_whole or _is_dictionary(shape):
        yield path
    else:
        for inner, part in shape.keys.items():
            yield from _opened((*path, inner), part)


def _is_dictionary(shape: Shape) -> bool:
    """True where keys name things: many that vary, or objects of one shape under each."""
    if len(shape.keys) > _FIXED_KEYS and shape.present * 2 < len(shape.keys) * shape.objects:
        return True
    parts = shape.keys.values()
    inner = [{*part.keys} for part in parts]
    if len(inner) < 2 or not all(inner) or any(part.others for part in parts):
        return False
    is_named = _NAMES & {*map(folded, shape.keys)}
    return not is_named and len(set.intersection(*inner)) >= _ALIKE * len(set.union(*inner))
