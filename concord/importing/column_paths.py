"""Paths in a column map: what a word may name besides a column, and the columns that result.

`metrics.f1` goes into an object or a list, `answers.{model}.text` into each value of a dictionary
(or into each column that the name fits), `{model}` is that value's key, `:=VALUE` is a constant.
Objects in a list have the key that they say under that name, as `[{"model": "a", ...}]` does, and
`{model=a}` is the one of that key;
other values in a list that of the list in the column of that name, as scores next to annotators.
Everything is read through `with_paths`, which gives each of them a column of its own, and one
record per key where the answer is under a placeholder.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell, Damaged
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, said

CONSTANT = ":="
# Answers that one row may hold.
KEYS = 1000
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
Cells = Sequence[Cell]
Bound = Mapping[str, str]


class Path(NamedTuple):
    """The way to a value: from a column, along `rest`; or along one of the columns by key.

    `rest` are keys joined by dots, with `{name}` for each key of a dictionary. `head`: None for a
    pattern over the names of columns, whose keys and columns are then `by_key`.
    """

    text: str
    head: str | None
    rest: str
    by_key: Mapping[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The real columns it reads."""
        return (self.head,) if self.head else tuple(self.by_key.values())


def parse(text: str, columns: Sequence[str]) -> Path | None:
    """The path that a text spells over these columns; None where it begins with none of them."""
    heads = [c for c in columns if c and text.startswith(f"{c}.") and len(text) > len(c) + 1]
    if heads:
        head = max(heads, key=len)
        return Path(text, head, text[len(head) + 1 :], {})
    found = _PLACEHOLDER.search(text)
    if found is None or found[0] == text:
        return None
    before, after = text[: found.start()], text[found.end() :]
    by_key = {
        c[len(before) : len(c) - len(after)]: c
        for c in columns
        if c.startswith(before) and c.endswith(after) and len(c) > len(before) + len(after)
    }
    by_key = {k: c for k, c in by_key.items() if k.rpartition(".")[0] not in by_key}
    return Path(text, None, "", by_key) if by_key else None


@lru_cache(maxsize=256)  # asked of each score column for every row
def placeholders(text: str) -> tuple[str, ...]:
    """The names in braces; `{name=value}` chooses one part and is left out."""
    return tuple(name for name in _PLACEHOLDER.findall(text) if "=" not in name)


@lru_cache(maxsize=256)
def key_name(text: str) -> str | None:
    """The name in `{name}`, where a text is nothing else."""
    found = _PLACEHOLDER.fullmatch(text)
    return found[1] if found else None


@lru_cache(maxsize=256)
def key_in(path: str, other: str) -> str:
    """The key that another path has in place of the last placeholder of a path; '' for none.

    `human` for `marks.{grader}.reason` and `marks.human.score`: what they lead to is side by side.
    """
    names = placeholders(path)
    before, found, _ = path.rpartition(f"{{{names[-1]}}}") if names else ("", "", "")
    key = other.removeprefix(before).partition(".")[0] if other.startswith(before) else ""
    return key if found and before and "{" not in key else ""


def follow(
    held: object, rest: str, bound: Bound, siblings: Mapping[str, object] | None = None
) -> object:
    """The value that `rest` leads to in an object or a list; None where the way breaks off.

    A placeholder that is not bound gives a dictionary: what is under each key. `siblings` are the
    cells of the columns that placeholders are called like.
    """
    if not rest or isinstance(held, Damaged):
        return held
    found = _PLACEHOLDER.match(rest)
    if found:
        tail = rest[found.end() :].removeprefix(".")
        name, equals, wanted = found[1].partition("=")
        if equals:
            return follow(children(held, name).get(wanted), tail, bound, siblings)
        if found[1] in bound:
            return follow(children(held, found[1]).get(bound[found[1]]), tail, bound, siblings)
        parts = children(held, found[1], (siblings or {}).get(found[1])).items()
        return {key: as_cell(follow(part, tail, bound, siblings)) for key, part in parts}
    for end in (len(rest), *(m.start() for m in reversed([*re.finditer(r"\.", rest)]))):
        part = _part(held, rest[:end])
        if part is not None:
            return follow(part, rest[end + 1 :], bound, siblings)
    return None


