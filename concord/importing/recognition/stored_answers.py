"""Grades in a tool's export of answers, for answers that a sheet has already, by id."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.importing.columns import column_map, opened
from concord.importing.item_rows import ItemRows
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
from concord.importing.recognition.export import nothing_to_import
from concord.importing.recognition.recognise import (
    GRADES,
    fields_of_grade,
    recognised,
    records,
)
from concord.model import Sheet, item_key
from concord.store import items
from concord.store.additions import SameAnswers
from concord.store.database import Store
from concord.store.spool import Spool

# Formats of which a user may also map the columns.
_PLAIN = ("csv", "parquet")
_LONGEST_NAME = 60


def open_grades_of(
    store: Store,
    sheet: Callable[[], Sheet],
    given: bytes | str | Path,
    name: str = "",
    *,
    worksheet: str | None = None,
    **how: Any,
) -> Table:
    """The table of a file of grades; of an export with answers, the grades of a sheet's answers.

    Such a table has a row per grade. An answer is the stored one with its question and text. One
    that is not stored keeps a name that no stored answer has, so that its rows are refused.

    Raises:
        Problem: as `recognise.open_file`; or the export left out every grade.
    """
    table = None if worksheet else recognised(given, name, **how)
    if table is None:
        return open_table(given, name, worksheet=worksheet, **how)
    origin = table.origin
    if origin.of == "grades":
        return table
    made, is_stored = _grades_of(store, sheet(), table)
    if made.columns and (is_stored or table.format not in _PLAIN):
        return made
    if origin.left_out and table.format not in _PLAIN:
        raise nothing_to_import(table.source.name, origin.tool, origin.left_out)
    return open_table(given, name, **how)


def _grades_of(store: Store, sheet: Sheet, table: Table) -> tuple[Table, bool]:
    """The grades of an export as a table, and whether any of its answers is stored."""
    same, names = SameAnswers(store, sheet.id), items.answer_names(store, sheet.id)
    known, rows, is_stored = items.item_keys(store, sheet.id), Spool(), False
    filled: dict[str, None] = {}
    words = [word for word in table.origin.words if f"={GRADES}." not in word]
    columns = column_map(table.columns, words)
    with_paths = opened(table, columns)
    reader = ItemRows(with_paths.columns, columns)
    for record in with_paths.records():
        try:
            answers, _ = reader.read(record)
        except BadCell:
            continue
        grades = dict(zip(table.columns, record.cells, strict=False)).get(GRADES)
        for item in answers:
            stored = same.only(item, sheet.answer_models)
            is_stored = is_stored or stored is not None
            name = names.get(stored) or item.own_id
            name = name or " ".join(item.question.split())[:_LONGEST_NAME]
            while stored is None and item_key(name) in known:
                name += "…"
            for grade in grades or ():
                cells = fields_of_grade(grade) | {"item_id": name}
                filled |= dict.fromkeys(cells)
                rows.add(cells, len(str(cells)))
    columns = tuple(filled)
    origin = replace(
        table.origin,
        of="grades",
        words=tuple(f"{column}={column}" for column in columns),
    )
    made = replace(table, columns=columns, records=lambda: records(rows, columns), origin=origin)
    return made, is_stored
