"""Imports in the store: every file that was taken in, and which answers and grades it holds."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem
from concord.model import EXTRA_FIELDS, Item
from concord.store.database import Store

SHEET, GRADES = "sheet", "grades"


class Import(NamedTuple):
    """One file that was taken in; `kind` is 'sheet' or 'grades'.

    `number` is what `sheets --undo` takes. `encoding`: None if it is not text; `rows`: None if
    unknown. `answers` and `grades` are those it brought; what was stored already is not counted.
    """

    number: int
    kind: str
    file: str
    sha256: str
    columns: list[str]
    encoding: str | None
    rows: int | None
    answers: int
    grades: int
    imported_at: str
    undone_at: str | None
    undone_by: str | None


_BROUGHT = "(select count(*) from import_{0} t where t.import_id = m.id and t.brought)"
_IMPORT = (
    "select m.id, m.kind, m.source_name, m.sha256, m.column_map, m.encoding,"
    f" json_extract(m.counts, '$.rows'), {_BROUGHT.format('items')}, {_BROUGHT.format('grades')},"
    " m.imported_at, m.undone_at, m.undone_by from imports m where m.sheet_id = ?"
    " order by m.id"
)


def of_sheet(store: Store, sheet_id: int) -> list[Import]:
    """Return the files a sheet and its grades came from, oldest first."""
    found = [Import(*row) for row in store.rows(_IMPORT, (sheet_id,))]
    return [one._replace(columns=json.loads(one.columns).get("columns", [])) for one in found]


def numbered(store: Store, sheet_id: int, number: int) -> Import:
    """Return the import of that number; a Problem that lists those of the sheet where unknown."""
    known = {one.number: one for one in of_sheet(store, sheet_id)}
    if number not in known:
        raise Problem(
            "The sheet has no import {number}. Its imports are: {known}.",
            number=number,
            known=", ".join(map(str, known)) or "none",
        )
    return known[number]


def log(
    store: Store,
    sheet_id: int,
    kind: str,
    source_name: str,
    sha256: str,
    column_map: dict,
    encoding: str | None,
    counts: dict,
) -> int:
    """Note a file that is taken in and return the number of its import; inside `write()`."""
    return store.insert(
        "imports",
        sheet_id=sheet_id,
        kind=kind,
        source_name=source_name,
        sha256=sha256,
        column_map=json.dumps(column_map, ensure_ascii=False),
        encoding=encoding,
        counts=json.dumps(counts, ensure_ascii=False),
        imported_at=now(),
    )


def newest(store: Store, sheet_id: int) -> int:
    """Return the number of a sheet's newest import."""
    return store.value("select max(id) from imports where sheet_id = ?", (sheet_id,))


def last_id(store: Store, table: str) -> int:
    """Return the highest id of a table; 0 for an empty one."""
    return store.value(f"select coalesce(max(id), 0) from {table}")


_TRACED = ("import_id", "item_id", "brought", "told", "row")


def trace_new(store: Store, number: int, ids: Collection[int], items: Collection[Item]) -> None:
    """Record answers that came with a file, by id; inside the `write()` that added them."""
    told = [extra_fields_json(item.metadata, EXTRA_FIELDS) for item in items]
    rows = [item.row for item in items]
    if isinstance(ids, range) and rows == [*range(rows[0], rows[0] + len(rows))] and not any(told):
        # Most files give one answer per row: one statement then takes a third of the time.
        store.execute(
            "insert into import_items (import_id, item_id, brought, row)"
            " select ?, id, 1, nullif(id - ?, 0) from items where id between ? and ?",
            (number, ids[0] - rows[0], ids[0], ids[-1]),
        )
        return
    given = zip(ids, told, rows, strict=True)
    traced = ((number, id_, 1, one, row or None) for id_, one, row in given)
    store.insert_many("import_items", _TRACED, traced)


def trace_stored(
    store: Store,
    number: int,
    returned: Mapping[int, Item],
    repeated: Iterable[tuple[int, int, str | None]],
) -> None:
    """Record which answers of a file were stored before it; inside `write()`.

    `returned` are answers of an undone import that came back, by id, and `repeated` those stored
    already: id, row of the file, and its extra fields (`told_of`).
    """
    trace_new(store, number, returned.keys(), returned.values())
    rows = ((number, id_, 0, told, row or None) for id_, row, told in repeated)
    store.insert_many("import_items", _TRACED, rows)


def trace_grades(store: Store, number: int, after: int, repeated: Iterable[int]) -> None:
    """Record which grades a file holds: those newer than `after`, and those stored already."""
    store.execute(
        "insert into import_grades (import_id, grade_id, brought)"
        " select ?, id, 1 from grades where id > ?",
        (number, after),
    )
    store.connection.executemany(
        "insert or ignore into import_grades (import_id, grade_id, brought) values (?, ?, 0)",
        ((number, grade_id) for grade_id in repeated),
    )


def extra_fields_json(metadata: dict, added: frozenset[str]) -> str | None:
    """Extra fields as JSON, with 1 for those that the file added; None without any."""
    if not metadata:
        return None
    fields = {field: int(field in added) for field in sorted(EXTRA_FIELDS & metadata.keys())}
    return json.dumps(fields) if fields else None
