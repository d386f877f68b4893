"""Parquet: typed columns as text, lists and objects.

The datasets of Hugging Face keep a label as its number, and the names of the labels in the metadata
`huggingface` of the schema, under `info.features`: their names are read.
"""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pyarrow
import pyarrow.parquet

from concord.importing.readers import cells as of_cell
from concord.importing.readers import nested, safe_reading
from concord.importing.readers.table import Record, Source, Table, named_columns

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
    named_columns(schema.names, source.name)
    columns = [name for name in schema.names if not name.startswith("__index_level_")]
    safe_reading.check_cells(source.name, rows, len(columns))
    # Texts are read as a dictionary, so that one that is repeated is held once.
    texts = [name for name in columns if schema.field(name).type in _TEXTS]
    labels = _labels(schema)
    shapes = {name: _shape(schema.field(name).type) for name in columns}
    leaves = nested.leaves(shapes, 0 if whole else safe_reading.CELLS // max(1, rows))

    def records() -> Iterator[Record]:
        size, numbers = 0, count(1)
        with source.open() as handle:
            file = pyarrow.parquet.ParquetFile(handle, read_dictionary=texts)
            for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
                values = [
                    _values(column, labels.get(name))
                    for name, column in zip(columns, batch.columns, strict=True)
                ]
                size += sum(
                    len(v) for column in values for v in column if isinstance(v, str | bytes)
                )
                safe_reading.check_size(source, size)
                for cells in zip(*values, strict=True):
                    leaf = nested.values(leaves, dict(zip(columns, cells, strict=True)))
                    yield Record(next(numbers), tuple(map(of_cell.of, leaf)))

    return Table(source, "parquet", tuple(map(".".join, leaves)), records)


def _labels(schema: pyarrow.Schema) -> dict[str, dict[int | None, str | None]]:
    """The names of the labels by column, where -1 is none; empty in a file of no such dataset."""
    try:
        features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
        return {
            name: {None: None, -1: None} | dict(enumerate(map(str, features[name]["names"])))
            for name in {*features} & {*schema.names}
            if features[name].get("_type") == "ClassLabel"
            and pyarrow.types.is_integer(schema.field(name).type)
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _shape(kind: pyarrow.DataType) -> nested.Shape:
    """The shape of a type: a struct is an object with every key in each row."""
    if not pyarrow.types.is_struct(kind):
        return nested.Shape(others=1)
    keys = {one.name: _shape(one.type) for one in kind}
    return nested.Shape(keys, objects=1, present=len(keys))


def _values(column: pyarrow.Array, labels: dict[int | None, str | None] | None = None) -> list[Any]:
    """The values of a column; of labels their names."""
    if isinstance(column, pyarrow.DictionaryArray):
        words = _values(column.dictionary)
        return [None if place is None else words[place] for place in column.indices.to_pylist()]
    values = column.to_pylist()
    if labels is None:
        return values
    return [labels.get(value, of_cell.no_text("a label without a name")) for value in values]
