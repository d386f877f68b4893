"""Parquet: typed columns as text, lists and objects.

The datasets of Hugging Face keep a label as its number, and the names of the labels in the metadata
`huggingface` of the schema, under `info.features`: their names are read.
"""

import json
from collections.abc import Iterator
from typing import Any

import pyarrow
import pyarrow.parquet

from concord.importing.readers import cells as of_cell
from concord.importing.readers import nested, safe_reading
from concord.importing.readers.cells import Cell, Damaged
from concord.importing.readers.table import Record, Source, Table, refuse_twice
from concord.messages import Problem, said

_BATCH_ROWS = 1000
_TEXTS = {pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.large_binary()}


def read(source: Source, whole: bool = False) -> Table:
    """A table of a Parquet file; whole numbers as text without .0, null and NaN as no cell.

    With `whole`, nested objects are single cells.

    Raises:
        Problem: it is damaged, two columns have the same name, or it unpacks to too much.
    """
    with source.open() as handle:
        file = pyarrow.parquet.ParquetFile(handle)
        schema, rows = file.schema_arrow, file.metadata.num_rows
    refuse_twice(schema.names, source.name)
    columns = tuple(name for name in schema.names if not name.startswith("__index_level_"))
    if not columns:
        raise Problem(
            "{file} has no columns. Save it again.", file=source.name, fault_code="no_columns"
        )
    safe_reading.check_cells(source.name, rows, len(columns))
    texts = [name for name in columns if schema.field(name).type in _TEXTS]
    labels = _labels(schema, columns)
    shapes = {name: _shape(schema.field(name).type) for name in columns}
    most = 0 if whole else safe_reading.CELLS // max(1, rows)
    leaves = nested.leaves(shapes, most)

    def records() -> Iterator[Record]:
        for number, cells in enumerate(_rows(source, columns, texts, labels), 1):
            values = nested.values(leaves, dict(zip(columns, cells, strict=True)))
            yield Record(number, None, tuple(map(_leaf, values)) if is_opened else cells)

    is_opened = leaves != tuple((name,) for name in columns)
    named = safe_reading.listed(labels)
    note = said("Hugging Face dataset: the labels of {names} are read as words.", names=named)
    columns_of = tuple(map(".".join, leaves))
    return Table(source, "parquet", columns_of, records, notes=(note,) if labels else ())


def _leaf(value: Any) -> Cell:
    """A value of an object as a cell; what is a cell already stays."""
    return value if isinstance(value, str | list | dict | Damaged) else of_cell.of(value)


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


def _shape(kind: pyarrow.DataType) -> nested.Shape:
    """The shape of a type: a struct is an object with every key in each row."""
    if not pyarrow.types.is_struct(kind):
        return nested.Shape(others=1)
    keys = {one.name: _shape(one.type) for one in kind}
    return nested.Shape(keys, objects=1, present=len(keys))


def _rows(source, columns, texts, labels) -> Iterator[tuple[Cell, ...]]:
    """Texts are read as a dictionary, so that one that is repeated is held once."""
    size = 0
    with source.open() as handle:
        file = pyarrow.parquet.ParquetFile(handle, read_dictionary=texts)
        for batch in file.iter_batches(_BATCH_ROWS, columns=list(columns)):
            values = [
                _values(column, labels.get(name))
                for name, column in zip(columns, batch.columns, strict=True)
            ]
            size += sum(len(v) for column in values for v in column if isinstance(v, str))
            safe_reading.check_size(source, size)
            yield from zip(*values, strict=True)


def _values(column: pyarrow.Array, labels: list[str] | None = None) -> list[Cell]:
    """The cells of a column; of labels their names, where -1 is no label."""
    if isinstance(column, pyarrow.DictionaryArray):
        words = _values(column.dictionary)
        return [None if place is None else words[place] for place in column.indices.to_pylist()]
    if labels is not None:
        return [_label(place, labels) for place in column.to_pylist()]
    try:
        return [of_cell.of(value) for value in column.to_pylist()]
    except (ValueError, OverflowError):
        return [_value(scalar) for scalar in column]


def _label(place: int | None, labels: list[str]) -> Cell:
    if place in (None, -1):
        return None
    if 0 <= place < len(labels):
        return labels[place]
    return Damaged(_no_text(said("label {n} without a name", n=str(place))))


def _value(scalar: pyarrow.Scalar) -> Cell:
    """One value of a column that holds some that Python cannot: a date after the year 9999."""
    try:
        return of_cell.of(scalar.as_py())
    except (ValueError, OverflowError):
        return Damaged(_no_text(str(scalar.type)))


def _no_text(what: str) -> str:
    return said(
        "the cell contains a value that is no text ({what}). Correct it, or store the column as "
        "text.",
        what=what,
        fault_code="not_text",
    )
