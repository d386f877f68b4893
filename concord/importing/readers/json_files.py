"""JSON and JSONL: objects as records, or an object of columns."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from concord.importing.readers import cells as of_cell
from concord.importing.readers import nested, safe_reading
from concord.importing.readers.cells import BadCell, Cell, Damaged
from concord.importing.readers.delimited import decoding, lines_of, open_text
from concord.importing.readers.encoding import Guess, choose, of_json
from concord.importing.readers.table import Record, SeveralLists, Source, Table, named_columns
from concord.importing.spool import ParsedSpool
from concord.messages import Problem, joined, said, syntax_fault


class _Number(str):
    """A number as it is spelled in the file, so that 007.0 or 1e3 is not respelled."""


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
    try:
        found = _loads(text)
    except json.JSONDecodeError as error:
        # JSON Lines with the extension json, as several tools write them.
        if error.msg == "Extra data" and text.lstrip().startswith("{"):
            return read_jsonl(source, chosen_encoding)
        raise Problem(
            "{source} is not valid JSON: {error}. Correct it there.",
            source=source.name,
            error=str(error),
            fault_code="not_json",
        ) from None
    except RecursionError:
        raise Problem(
            "{file} is nested too deeply. Write one flat object per row.",
            file=source.name,
            fault_code="too_deep",
        ) from None
    objects = list(_objects(found, source.name, part))
    return _table(source, "json", [(n, None, o) for n, o in enumerate(objects, 1)], guess)


def document(text: str, name: str) -> object:
    """The value of a JSON text. Numbers are numbers, NaN becomes None.

    Raises:
        Problem: it is nested too deeply, has a key twice in one object, too long a number, or too
            many values.
        json.JSONDecodeError: it is not JSON.
    """
    safe_reading.check_values(name, text)
    try:
        return of_cell.nested(_values(text))
    except RecursionError:
        raise Problem(
            "{file} is nested too deeply. Export it again.", file=name, fault_code="too_deep"
        ) from None
    except BadCell as fault:
        raise Problem(
            "{file} cannot be read: {fault}", file=name, fault=str(fault), fault_code="damaged"
        ) from None


def _values(text: str) -> object:
    try:
        return json.loads(
            text,
            parse_constant=lambda name: None if name == "NaN" else name,
            object_pairs_hook=_once,
        )
    except (json.JSONDecodeError, BadCell):
        raise
    except ValueError:  # Python parses no whole number of more than 4,300 digits
        raise BadCell(
            "it contains a number with thousands of digits. Write it as text.",
            fault_code="too_long_number",
        ) from None


def _once(pairs):
    """Return the object; a BadCell where it has a key twice."""
    if None in (found := _unique(pairs)):
        raise BadCell(
            "an object in it has the key “{one}” twice. Keep one.",
            one=found[None],
            fault_code="key_twice",
        )
    return found


def read_jsonl(source: Source, chosen_encoding: str | None = None) -> Table:
    """Return the table of a JSONL file, one object per line; any other line is a bad row."""
    guess = encoding_of(source, chosen_encoding)
    with open_text(source, guess, newline="\n") as file:
        lines = lines_of(file, source.name)
        rows = decoding(source, guess, lambda: ParsedSpool(_lines(lines)))
    return _table(source, "jsonl", rows, guess)


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
        reason = next(faults, said("its objects have no keys."))
        raise Problem(
            "{source} holds no object that could be a row: {reason}",
            source=source.name,
            reason=reason,
            fault_code="no_objects",
        )
    safe_reading.check_cells(source.name, len(rows), len(shapes))
    whole = _opened(source, kind, rows, guess, tuple(nested.Leaf(c, c, ()) for c in shapes))
    # Opened objects multiply the columns, so the limit of cells bounds them too.
    leaves = nested.leaves(shapes, safe_reading.CELLS // max(1, len(rows)))
    if len(leaves) == len(whole.columns) and not any(leaf.keys for leaf in leaves):
        return whole
    return replace(_opened(source, kind, rows, guess, leaves), whole=lambda: whole)


def _opened(source, kind, rows, guess, leaves):
    columns = tuple(leaf.name for leaf in leaves)
    records = lambda: (_record(row, line, found, leaves) for row, line, found in rows)  # noqa: E731
    return Table(source, kind, columns, records, guess)


def _record(row, line, found, leaves):
    if isinstance(found, dict):
        values = zip(leaves, nested.values(leaves, found), strict=True)
        cells = (cell(v) if leaf.keys or isinstance(v, dict) else v for leaf, v in values)
        return Record(row, line, tuple(cells))
    return Record(row, line, (None,) * len(leaves), found)


def _lines(lines) -> Iterator[tuple[tuple[int, int | None, dict | str], int]]:
    """(row, line where it differs, object or fault), and size, of each line that is not blank."""
    row = 0
    for number, line in enumerate(lines, 1):
        text = line.removeprefix("\ufeff").strip()
        if text:
            row += 1
            yield (row, number if number != row else None, _object(text)), len(text)


def _object(text):
    try:
        found = _loads(text)
    except json.JSONDecodeError as error:
        return said(
            "it is not valid JSON: {fault} (character {column}). Correct it there.",
            fault=syntax_fault(error),
            column=error.colno,
            fault_code="not_json",
        )
    except RecursionError:
        return said(
            "it is nested too deeply. Write one flat object per row.", fault_code="too_deep"
        )
    return _cells(found)


def _cells(found):
    """The object as cells, or what is wrong with it."""
    if not isinstance(found, dict):
        return said(
            'it is not an object. Write each row as {"column": value, ...}.',
            fault_code="not_an_object",
        )
    if None in found:
        return said(
            "it has the key “{one}” twice. Keep one of them.",
            one=found[None],
            fault_code="key_twice",
        )
    try:
        return {of_cell.text(str(key)): _held(value) for key, value in found.items()}
    except BadCell as fault:
        return said("one of its keys is invalid: {fault}", fault=str(fault), fault_code="bad_key")


def _held(value):
    """A value as it is held: a sound object as parsed, with numbers as spelled; else its cell."""
    made = cell(value)
    return value if isinstance(made, dict) else made


def cell(value) -> Cell:
    """A JSON value as a cell: text as it is, numbers as spelled, null as no cell."""
    if value is None or isinstance(value, Damaged):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value)
    try:
        return _plain(of_cell.nested(value))
    except BadCell as fault:
        return Damaged(str(fault))


def _plain(value):
    """Numbers inside a list or object as numbers."""
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        if None in value:
            raise BadCell(
                "an object in it has the key “{one}” twice. Keep one.",
                one=value[None],
                fault_code="key_twice",
            )
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, _Number):
        return _number(value)
    return value


def _number(spelled):
    """The number, or its spelling where no number of the machine holds it."""
    if re.fullmatch(r"-?\d+", spelled):
        # Eighteen digits fit 64 bits, as SQLite and Parquet store them.
        return int(spelled) if len(spelled) <= 18 else str(spelled)
    return float(spelled) if math.isfinite(float(spelled)) else str(spelled)


def _loads(text):
    return json.loads(
        text,
        # As spelled: an id such as 12345678901234567890 or 1.10 must not change by being parsed.
        parse_int=_Number,
        parse_float=_Number,
        parse_constant=lambda name: None if name == "NaN" else _Number(name),
        object_pairs_hook=_unique,
    )


def _unique(pairs):
    """Return the object; a duplicate key is kept under None, so that the record is rejected."""
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        found[None] = next(name for name, count in times.items() if count > 1)
    return found


def _objects(found, name, part=None):
    """Yield each record's cells, or its error."""
    if isinstance(found, list):
        # Lists of objects in a list, as Label Studio converts several files.
        parts = chain.from_iterable(found) if found and all(map(_is_rows, found)) else found
        return map(_cells, parts)
    if isinstance(found, dict):
        if _is_by_id(found):
            return (
                {"key": key} | row if isinstance(row := _cells(value), dict) else row
                for key, value in found.items()
            )
        inner = _inner_lists(found)
        if inner:
            return map(_cells, _chosen(inner, part, name))
        lists = {str(key): value for key, value in found.items() if _is_rows(value)}
        if isinstance(found.get("columns"), list) and isinstance(found.get("data"), list):
            return _split(found["columns"], found["data"], name)
        asks = [rows for rows in lists.values() if any(map(nested.is_question, rows[0]))]
        if len(lists) == 1 or asks or part in lists:
            return map(_cells, _chosen(lists, part, name))
        if found and all(isinstance(value, list | dict) for value in found.values()):
            return _from_columns(found, name)
        if found and not lists:
            return [_cells(found)]
    raise Problem(
        "{name} is JSON, but neither a list of objects, nor an object with such a list, nor an "
        "object of columns. Save it as one of these.",
        name=name,
        fault_code="no_objects",
    )


