"""JSON and JSONL: objects as records, or an object of columns."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from concord.importing.readers import cells as of_cell
from concord.importing.readers import nested, safe_reading
from concord.importing.readers.cells import BadCell, Damaged, Spelled
from concord.importing.readers.delimited import decoding, lines_of, open_text
from concord.importing.readers.encoding import Guess, choose, of_json
from concord.importing.readers.table import Record, SeveralLists, Source, Table, named_columns
from concord.importing.spool import ParsedSpool
from concord.messages import Problem, joined, on_command_line, said, syntax_fault

Row = dict | str  # an object with text as keys, or what is wrong with it


def encoding_of(source: Source, chosen: str | None) -> Guess:
    """The encoding the user chose, else UTF-16 or UTF-8, by the first characters."""
    with source.open() as file:
        return choose(chosen) if chosen else of_json(file.read(4))


def read_json(source: Source, chosen_encoding: str | None = None, part: str | None = None) -> Table:
    """A table of a JSON file: a list of objects, such a list under any key, or columns.

    `part` is the path to the list in nested objects, where they hold several.

    Raises:
        Problem: it is not JSON, or not one of these shapes.
    """
    guess = encoding_of(source, chosen_encoding)
    with open_text(source, guess) as file:
        text = decoding(source, guess, file.read).removeprefix("\ufeff")
    safe_reading.check_values(source.name, text)
    found = _parsed(text)
    if isinstance(found, json.JSONDecodeError):
        # JSON Lines with the extension json, as several tools write them.
        if found.msg == "Extra data" and text.lstrip().startswith("{"):
            return read_jsonl(source, chosen_encoding)
        raise Problem(
            "{source} is not valid JSON: {error}. Correct it there.",
            source=source.name,
            error=str(found),
            fault_code="not_json",
        )
    if isinstance(found, Damaged):
        raise Problem(
            "{file} cannot be read: {fault}",
            file=source.name,
            fault=found.problem,
            fault_code=getattr(found.problem, "code", None),
        )
    chosen = _objects(found, source.name, part)
    rows = [(n, None, _row(one)) for n, one in enumerate(chosen, 1)]
    lists = {k: one for k, one in found.items() if _is_rows(one)} if type(found) is dict else {}
    others = [f"{key} ({len(one):,})" for key, one in lists.items() if one is not chosen]
    table = _table(source, "json", rows, guess)
    if not others or len(others) == len(lists):
        return table
    further = said(
        "there are further lists: {others}. Read one instead{worksheet}, or bring one in{join}.",
        others=joined(", ", others),
        worksheet=on_command_line("`--worksheet`"),
        join=on_command_line("`--join`"),
    )
    return replace(table, skipped=(further,))


def document(text: str, name: str) -> Any:
    """The value of a JSON text. Numbers are numbers, NaN becomes None.

    Raises:
        Problem: it is nested too deeply, has a key twice in one object, too long a number, or too
            many values.
        json.JSONDecodeError: it is not JSON.
    """
    safe_reading.check_values(name, text)
    try:
        return _loads(text, str)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        fault = said("it is nested too deeply, or has a number with thousands of digits.")
        raise Problem(
            "{file} cannot be read: {fault} Export it again.",
            file=name,
            fault=str(error) if isinstance(error, BadCell) else fault,
            fault_code="damaged",
        ) from None


def read_jsonl(source: Source, chosen_encoding: str | None = None) -> Table:
    """Return the table of a JSONL file, one object per line; any other line is a bad row."""
    guess = encoding_of(source, chosen_encoding)
    with open_text(source, guess, newline="\n") as file:
        lines = lines_of(file, source.name)
        rows = decoding(source, guess, lambda: ParsedSpool(_lines(lines)))
    return _table(source, "jsonl", rows, guess)


def _lines(lines: Iterable[str]) -> Iterator[tuple[tuple[int, int | None, Row], int]]:
    """(row, line where it differs, object or fault), and size, of each line that is not blank."""
    row = 0
    for number, line in enumerate(lines, 1):
        if text := line.removeprefix("\ufeff").strip():
            row += 1
            found = _parsed(text)
            if isinstance(found, json.JSONDecodeError):
                found = Damaged(
                    said(
                        "it is not valid JSON: {fault} (character {column}). Correct it there.",
                        fault=syntax_fault(found),
                        column=found.colno,
                        fault_code="not_json",
                    )
                )
            yield (row, number if number != row else None, _row(found)), len(text)


def _table(source, kind, rows, guess):
    """Keys in order of first appearance are the columns.

    Nested objects are opened into a column per leaf (`nested`).
    """
    shapes: dict[str, nested.Shape] = {}
    for _, _, found in rows:
        for key, value in found.items() if isinstance(found, dict) else ():
            shapes.setdefault(key, nested.Shape()).add(value)
    if rows and not shapes:
        faults = (fault for _, _, fault in rows if isinstance(fault, str))
        raise Problem(
            "{source} holds no object that could be a row: {reason}",
            source=source.name,
            reason=next(faults, said("its objects have no keys.")),
            fault_code="no_objects",
        )
    safe_reading.check_cells(source.name, len(rows), len(shapes))

    # Opened objects multiply the columns, so the limit of cells bounds them too.
    leaves = nested.leaves(shapes, safe_reading.CELLS // max(1, len(rows)))

    def records():
        for row, line, found in rows:
            if isinstance(found, dict):
                values = zip(leaves, nested.values(leaves, found), strict=True)
                # Beside parts of objects they are cells already.
                yield Record(
                    row,
                    line,
                    tuple(
                        of_cell.of(one) if len(path) > 1 or isinstance(one, dict) else one
                        for path, one in values
                    ),
                )
            else:
                yield Record(row, line, (None,) * len(leaves), found)

    return Table(source, kind, tuple(map(".".join, leaves)), records, guess)


def _row(found: Any) -> Row:
    """An object as a row, its sound objects as parsed and other values as cells; or its fault."""
    if isinstance(found, Damaged):
        return found.problem
    if not isinstance(found, dict):
        return said(
            'it is not an object. Write each row as {"column": value, ...}.',
            fault_code="not_an_object",
        )
    try:
        row = {of_cell.text(key): of_cell.of(value) for key, value in found.items()}
    except BadCell as fault:
        return said("one of its keys is invalid: {fault}", fault=str(fault), fault_code="bad_key")
    # Numbers within an object stay as spelled: its leaves may become cells of their own.
    return {key: found[key] if isinstance(cell, dict) else cell for key, cell in row.items()}


def _parsed(text: str) -> Any:
    """The value of a JSON text with numbers as spelled; the error of one that is not JSON."""
    try:
        # As spelled: an id such as 12345678901234567890 or 1.10 must not change by being parsed.
        return _loads(text, Spelled, parse_int=Spelled, parse_float=Spelled)
    except json.JSONDecodeError as error:
        return error
    except RecursionError:
        return Damaged(
            said("it is nested too deeply. Write one flat object per row.", fault_code="too_deep")
        )


def _loads(text: str, spelled: Any, **numbers: Any) -> Any:
    """The value of a JSON text; NaN is no value, and one that is not finite is as `spelled`."""

    def constant(name: str) -> Any:
        return None if name == "NaN" else spelled(name)

    def unique(pairs: list[tuple[str, Any]]) -> dict | Damaged:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        times = Counter(key for key, _ in pairs)
        fault = BadCell(
            "an object in it has the key “{one}” twice. Keep one.",
            one=next(name for name, count in times.items() if count > 1),
            fault_code="key_twice",
        )
        if not numbers:
            raise fault
        return Damaged(str(fault))

    return json.loads(text, parse_constant=constant, object_pairs_hook=unique, **numbers)


def _objects(found: Any, name: str, part: str | None) -> Iterable[Any]:
    """The records of a JSON value, by its shape."""
    if isinstance(found, list):
        # Lists of objects in a list, as Label Studio converts several files.
        return chain.from_iterable(found) if found and all(map(_is_rows, found)) else found
    parts = found if isinstance(found, dict) else {}
    inner = {key: one for key, one in parts.items() if isinstance(one, dict)}
    asks = any(map(nested.is_question, parts))
    by_id = inner and len(inner) == len(parts) and all(_asks([one]) for one in parts.values())
    if by_id and not asks:
        return ({"key": key, **row} for key, row in parts.items())  # each row under its id
    if isinstance(parts.get("columns"), list) and isinstance(parts.get("data"), list):
        return _split(parts["columns"], parts["data"], name)
    lists = {key: rows for key, rows in parts.items() if _is_rows(rows)}
    below = {} if asks or lists or _is_index([*inner.values()]) else dict(_below(inner))
    if below or len(lists) == 1 or part in lists or any(map(_asks, lists.values())):
        return _chosen(below or lists, part, name)
    if parts and all(isinstance(one, list | dict) for one in parts.values()):
        return _columns(parts, name)
    if parts and not lists:
        return [parts]
    raise Problem(
        "{name} is JSON, but neither a list of objects, nor an object with such a list, nor an "
        "object of columns. Save it as one of these.",
        name=name,
        fault_code="no_objects",
    )


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _asks(rows: list[dict]) -> bool:
    return any(map(nested.is_question, rows[0]))


def _is_index(parts: list[dict]) -> bool:
    """True for columns as objects keyed by row: the same keys in each, or row numbers."""
    keys = [tuple(part) for part in parts]
    return len({*keys}) == 1 and (len(keys) > 1 or all(str(key).isdigit() for key in keys[0]))


def _below(parts: Mapping[str, dict], level: int = 1) -> Iterator[tuple[str, list]]:
    """The lists of objects under the keys of nested objects, by path."""
    for path, part in parts.items():
        lower = {f"{path}.{key}": one for key, one in part.items()}
        yield from ((key, one) for key, one in lower.items() if _is_rows(one))
        if level < nested.LEVELS:
            objects = {key: one for key, one in lower.items() if isinstance(one, dict)}
            yield from _below(objects, level + 1)


def _chosen(lists: dict[str, list], part: str | None, name: str) -> list:
    """The list that the user names, or the only one, or the only one whose rows name a question."""
    if part in lists:
        return lists[part]
    asking = [path for path, rows in lists.items() if _asks(rows)]
    likely = asking if len(asking) == 1 else [*lists]
    if part is None and len(likely) == 1:
        return lists[likely[0]]
    raise SeveralLists(
        likely,
        "{name} has several lists of objects, or none of the name given: {listed}. Name the one "
        "to read with --worksheet, as in --worksheet {one}",
        name=name,
        listed=safe_reading.listed(likely),
        one=likely[0],
        on_screen=said(
            "{name} has several lists of objects. Choose the one to read above.",
            name=name,
        ),
        fault_code="several_lists",
    )


def _split(columns: list, rows: list, name: str) -> Iterator[Any]:
    """Rows as lists in the order of the columns."""
    if not all(isinstance(column, str) for column in columns):
        raise Problem(
            "A name under “columns” of {name} is not a string. Give each column a name.",
            name=name,
            fault_code="bad_name",
        )
    columns, _ = named_columns(columns, name)
    for cells in rows:
        if isinstance(cells, list) and len(cells) == len(columns):
            yield dict(zip(columns, cells, strict=True))
        else:
            yield Damaged(
                said(
                    "it is not a list with one cell per column (columns: {count}). Correct it.",
                    count=len(columns),
                    fault_code="wrong_width",
                )
            )


def _columns(found: dict[str, list | dict], name: str) -> Iterator[dict]:
    """Columns as lists of equal length, or as objects keyed by row."""
    sizes = {key: len(value) for key, value in found.items()}
    kinds = {type(value) for value in found.values()}
    if len({*sizes.values()}) > 1 or len(kinds) > 1:
        first = islice(sizes.items(), safe_reading.LISTED)
        raise Problem(
            "The columns of {name} differ in length, or some are lists and some are objects: "
            "{listed}. Make them equal.",
            name=name,
            listed=joined(", ", (said("“{name}”: {n:,}", name=k, n=size) for k, size in first)),
            fault_code="unequal_columns",
        )
    columns = found.values()
    if kinds == {dict}:
        index = dict.fromkeys(chain.from_iterable(columns))
        safe_reading.check_cells(name, len(index), len(found))
        columns = [[column.get(row) for row in index] for column in columns]
    return (dict(zip(found, row, strict=True)) for row in zip(*columns, strict=True))