def children(held: object, name: str = "", names: object = None) -> dict[str, object]:
    """The parts of an object by key, of a list by place from 0; none of any other value.

    Objects in a list that hold `name` go by what they hold there: '' where one holds no text, and
    `Damaged` where several hold the same. Other parts of a list go by the list `names`, if any.
    """
    if isinstance(held, dict):
        return held
    if not isinstance(held, list):
        return {}
    own = [_named(part, name) for part in held]
    if any(part is not None for part in own):
        called = own
    elif not isinstance(names, list):
        return {str(n): part for n, part in enumerate(held)}
    elif len(names) != len(held):
        text = said(
            "the numbers of values ({n}) and names in “{column}” ({names}) differ. Give one name "
            "for each value.",
            n=len(held),
            names=len(names),
            column=name,
            fault_code="unequal_lists",
        )
        return {"": Damaged(text)}
    else:
        called = names
    found: dict[str, object] = {}
    for own, part in zip(map(as_cell, called), held, strict=True):
        key = own.strip() if isinstance(own, str) else ""
        several = said(
            "several parts of one list are called “{name}”. Keep one.",
            name=key,
            fault_code="name_twice",
        )
        found[key] = Damaged(several) if key in found else part
    return found


def _named(part: object, name: str) -> object:
    """Return the name of an object under a key, which may lead into objects inside of it."""
    if not isinstance(part, dict) or not name:
        return None
    own = part.get(name)
    if own is None and "." in name:
        return follow(part, name, {})
    return own


def _part(held: object, key: str) -> object:
    if isinstance(held, dict):
        return held.get(key)
    is_place = isinstance(held, list) and re.fullmatch("[0-9]{1,9}", key) and int(key) < len(held)
    return held[int(key)] if is_place else None


def structured(cell: object) -> object:
    """The cell itself, or the list or object that its text spells in JSON or Python."""
    if not isinstance(cell, str) or cell.strip()[:1] not in ("{", "["):
        return cell
    for read in (json.loads, _printed):
        try:
            return of_cell.nested(read(cell.strip()))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return cell


def _printed(text: str) -> object:
    """A literal of Python, with keys as JSON has them; only literals are read, nothing is run."""
    return json.loads(json.dumps(ast.literal_eval(text)))


def as_cell(value: object) -> Cell:
    """A value inside a cell as a cell of its own."""
    if value is None or isinstance(value, str | list | dict | Damaged):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def only(cell: Cell) -> Cell:
    """The only value in an object or a list, as 4 in `{"rating": 4}`; else the cell itself."""
    while isinstance(cell, dict | list) and len(cell) == 1:
        (cell,) = cell.values() if isinstance(cell, dict) else cell
    return as_cell(cell)


def without(cell: object, rests: Sequence[str]) -> object:
    """Return the rest of a cell without the values that these paths lead to."""
    if not isinstance(cell, dict):
        return cell
    left = {}
    for key, part in cell.items():
        inner = [tail for tail in (_after(rest, str(key)) for rest in rests) if tail is not None]
        kept = part if not inner else None if "" in inner else without(part, inner)
        if kept is not None and kept != {}:
            left[key] = kept
    return left


def _after(rest: str, key: str) -> str | None:
    """Return the rest of a path after a key; None where the path goes elsewhere."""
    if rest == key or rest.startswith(f"{key}."):
        return rest[len(key) + 1 :]
    found = _PLACEHOLDER.match(rest)
    return rest[found.end() :].removeprefix(".") if found else None


def with_paths(table: Table, names: Sequence[str], answer: str | None = None) -> Table:
    """The table with a column for every name that is a path, a key or a constant.

    Args:
        table: The file as it was opened.
        names: Every column that a map names; those of the table are left as they are.
        answer: Which of them is the answer: where it holds a placeholder, each record becomes one
            per key, all of the same row.

    Raises:
        Problem: While the records are read, where a path leads nowhere in the whole file.
    """
    extra = tuple(dict.fromkeys(name for name in names if name not in table.columns))
    if not extra:
        return table
    reading = _Reading(table.columns, names, extra, answer)
    return replace(table, columns=(*table.columns, *extra), records=lambda: reading.records(table))


