"""Restore: a scratch database rebuilt from an export, to recompute statistics with."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow
import pyarrow.parquet

from concord.exporting.exported_tables import TABLES
from concord.importing.readers import safe_reading
from concord.messages import Problem, said, system_fault
from concord.model import EXTRA_FIELDS
from concord.store.database import Store, open_store

# The tables of an export that are not named after the table they hold.
_NAMED_OTHERWISE = {"grades": "grade_history"}


@contextmanager
def restored(folder: str | Path, up_to: Mapping[str, int] | None = None) -> Iterator[Store]:
    """Yield a temporary store with the contents of an export; deleted when the block ends.

    `up_to` is the last row to restore by table, for the state at that time; other tables are
    restored whole.

    Raises:
        Problem: The folder is not an export, or one of its files cannot be read.
    """
    folder, up_to = Path(folder), up_to or {}
    with tempfile.TemporaryDirectory() as place, open_store(Path(place) / "restored.db") as store:
        store.execute("pragma foreign_keys = off")  # an export of one sheet leaves others out
        with safe_reading.reading(lambda: _damaged(folder)), store.write():
            for table in ("grades", *TABLES):
                path = folder / f"{_NAMED_OTHERWISE.get(table, table)}.parquet"
                _take(store, table, _head(_read(path), up_to.get(table)))
            _take(store, "items", _items(_read(folder / "items.parquet"), folder))
        yield store


def _damaged(folder: Path) -> str:
    return said(
        "The export in {folder} is damaged, or of another version. Export it again.", folder=folder
    )


def _read(path: Path) -> pyarrow.Table:
    try:
        return pyarrow.parquet.read_table(path)
    except FileNotFoundError:
        raise Problem(
            "{folder} is not an export of Concord: it has no {file}. Write one with `export DIR`, "
            "and name its folder.",
            folder=path.parent,
            file=path.name,
        ) from None
    except OSError as error:
        if error.errno is None:  # Arrow's own, for a damaged page
            raise
        raise Problem(
            "{path} cannot be read: {why}. Check the path.", path=path, why=system_fault(error)
        ) from None


def _head(rows: pyarrow.Table, last: int | None) -> pyarrow.Table:
    if last is None or not len(rows):
        return rows
    return rows.filter(pyarrow.compute.field("id") <= last)


def _items(rows: pyarrow.Table, folder: Path) -> pyarrow.Table:
    """The items as the database holds them; each is identified by its own row."""
    ids = _read(folder / "sheets.parquet")
    sheets = dict(zip(ids["name"].to_pylist(), ids["id"].to_pylist(), strict=True))
    taken = rows.drop_columns(["sheet", "item_id", "cluster", "question", "item_row"])
    taken = taken.drop_columns(["question_id", "question_row", *EXTRA_FIELDS])
    more = {
        "id": rows["item_row"],
        "question_id": rows["question_row"],
        "own_id": rows["item_id"],
        "identity": rows["item_row"].cast(pyarrow.string()),
        "sheet_id": pyarrow.array([sheets[name] for name in rows["sheet"].to_pylist()]),
    }
    for name, column in more.items():
        taken = taken.append_column(name, column)
    return taken


def _take(store: Store, table: str, rows: pyarrow.Table) -> None:
    columns = (column.to_pylist() for column in rows.columns)
    store.insert_many(table, rows.column_names, zip(*columns, strict=True))
