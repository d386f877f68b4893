"""Parquet: typed columns as text, lists and objects."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow
import pyarrow.parquet

from data.files.source import Source
from data.files.table import Cell, Damaged, Record, Table
from problems import Problem
from words.said import said

_BATCH_ROWS = 1000


def read(source: Source) -> Table:
    """A table of a Parquet file; whole numbers as text without .0, null and NaN as no cell.

    Raises:
        Problem: it is damaged, or two columns have the same name.
    """
    with source.open() as handle, _damage_named(source.name):
        names = pyarrow.parquet.ParquetFile(handle).schema_arrow.names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Problem(
            said(
                "{file} has more than one column named {names}.",
                file=source.name,
                names=", ".join(twice),
            )
        )
    columns = tuple(name for name in names if not name.startswith("__index_level_"))
    return Table(source, "parquet", columns, lambda: _records(source, columns))


def _records(source, columns) -> Iterator[Record]:
    number = 0
    with source.open() as handle, _damage_named(source.name):
        file = pyarrow.parquet.ParquetFile(handle)
        for batch in file.iter_batches(_BATCH_ROWS, columns=list(columns)):
            values = [[_cell(value) for value in column.to_pylist()] for column in batch.columns]
            for cells in zip(*values, strict=True):
                number += 1
                yield Record(number, None, cells)


@contextmanager
def _damage_named(name):
    try:
        yield
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        raise Problem(
            said("{name} is damaged or is not a Parquet file. Save it again, or as CSV.", name=name)
        ) from None


def _cell(value) -> Cell:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return _plain(value)
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
        return Damaged(said("the cell holds bytes that are not UTF-8 text. Store it as text."))
