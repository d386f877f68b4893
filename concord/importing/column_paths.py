"""Paths in a column map: what a word may name besides a column, and the columns that result.

`metrics.f1` goes into an object or a list, `answers.{model}.text` into each value of a dictionary
(or into each column that the name fits), `{model}` is that value's key, `:=VALUE` is a constant.
Objects in a list have the key that they say under that name, as `[{"model": "a", ...}]` does; other
values in a list that of the list in the column of that name, as scores next to annotators.
`with_paths` gives each of them a column of its own, and makes one record per key where the answer
is under a placeholder.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from concord.importing import list_cells
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell, Damaged
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, said

CONSTANT = ":="
# Answers that one row may hold.
KEYS = 1000
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


@lru_cache(maxsize=256)
def key_in(path: str, other: str) -> str:
    """The key that another path has in place of the last placeholder of a path; '' for none.

    `human` for `marks.{grader}.reason` and `marks.human.score`: what they lead to is side by side.
    """
    names = placeholders(path)
    before = path.rpartition(f"{{{names[-1]}}}")[0] if names else ""
    key = other.removeprefix(before).partition(".")[0]
    return key if before and other.startswith(before) and "{" not in key else ""


def follow(held: object, path: str, known: Mapping[str, object] = _NOTHING) -> object:
    """The value that a path leads to in an object or a list; None where the way breaks off.

    A placeholder gives a dictionary: what is under each key. `known` are the one key of a
    placeholder, or a list of the names of its keys.
    """
    if not path or isinstance(held, Damaged):
        return held
    if found := _PLACEHOLDER.match(path):
        name, tail = found[1], path[found.end() :].removeprefix(".")
        key = known.get(name)
        parts = children(held, name, key)
        if isinstance(key, str):
            return follow(parts.get(key), tail, known)
        return {own: as_cell(follow(part, tail, known)) for own, part in parts.items()}
    if isinstance(held, list):
        held = {str(place): part for place, part in enumerate(held)}
    end = len(path)
    while end > 0 and isinstance(held, dict):  # a key may hold dots
        if (part := held.get(path[:end])) is not None:
            return follow(part, path[end + 1 :], known)
        end = path.rfind(".", 0, end)
    return None


def children(held: object, name: str, names: object = None) -> Mapping[str, object]:
    """The parts of an object by key, of a list by place from 0; none of any other value.

    Objects in a list that hold `name` go by what they hold there: '' where one holds no text, and
    `Damaged` where several hold the same. Other parts of a list go by the list `names`, if any.
    """
    if not isinstance(held, list):
        return held if isinstance(held, dict) else {}
    called = [follow(part, name) if isinstance(part, dict) else None for part in held]
    if not any(own is not None for own in called):
        called = names if isinstance(names, list) else [*map(str, range(len(held)))]
    if len(called) != len(held):
        text = said(
            "the numbers of values ({n}) and names in “{column}” ({names}) differ. Give one name "
            "for each value.",
            n=len(held),
            names=len(called),
            column=name,
            fault_code="unequal_lists",
        )
        return {"": Damaged(text)}
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
    for step in map(_step, paths):
        if step and step[1:-1] in bound:
            own = children(cell, step[1:-1]).get(bound[step[1:-1]])
            return without(own, _tails(paths, step), bound)
    if not paths or not isinstance(cell, dict):
        return cell
    left = {}
    for key, part in cell.items():
        tails = _tails(paths, str(key))
        kept = without(part, tails, bound) if tails else part
        if kept is not None and kept != {}:
            left[key] = kept
    return left or None


def _step(path: str) -> str:
    """The placeholder that a path begins with; '' for a key."""
    return path[: path.find("}") + 1] if path[:1] == "{" else ""


def _tails(paths: Sequence[str], key: str) -> list[str]:
    """What follows a key in the paths that lead through it, as placeholders do."""
    found = []
    for path in paths:
        step = _step(path) or key
        if path == step or path.startswith(f"{step}."):
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
    key = next(iter(placeholders(to_answer.rest)), None) if to_answer else None
    heads: dict[int, list[str]] = {}
    for path in filter(None, paths.values()):
        if path.head:
            heads.setdefault(places[path.head], []).append(path.rest)

    def start(path: Path, cells: Sequence[Cell]) -> object:
        if path.head:
            return cells[places[path.head]]
        return {own: cells[places[column]] for own, column in path.by_key.items()}

    def reader(name: str) -> Callable[[Sequence[Cell], Mapping[str, str]], Cell]:
        path, value, own = paths[name], name.removeprefix(CONSTANT), key_name(name)
        if path is None:
            return lambda _, bound: bound.get(own) if own else value
        lists = [one for one in placeholders(path.rest) if one in places and one != key]

        def along(cells: Sequence[Cell], bound: Mapping[str, str]) -> Cell:
            held = [(one, structured(cells[places[one]])) for one in lists]
            known = (
                {**bound, **{one: c for one, c in held if isinstance(c, list)}} if held else bound
            )
            return as_cell(follow(start(path, cells), path.rest, known))

        return along

    def records() -> Iterator[Record]:
        met: set[str] = set()
        readers = [*map(reader, extra)]
        for record in table.records():
            if record.fault is not None:
                yield record._replace(cells=(*record.cells, *[None] * len(extra)))
                continue
            cells = list(record.cells)
            for place in heads:
                cells[place] = structured(cells[place])
            keys = [{}]
            if key:
                before = to_answer.rest[: to_answer.rest.index("{")].rstrip(".")
                parts = children(follow(start(to_answer, cells), before), key)
                keys = [{key: own} for own, part in parts.items() if part is not None]
            if not 0 < len(keys) <= KEYS:
                text = said(
                    "there are {keys} answers at “{path}”; a row may have 1 to {most}. Map another "
                    "path, or correct the row.",
                    keys=len(keys),
                    path=answer,
                    most=KEYS,
                    fault_code="too_many_answers" if keys else "no_answer",
                )
                record, keys = record._replace(fault=text), [{}]
            for bound in keys:
                found = [read(cells, bound) for read in readers]
                met |= {extra[place] for place, cell in enumerate(found) if cell is not None}
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
