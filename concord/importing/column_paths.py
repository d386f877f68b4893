"""Paths in a column map: what a word may name besides a column, and the columns that result.

`metrics.f1` goes into an object or a list, `answers.{model}.text` into each value of a dictionary
(or into each column that the name fits), `{model}` is that value's key, `:=VALUE` is a constant.
Objects in a list have the key that they say under that name, as `[{"model": "a", ...}]` does.
`with_paths` gives each of them a column of its own, and makes one record per key where the answer
is under a placeholder.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from concord.importing import list_cells
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell, Damaged
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, said

CONSTANT = ":="
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_NOTHING: Mapping = {}


class Path(NamedTuple):
    """The way `rest` to a value: from the column `head`, or from the columns of a pattern by key.

    `rest` are keys joined by dots, with `{name}` for each key of a dictionary.
    """

    head: str | None
    by_key: Mapping[str, str]
    rest: str


def parse(text: str, columns: Sequence[str]) -> Path | None:
    """The path that a text spells over these columns; None for a column, or any other text."""
    if text in columns:
        return None
    heads = [c for c in columns if c and text.startswith(f"{c}.") and len(text) > len(c) + 1]
    if heads:
        head = max(heads, key=len)
        return Path(head, {}, text[len(head) + 1 :])
    found = _PLACEHOLDER.search(text)
    if found is None or found[0] == text:
        return None
    parts = map(re.escape, (text[: found.start()], text[found.end() :]))
    fits = re.compile("(.+)".join(parts), re.DOTALL)
    by_key = {match[1]: c for c in columns if (match := fits.fullmatch(c))}
    by_key = {key: c for key, c in by_key.items() if key.rpartition(".")[0] not in by_key}
    return Path(None, by_key, found[0]) if by_key else None


@lru_cache(maxsize=256)  # asked of each score column for every row
def placeholders(text: str) -> tuple[str, ...]:
    """The names in braces."""
    return tuple(_PLACEHOLDER.findall(text))


@lru_cache(maxsize=256)
def key_name(text: str) -> str | None:
    """The name in `{name}`, where a text is nothing else."""
    found = _PLACEHOLDER.fullmatch(text)
    return found[1] if found else None


def follow(held: object, path: str, bound: Mapping[str, str] = _NOTHING) -> object:
    """The value that a path leads to in an object or a list; None where the way breaks off.

    A placeholder gives a dictionary: what is under each key, or under the one key that is `bound`.
    """
    if not path or isinstance(held, Damaged):
        return held
    if found := _PLACEHOLDER.match(path):
        name, tail = found[1], path[found.end() :].removeprefix(".")
        parts = children(held, name)
        if name in bound:
            return follow(parts.get(bound[name]), tail, bound)
        return {own: as_cell(follow(part, tail, bound)) for own, part in parts.items()}
    if isinstance(held, list):
        held = {str(place): part for place, part in enumerate(held)}
    end = len(path)
    while end > 0 and isinstance(held, dict):  # a key may hold dots
        if (part := held.get(path[:end])) is not None:
            return follow(part, path[end + 1 :], bound)
        end = path.rfind(".", 0, end)
    return None


def children(held: object, name: str) -> Mapping[str, object]:
    """The parts of an object by key, of a list by place from 0; none of any other value.

    Objects in a list that hold `name` go by what they hold there: '' where one holds no text, and
    `Damaged` where several hold the same.
    """
    if not isinstance(held, list):
        return held if isinstance(held, dict) else {}
    called = [as_cell(follow(part, name) if isinstance(part, dict) else None) for part in held]
    if called.count(None) == len(called):
        return {str(place): part for place, part in enumerate(held)}
    found: dict[str, object] = {}
    for own, part in zip(called, held, strict=True):
        key = own.strip() if isinstance(own, str) else ""
        if key in found:
            told = "several parts of one list are called “{name}”. Keep one."
            part = Damaged(said(told, name=key, fault_code="name_twice"))
        found[key] = part
    return found


def structured(cell: object) -> object:
    """The cell itself, or the list or object that its text spells in JSON or Python."""
    text = cell.strip() if isinstance(cell, str) else ""
    parsed = list_cells.parsed(text) if text[:1] in ("{", "[") else None
    held = of_cell.of(parsed)
    return cell if held is None or isinstance(held, Damaged) else held


def as_cell(value: object) -> Cell:
    """A value inside a cell as a cell of its own."""
    return value if isinstance(value, list | dict) else of_cell.of(value)


def only(cell: Cell) -> Cell:
    """The only value in an object or a list, as 4 in `{"rating": 4}`; else the cell itself."""
    while isinstance(cell, dict | list) and len(cell) == 1:
        (cell,) = cell.values() if isinstance(cell, dict) else cell
    return as_cell(cell)


def without(cell: object, paths: Sequence[str], bound: Mapping[str, str] = _NOTHING) -> object:
    """The rest of a cell without what paths lead to; of a bound placeholder only its own part."""
    if "" in paths:
        return None
    for found in filter(None, map(_PLACEHOLDER.match, paths)):
        if found[1] in bound:
            own = children(cell, found[1]).get(bound[found[1]])
            return without(own, _tails(paths, found[0]), bound)
    if not paths or not isinstance(cell, dict):
        return cell
    tails = {key: _tails(paths, str(key)) for key in cell}
    kept = {
        key: without(one, tails[key], bound) if tails[key] else one for key, one in cell.items()
    }
    return {key: one for key, one in kept.items() if one not in (None, {})} or None


def _tails(paths: Sequence[str], key: str) -> list[str]:
    """What follows a key in the paths that lead through it, as placeholders do."""
    found = []
    for path in paths:
        step = placeholder[0] if (placeholder := _PLACEHOLDER.match(path)) else key
        if f"{path}.".startswith(f"{step}."):
            found.append(path[len(step) + 1 :])
    return found


def with_paths(table: Table, names: Sequence[str], answer: str | None = None) -> Table:
    """The table with a column for every name that is a path, a key or a constant.

    What paths lead to is taken out of the columns they start from, unless these are named too.

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
    places = {column: place for place, column in enumerate(table.columns)}
    paths = {name: parse(name, table.columns) for name in extra}
    to_answer = paths.get(answer or "")
    before, brace, _ = to_answer.rest.partition("{") if to_answer else ("", "", "")
    key = placeholders(to_answer.rest)[0] if brace else ""
    heads: dict[int, list[str]] = defaultdict(list)
    for path in filter(None, paths.values()):
        if path.head:
            heads[places[path.head]].append(path.rest)

    def start(path: Path, cells: Sequence[Cell]) -> object:
        if path.head:
            return cells[places[path.head]]
        return {own: cells[places[column]] for own, column in path.by_key.items()}

    def value(name: str, cells: Sequence[Cell], bound: Mapping[str, str]) -> Cell:
        if path := paths[name]:
            return as_cell(follow(start(path, cells), path.rest, bound))
        own = key_name(name)
        return bound.get(own) if own else name.removeprefix(CONSTANT)

    def records() -> Iterator[Record]:
        met: set[str] = set()
        for record in table.records():
            if record.fault is not None:
                yield record._replace(cells=(*record.cells, *[None] * len(extra)))
                continue
            cells = list(record.cells)
            for place in heads:
                cells[place] = structured(cells[place])
            keys = [{}]
            if key:
                parts = children(follow(start(to_answer, cells), before.rstrip(".")), key)
                keys = [{key: own} for own, part in parts.items() if part is not None]
            if not keys:
                text = "there is no answer at “{path}”. Map another path, or correct the row."
                record = record._replace(fault=said(text, path=answer, fault_code="no_answer"))
            for bound in keys or [{}]:
                found = [value(name, cells, bound) for name in extra]
                met |= {name for name, cell in zip(extra, found, strict=True) if cell is not None}
                kept = list(cells)
                for place, rests in heads.items():
                    if table.columns[place] not in names:
                        kept[place] = without(cells[place], rests, bound)
                yield record._replace(cells=(*kept, *found))
        for name, path in paths.items():
            if path and path.head and name not in met:
                raise Problem(
                    "No row of {file} has a value at “{path}”. Correct the path, or leave it out.",
                    file=table.source.name,
                    path=name,
                    fault_code="not_a_column",
                )

    return replace(table, columns=(*table.columns, *extra), records=records)