def _inner_lists(found):
    """Lists of objects under the keys of nested objects, by path.

    None where the object is itself a row, or one of columns.
    """
    parts = [(str(key), part) for key, part in found.items() if isinstance(part, dict)]
    is_row = any(nested.is_question(key) or _is_rows(part) for key, part in found.items())
    if is_row or not parts or None in found or _is_index([part for _, part in parts]):
        return {}
    queue, lists = [(path, part, 1) for path, part in parts], {}
    while queue:
        path, part, level = queue.pop(0)
        for key, one in part.items():
            if _is_rows(one):
                lists[f"{path}.{key}"] = one
            elif isinstance(one, dict) and level < nested.LEVELS:
                queue.append((f"{path}.{key}", one, level + 1))
    return lists


def _chosen(lists, part, name):
    """The list that the user names, or the only one, or the only one whose rows name a question."""
    if part in lists:
        return lists[part]
    asking = [p for p, rows in lists.items() if any(map(nested.is_question, rows[0]))]
    likely = asking if len(asking) == 1 else [*lists]
    if part is None and len(likely) == 1:
        return lists[likely[0]]
    raise SeveralLists(
        likely,
        "{name} has several lists of objects: {listed}. Name the one to read with --worksheet, "
        "as in --worksheet {one}"
        if part is None
        else "{name} has no list of objects under that name. It has: {listed}. Name one with "
        "--worksheet, as in --worksheet {one}",
        name=name,
        listed=safe_reading.listed(likely),
        one=likely[0],
        on_screen=said(
            "{name} has several lists of objects. Choose the one to read above.",
            name=name,
        ),
        fault_code="several_lists",
    )


