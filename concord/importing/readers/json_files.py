"""JSON and JSONL: objects as records."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from concord.importing.readers import cells as of_cell
from concord.importing.readers import nested, safe_reading
from concord.importing.readers.cells import Damaged, Spelled
from concord.importing.readers.delimited import lines_of, open_text
from concord.importing.readers.table import (
    LINE_CHARACTERS,
    Record,
    Source,
    Table,
)
from concord.messages import Problem, on_command_line, said
from concord.store.spool import Spool
from concord.text.encoding import LABELS, choose

Row = dict | str  # an object, or what is wrong with it


def encoding_of(source: Source, chosen: str | None) -> str:
    """The encoding the user chose, else UTF-16 or UTF-8, by the first characters."""
    with source.open() as file:
        codec = json.detect_encoding(file.read(4))
    return choose(chosen) if chosen else codec if codec in LABELS else "utf-8-sig"


def text_of(source: Source, codec: str) -> str:
    """All of a file."""
    with open_text(source, codec) as file:
        return file.read().removeprefix("\ufeff")


def is_lines(source: Source, codec: str) -> bool:
    """Return whether the first line is an object of its own, and more lines follow it."""
    with open_text(source, codec) as file:
        first, more = file.readline(LINE_CHARACTERS).strip("\ufeff \t\r\n"), file.read(1 << 10)
    return first.startswith("{") and first.endswith("}") and bool(more.strip())


def read_json(source: Source, chosen_encoding: str | None = None, part: str | None = None) -> Table:
    """A table of a JSON file: a list of objects, or such a list under any key.

    `part` is the path to the list in nested objects, where they hold several.

    Raises:
        Problem: it is not JSON, or not one of these shapes.
    """
    codec = encoding_of(source, chosen_encoding)
    found = _parsed(text_of(source, codec), source.name)
    # JSON Lines with the extension json, as several tools write them.
    if isinstance(found, Damaged) and is_lines(source, codec):
        return read_jsonl(source, chosen_encoding)
    objects, others = _objects(found, source.name, part)
    told = "Further lists are not read: {others}. Choose one, or join it{on_command_line}."
    how = on_command_line("`--worksheet`, `--join`")
    further = said(told, others=safe_reading.listed(others), on_command_line=how)
    rows = [_row(one) for one in objects]
    return _table(source, "json", rows, codec, (further,) if others else ())


def document(text: str, name: str) -> Any:
    """The value of a JSON text. Numbers are numbers, NaN becomes None.

    Raises:
        Problem: it has a key twice in one object, or too many values.
        ValueError: it is not JSON, or has too long a number.
    """
    found, damage = _loads(text, name)
    if damage:
        raise Problem(
            "{file} cannot be read: {fault} Export it again.",
            file=name,
            fault=damage[0].problem,
            fault_code="damaged",
        )
    return found


def read_jsonl(source: Source, chosen_encoding: str | None = None) -> Table:
    """Return the table of a JSONL file, one object per line; any other line is a bad row."""
    codec = encoding_of(source, chosen_encoding)
    texts = (line.removeprefix("\ufeff").strip() for line in lines_of(source, codec))
    rows = ((_row(_parsed(text, source.name)), len(text)) for text in texts if text)
    return _table(source, "jsonl", Spool(rows), codec)


def _table(source, kind, rows, codec, skipped=()):
    """Keys in order of first appearance are the columns, nested objects a column per leaf."""
    shapes: dict[str, nested.Shape] = {}
    for found in rows:
        for key, value in found.items() if isinstance(found, dict) else ():
            shapes.setdefault(key, nested.Shape()).add(value)
    if rows and not shapes:
        faults = (fault for fault in rows if isinstance(fault, str))
        raise Problem(
            "{source} holds no object that could be a row: {reason}",
            source=source.name,
            reason=next(faults, said("its objects have no keys.", fault_code="no_objects")),
        )
    safe_reading.check_cells(source.name, len(rows), len(shapes))
    # Opened objects multiply the columns, so the limit of cells bounds them too.
    leaves = nested.leaves(shapes, safe_reading.CELLS // max(1, len(rows)))

    def records():
        for row, found in enumerate(rows, 1):
            if isinstance(found, dict):
                yield Record(row, tuple(map(of_cell.of, nested.values(leaves, found))))
            else:
                yield Record(row, (None,) * len(leaves), found)

    return Table(source, kind, tuple(map(".".join, leaves)), records, codec, skipped)


def _row(found: Any) -> Row:
    """An object as it is parsed; what is wrong with anything else."""
    if isinstance(found, dict | Damaged):
        return found.problem if isinstance(found, Damaged) else found
    return said(
        'it is not an object. Write each row as {"column": value, ...}.', fault_code="not_an_object"
    )


def _parsed(text: str, file: str) -> Any:
    """The value of a JSON text with numbers as spelled, or its damage.

    So an id such as 12345678901234567890 or 1.10 does not change by being parsed.
    """
    try:
        return _loads(text, file, Spelled)[0]
    except json.JSONDecodeError as error:
        told = "it is not valid JSON: {error}. Correct it there."
        return Damaged(said(told, error=str(error), fault_code="not_json"))


def _loads(text: str, file: str, number: type | None = None) -> tuple[Any, list[Damaged]]:
    """The value of a JSON text, and the objects in it that are damaged and cannot be known."""
    safe_reading.check_values(file, text)
    damage: list[Damaged] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict | Damaged:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        name = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        told = "an object in it has the key “{one}” twice. Keep one."
        damage.append(Damaged(said(told, one=name, fault_code="key_twice")))
        return damage[-1]

    found = json.loads(
        text,
        parse_int=number,
        parse_float=number,
        parse_constant=lambda name: None if name == "NaN" else (number or str)(name),
        object_pairs_hook=unique,
    )
    return found, damage


def _objects(found: Any, name: str, part: str | None) -> tuple[list[Any], list[str]]:
    """The records of a JSON value, and the paths of lists that are left.

    They are those of a list, of the only list of objects or of the one with questions under any
    key, or the value itself. Any other object of objects or lists is no row.
    """
    if not isinstance(found, dict):
        return found if isinstance(found, list) else [found], []
    lists = {} if _asks(found) else dict(_lists(found))
    asking = [path for path, rows in lists.items() if _asks(rows[0])]
    likely = [part] if part in lists else asking if len(asking) == 1 else [*lists]
    if len(likely) == 1 and part in (None, *likely):
        return lists[likely[0]], [path for path in lists if path not in likely]
    if not lists:
        is_row = not all(isinstance(one, list | dict) for one in found.values())
        return [found if is_row else [*found]], []
    raise Problem(
        "{name} has several lists of objects, or none of the name given: {listed}. Choose "
        "one{on_command_line}.",
        name=name,
        names=tuple(likely),
        listed=safe_reading.listed(likely),
        on_command_line=on_command_line("`--worksheet`"),
        fault_code="several_lists",
    )


def _asks(row: dict) -> bool:
    return any(map(nested.is_question, row))


def _lists(parts: dict, path: str = "", level: int = 0) -> Iterator[tuple[str, list]]:
    """The lists of objects under the keys of nested objects that are no rows, by path."""
    for key, one in parts.items():
        if isinstance(one, list) and one and all(isinstance(row, dict) for row in one):
            yield path + key, one
        elif isinstance(one, dict) and level < nested.LEVELS and not _asks(one):
            yield from _lists(one, f"{path}{key}.", level + 1)
