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
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, said
from concord.store.database import scratch


class Joined(NamedTuple):
    """A join: with what and by which key, its rows without a match, and keys that occur again."""

    name: str
    on: str
    rows: int
    unmatched: int
    doubled: int

    def sentence(self) -> str:
        """The counts in words."""
        return said(
            "Joined with {name} by {on}: {unmatched:,} of {rows:,} rows without a match; of "
            "{doubled:,} further rows of a key the first counts.",
            **self._asdict(),
        )


def joined(
    table: Table, joins: Iterable[tuple[str | Path | Table, str]], encoding: str | None = None
) -> tuple[Table, list[Joined]]:
    """The table joined with others, one after the other, each by its key.

    Each is a table, or a file by its path, or a worksheet or list of the same file by its name.
    """
    done = []
    for given, key in joins:
        source = table.source
        if isinstance(given, Table):
            other = given
        elif Path(given).is_file():
            other = open_table(given, encoding=encoding)
        else:
            data = source.path if source.data is None else source.data
            other = open_table(data, source.name, worksheet=str(given))
        name = str(given) if other.source == source else other.source.stem
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
    own, _, their = (word.strip() for word in on.partition("="))
    their = their or own
    for key, columns, file in (
        (own, table.columns, table.source.name),
        (their, other.columns, name),
    ):
        if key not in columns and not (key == own and column_paths.parse(key, columns)):
            raise Problem(
                "{file} has no column “{key}” to join by. Its columns are: {columns}.",
                file=file,
                key=key,
                columns=", ".join(columns),
                fault_code="not_a_column",
            )
    place, db = other.columns.index(their), scratch()
    db.execute("create table joined (key text primary key, cells blob, again) without rowid")
    rows = (
        (key, pickle.dumps([*record.cells[:place], *record.cells[place + 1 :]]))
        for record in other.records()
        if record.fault is None and (key := _key(record.cells[place]))
    )
    again = "on conflict do update set again = again + 1"
    db.executemany(f"insert into joined values (?, ?, 0) {again}", rows)
    (doubled,) = db.execute("select coalesce(sum(again), 0) from joined").fetchone()
    names = [column for column in other.columns if column != their]
    keyed = column_paths.with_paths(table, (*table.columns, own))
    at, width = keyed.columns.index(own), len(table.columns)

    def matched() -> Iterator[tuple[Record, bool]]:
        """Yield each row with its columns, and whether each of its keys is there."""
        for record in keyed.records():
            held = [] if record.fault else column_paths.structured(record.cells[at])
            parts = [*held.values()] if isinstance(held, dict) else held
            parts = parts if isinstance(parts, list) else [held]
            keys = [_key(part.get(their) if isinstance(part, dict) else part) for part in parts]
            select = "select cells from joined where key = ?"
            there = filter(None, (db.execute(select, (key,)).fetchone() for key in keys))
            found = [pickle.loads(row[0]) for row in there]  # written by this process alone
            cells = found[0] if found else [None] * len(names)
            if isinstance(held, list | dict):
                cells = [[row[n] for row in found] or None for n in range(len(names))]
            cells = (*record.cells[:width], *cells)
            yield record._replace(cells=cells), len(found) == len(keys)

    are_matched = Counter(is_there for _, is_there in matched())
    done = Joined(name, on, are_matched.total(), are_matched[False], doubled)
    columns = (*table.columns, *(f"{name}.{c}" if c in table.columns else c for c in names))
    return replace(table, columns=columns, records=lambda: (row for row, _ in matched())), done


def _key(cell: object) -> str:
    return of_cell.shown(column_paths.as_cell(cell)).strip()
