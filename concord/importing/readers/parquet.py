"""Parquet: typed columns as text, lists and objects.

The datasets of Hugging Face keep a label as its number, and the names of the labels in the metadata
`huggingface` of the schema, under `info.features`: their names are read.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pyarrow
import pyarrow.parquet

from concord.importing.readers import cells as of_cell
from concord.importing.readers import nested, safe_reading
from concord.importing.readers.cells import BadCell, Cell, Damaged
from concord.importing.readers.table import Record, Source, Table
from concord.messages import Problem, said

_BATCH_ROWS = 1000
_TEXTS = {pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.large_binary()}


def read(source: Source) -> Table:
    """A table of a Parquet file; whole numbers as text without .0, null and NaN as no cell.

    Raises:
        Problem: it is damaged, two columns have the same name, or it unpacks to too much.
    """
    with source.open() as handle, _damage_named(source.name):
        file = pyarrow.parquet.ParquetFile(handle)
        schema, rows = file.schema_arrow, file.metadata.num_rows
    twice = sorted(name for name, times in Counter(schema.names).items() if times > 1)
    if twice:
        raise Problem(
            "{name} has more than one column named {listed}. Give them different names.",
            name=source.name,
            listed=safe_reading.listed(twice),
            fault_code="name_twice",
        )
    columns = tuple(name for name in schema.names if not name.startswith("__index_level_"))
    if not columns:
        raise Problem(
            "{file} has no columns. Save it again.", file=source.name, fault_code="no_columns"
        )
    safe_reading.check_cells(source.name, rows, len(columns))
    texts = [name for name in columns if schema.field(name).type in _TEXTS]
    labels = _labels(schema, columns)
    whole = Table(
        source,
        "parquet",
        columns,
        lambda: _records(source, columns, texts, labels),
        notes=_named(labels),
    )
    shapes = {name: _shape(schema.field(name).type) for name in columns}
    leaves = nested.leaves(shapes, safe_reading.CELLS // max(1, rows))
    if not any(leaf.keys for leaf in leaves):
        return whole
    return replace(
        whole,
        columns=tuple(leaf.name for leaf in leaves),
        records=lambda: (_with_leaves(record, columns, leaves) for record in whole.records()),
        whole=lambda: whole,
    )


def _labels(schema: pyarrow.Schema, columns: tuple[str, ...]) -> dict[str, list[str]]:
    """The names of the labels by column of labels; none in a file of no Hugging Face dataset."""
    try:
        given = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        features = given["info"]["features"]
        return {
            name: list(map(str, features[name]["names"]))
            for name in columns
            if name in features and features[name].get("_type") == "ClassLabel"
            and pyarrow.types.is_integer(schema.field(name).type)
        }  # fmt: skip
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _named(labels: dict[str, list[str]]) -> tuple[str, ...]:
    if not labels:
        return ()
    names = safe_reading.listed(labels)
    return (said("Hugging Face dataset: the labels of {names} are read as words.", names=names),)


def _shape(kind: pyarrow.DataType) -> nested.Shape:
    """The shape of a type: a struct is an object with every key in each row."""
    if not pyarrow.types.is_struct(kind):
        return nested.Shape(others=1)
    keys = {one.name: _shape(one.type) for one in kind}
    return nested.Shape(keys, objects=1, present=len(keys))


def _with_leaves(record, columns, leaves):
    given = dict(zip(columns, record.cells, strict=True))
    return record._replace(cells=tuple(map(_leaf, nested.values(leaves, given))))


def _leaf(value) -> Cell:
    """A value of an object as a cell; what is a cell already stays."""
    return value if isinstance(value, str | list | dict | Damaged) else _cell(value)


def _records(source, columns, texts, labels) -> Iterator[Record]:
    """Texts are read as a dictionary, so that one that is repeated is held once."""
    number = size = 0
    with source.open() as handle, _damage_named(source.name):
        file = pyarrow.parquet.ParquetFile(handle, read_dictionary=texts)
        for batch in file.iter_batches(_BATCH_ROWS, columns=list(columns)):
            values = [
                _words(column, labels[name]) if name in labels else _values(column)
                for name, column in zip(columns, batch.columns, strict=True)
            ]
            size += sum(len(v) for column in values for v in column if isinstance(v, str))
            safe_reading.check_size(source, size)
            for cells in zip(*values, strict=True):
                number += 1
                yield Record(number, None, cells)


@contextmanager
def _damage_named(name):
    """Report a damaged length, which requests absurd amounts of memory, as damage."""
    try:
        yield
    except pyarrow.ArrowMemoryError:
        raise Problem(safe_reading.damaged(name)) from None


def _values(column: pyarrow.Array) -> list[Cell]:
    if isinstance(column, pyarrow.DictionaryArray):
        words = _values(column.dictionary)
        return [None if place is None else words[place] for place in column.indices.to_pylist()]
    try:
        return [_cell(value) for value in column.to_pylist()]
    except (ValueError, OverflowError):
        return [_value(scalar) for scalar in column]


def _words(column: pyarrow.Array, names: list[str]) -> list[Cell]:
    """Labels as their names; -1 is no label."""
    return [_word(place, names) for place in column.to_pylist()]


def _word(place: int | None, names: list[str]) -> Cell:
    if place is None or place == -1:
        return None
    if 0 <= place < len(names):
        return names[place]
    return Damaged(
        said(
            "the label {number} has no name in the features of the dataset. Correct it, or store "
            "the column as text.",
            number=str(place),
            fault_code="not_text",
        )
    )


def _value(scalar: pyarrow.Scalar) -> Cell:
    """One value of a column that holds some that Python cannot: a date after the year 9999."""
    try:
        return _cell(scalar.as_py())
    except (ValueError, OverflowError):
        return Damaged(
            said(
                "the cell contains a {kind} that cannot be converted to text. Correct it, or store "
                "the column as text.",
                kind=str(scalar.type),
                fault_code="not_text",
            )
        )


def _cell(value) -> Cell:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        try:
            return _plain(of_cell.nested(value))
        except BadCell as fault:
            return Damaged(str(fault))
    if isinstance(value, bytes):
        return _text(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _plain(value):
    """A nested value with nothing in it but what JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)


def _text(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        return Damaged(
            said(
                "the cell contains bytes that are not UTF-8. Store it as text.",
                fault_code="not_text",
            )
        )
