"""Join of another file, worksheet or list to a table: a left join by equal key.

A row keeps its place whether its key is found or not. A key that occurs again is an error of the
other file, so that its first row counts; both are counted. Of a list of keys, as of the ids of
passages, the columns hold lists. The other file waits in a temporary database.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, Said, said
from concord.store.database import scratch


class Joined(NamedTuple):
    """A join: with what and by which key, its rows without a match, and keys that occur again."""

    name: str
    on: str
    rows: int
    unmatched: int
    doubled: int

    def sentence(self) -> Said:
        """The counts in words."""
        doubled = said(
            " {doubled:,} keys occur more than once there, and their first row counts; several "
            "grades of an answer come in with `grades`.",
            doubled=self.doubled,
        )
        return said(
            "Joined with {name} by {on}: {unmatched:,} of {rows:,} rows without a match.{more}",
            **self._asdict(),
            more=doubled if self.doubled else "",
        )


def joined(
    table: Table, joins: Iterable[tuple[str | Path | Table, str]], encoding: str | None = None
) -> tuple[Table, list[Joined]]:
    """The table joined with others, one after the other, each by its key.

    Each is a table, or a file by its path, or a worksheet or list of the same file by its name.
    """
    done = []
    for given, key in joins:
        other, name = given, str(given)
        if isinstance(given, Table):
            other = given
        elif Path(given).is_file():
            other = open_table(given, encoding=encoding)
        else:
            source = table.source
            data = source.path if source.data is None else source.data
            other = open_table(data, source.name, worksheet=str(given))
        name = str(given) if other.source == table.source else other.source.stem
        table, one = join(table, other, name, key)
        done.append(one)
    return table, done


def join(table: Table, other: Table, name: str, on: str) -> tuple[Table, Joined]:
    """The table with the columns of another, whose row is that of the same key.

    `on` is KEY, or KEY=KEY where the two differ; the first may be a path. A column that both have
    is called by the name of the other one too: `documents.text`.

    Raises:
        Problem: a key is no column.
    """
    own_key, _, their_key = (word.strip() for word in on.partition("="))
    their_key = their_key or own_key
    for key, columns, file in (
        (own_key, table.columns, table.source.name),
        (their_key, other.columns, name),
    ):
        if key not in columns and not (key == own_key and column_paths.parse(key, columns)):
            raise Problem(
                "{file} has no column “{key}” to join by. Its columns are: {columns}.",
                file=file,
                key=key,
                columns=", ".join(columns),
                fault_code="not_a_column",
            )
    place = other.columns.index(their_key)
    theirs = [n for n in range(len(other.columns)) if n != place]
    names = [other.columns[n] for n in theirs]
    rows = _Rows()
    rows.fill(
        (_key(record.cells[place]), [record.cells[n] for n in theirs])
        for record in other.records()
        if record.fault is None
    )

    def with_theirs(record: Record) -> tuple[Record, bool]:
        keys = [] if record.fault else _keys(table, record, own_key, their_key)
        if isinstance(keys, list):
            found = [row for key in keys if (row := rows.of(key))]
            cells = [[row[n] for row in found] or None for n in range(len(names))]
            return record._replace(cells=(*record.cells, *cells)), len(found) == len(keys)
        row = rows.of(keys)
        return record._replace(cells=(*record.cells, *(row or [None] * len(names)))), bool(row)

    matched = Counter(matches for _, matches in map(with_theirs, table.records()))
    done = Joined(name, on, matched.total(), matched[False], rows.doubled)
    columns = (*table.columns, *(f"{name}.{c}" if c in table.columns else c for c in names))

    def records() -> Iterator[Record]:
        return (record for record, _ in map(with_theirs, table.records()))

    return replace(table, columns=columns, records=records), done


class _Rows:
    """Rows by key in a temporary database; the first of a key counts."""

    def __init__(self):
        self._db = scratch()
        self._db.execute("create table joined (key text primary key, cells blob) without rowid")
        self.doubled = 0

    def fill(self, rows: Iterable[tuple[str, list[Cell]]]) -> None:
        given = [0]

        def counted() -> Iterator[tuple[str, bytes]]:
            for key, cells in rows:
                given[0] += bool(key)
                if key:
                    yield key, pickle.dumps(cells)

        self._db.executemany("insert or ignore into joined values (?, ?)", counted())
        self.doubled = given[0] - self._db.execute("select count(*) from joined").fetchone()[0]

    def of(self, key: str) -> list[Cell] | None:
        """The row of a key; None where there is no such one."""
        row = self._db.execute("select cells from joined where key = ?", (key,)).fetchone()
        return row and pickle.loads(row[0])  # written by this process alone


def _cell(table: Table, record: Record, key: str) -> object:
    """The value of a column, or of a path into one."""
    if key in table.columns:
        return record.cells[table.columns.index(key)]
    path = column_paths.parse(key, table.columns)
    held = column_paths.structured(record.cells[table.columns.index(path.head)])
    return column_paths.follow(held, path.rest, {})


def _keys(table: Table, record: Record, own: str, their: str) -> str | list[str]:
    """The key of a row, or those in a list, of whose objects each has it under the other key."""
    held = column_paths.structured(_cell(table, record, own))
    if not isinstance(held, list | dict):
        return _key(held)
    parts = held.values() if isinstance(held, dict) else held
    return [_key(part.get(their) if isinstance(part, dict) else part) for part in parts]


def _key(cell: object) -> str:
    return of_cell.shown(column_paths.as_cell(cell)).strip()