class _Reading:
    """How each record of a table is read along paths."""

    def __init__(self, columns, names, extra, answer):
        self._places = {column: place for place, column in enumerate(columns)}
        self._extra = extra
        self._paths = {name: parse(name, columns) for name in extra}
        self._answer = self._paths.get(answer) if answer else None
        self._key = next(iter(placeholders(self._answer.text)), None) if self._answer else None
        # What paths lead to is taken out of the columns they start from.
        self._rests: dict[str, list[str]] = {}
        self._heads = {self._places[p.head] for p in self._paths.values() if p and p.head}
        for path in filter(None, self._paths.values()):
            if path.head and path.head not in names:
                self._rests.setdefault(path.head, []).append(path.rest)

    def records(self, table: Table) -> Iterator[Record]:
        """Yield each record with its new cells."""
        met: set[str] = set()
        for record in table.records():
            if record.fault is not None:
                yield record._replace(cells=(*record.cells, *(None for _ in self._extra)))
                continue
            cells = list(record.cells)
            for place in self._heads:
                cells[place] = structured(cells[place])
            keys = self._keys(cells) if self._key else (None,)
            if not 0 < len(keys) <= KEYS:
                cells = self._cells(cells, {}, met)
                yield record._replace(cells=cells, fault=self._fault(len(keys)))
                continue
            for key in keys:
                bound = {} if key is None else {self._key: key}
                yield record._replace(cells=self._cells(cells, bound, met))
        for name, path in self._paths.items():
            if path and path.head and name not in met:
                raise Problem(
                    "No row of {file} has a value at “{path}”. Correct the path, or leave it out.",
                    file=table.source.name,
                    path=name,
                    fault_code="not_a_column",
                )

    def _fault(self, keys: int) -> str:
        if not keys:
            return said(
                "there is no answer at “{path}”. Add one, or remove the row.",
                path=self._answer.text,
                fault_code="no_answer",
            )
        return said(
            "there are {keys} answers at “{path}”; a row may have at most {most}. Map another "
            "path.",
            keys=keys,
            path=self._answer.text,
            most=KEYS,
            fault_code="too_many_answers",
        )

    def _keys(self, cells: Cells) -> tuple[str, ...]:
        """The keys under which a record has an answer; a key with null has none."""
        path = self._answer
        if path is None or self._key is None:
            return ()
        if path.head is None:
            return tuple(k for k, c in path.by_key.items() if cells[self._places[c]] is not None)
        before = path.rest[: path.rest.index("{")].rstrip(".")
        parts = children(follow(cells[self._places[path.head]], before, {}), self._key)
        return tuple(key for key, part in parts.items() if part is not None)

    def _cells(self, cells: Cells, bound: Bound, met: set[str]) -> tuple[Cell, ...]:
        found = []
        for name, path in self._paths.items():
            cell = self._cell(name, path, cells, bound)
            if cell is not None:
                met.add(name)
            found.append(cell)
        kept = list(cells)
        for head, rests in self._rests.items():
            kept[self._places[head]] = self._left(kept[self._places[head]], head, rests, bound)
        return (*kept, *found)

    def _cell(self, name: str, path: Path | None, cells: Cells, bound: Bound) -> Cell:
        if path is None:
            if name.startswith(CONSTANT):
                return name.removeprefix(CONSTANT)
            return bound.get(key_name(name) or "")
        if path.head:
            siblings = {
                name: structured(cells[self._places[name]])
                for name in placeholders(path.rest)
                if name in self._places and name not in bound
            }
            return as_cell(follow(cells[self._places[path.head]], path.rest, bound, siblings))
        by_key = {key: cells[self._places[column]] for key, column in path.by_key.items()}
        key = bound.get(placeholders(path.text)[0])
        return by_key if key is None else by_key.get(key)

    def _left(self, cell: Cell, head: str, rests: list[str], bound: Bound) -> Cell:
        """A column that paths start from, without what is mapped, and of an answer only its own."""
        if not (bound and self._answer and self._answer.head == head):
            return without(cell, rests) or None
        before, placeholder, _ = self._answer.rest.partition(f"{{{self._key}}}")
        start = f"{before}{placeholder}"
        own = [rest[len(start) :].removeprefix(".") for rest in rests if rest.startswith(start)]
        mine = follow(cell, f"{before}{placeholder}", bound)
        left = without(mine, own) if isinstance(mine, dict) and "" not in own else {}
        others = without(cell, [before.rstrip("."), *rests]) if before else {}
        return {**others, **left} or None