def _is_index(parts):
    """True for columns as objects keyed by row: the same keys in each, or row numbers."""
    keys = [tuple(part) for part in parts]
    return len({*keys}) == 1 and (len(keys) > 1 or all(str(key).isdigit() for key in keys[0]))


def _is_by_id(found):
    """True for an object with each row under its id: the rows name a question, no key does."""
    parts = [part for part in found.values() if isinstance(part, dict)]
    if len(parts) < len(found) or None in found or not parts:
        return False
    if any(nested.is_question(key) for key in found):
        return False
    return all(any(nested.is_question(key) for key in part) for part in parts)


def _is_rows(value):
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _split(columns, rows, name):
    """Return column names, and rows as lists in their order."""
    for place, column in enumerate(columns, 1):
        if not isinstance(column, str):
            raise Problem(
                "Name {place} under “columns” of {name} is not a string. Give each column a name.",
                place=place,
                name=name,
                fault_code="bad_name",
            )
    columns, _ = named_columns(columns, name)
    for cells in rows:
        if isinstance(cells, list) and len(cells) == len(columns):
            yield _cells(dict(zip(columns, cells, strict=True)))
        else:
            yield said(
                "it is not a list with one cell per column (columns: {count}). Correct it.",
                count=len(columns),
                fault_code="wrong_width",
            )


def _from_columns(found, name):
    """Columns as lists of equal length, or as objects keyed by row."""
    if any(None in value for value in (found, *found.values()) if isinstance(value, dict)):
        raise Problem(
            "{name} has the same key twice in one object. Keep one of them.",
            name=name,
            fault_code="key_twice",
        )
    sizes = {key: len(value) for key, value in found.items()}
    if len(set(sizes.values())) > 1:
        first = islice(sizes.items(), safe_reading.LISTED)
        listed = joined(", ", (said("“{name}”: {n:,}", name=k, n=size) for k, size in first))
        raise Problem(
            "The columns of {name} differ in length: {listed}. Make them equal.",
            name=name,
            listed=listed,
            fault_code="unequal_columns",
        )
    kinds = {type(value) for value in found.values()}
    if len(kinds) > 1:
        raise Problem(
            "Some columns of {name} are lists and some are objects. Use one of them.",
            name=name,
            fault_code="unequal_columns",
        )
    if kinds == {dict}:
        index = list(dict.fromkeys(key for column in found.values() for key in column))
        safe_reading.check_cells(name, len(index), len(found))
        return (_cells({k: column.get(i) for k, column in found.items()}) for i in index)
    rows = zip(*found.values(), strict=True)
    return (_cells(dict(zip(found, row, strict=True))) for row in rows)
