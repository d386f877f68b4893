"""Grades in a tool's export of answers, for answers that a sheet already has."""

from collections.abc import Iterator
from dataclasses import replace

from concord.importing.column_paths import as_cell
from concord.importing.columns import column_map, opened
from concord.importing.item_rows import ItemRows
from concord.importing.proposals.stored_ids import id_words
from concord.importing.readers import json_files
from concord.importing.readers.table import GRADES, Record, Table
from concord.importing.recognition.export import nothing_to_import
from concord.importing.recognition.recognise import OF_GRADE, open_grades, recognised
from concord.importing.spool import RowSpool
from concord.model import Item, Sheet, item_key
from concord.store import items
from concord.store.additions import SameAnswers
from concord.store.database import Store

# Formats of which a user may also map the columns.
_PLAIN = ("csv", "tsv", "parquet")
_LONGEST_NAME = 60


def open_grades_of(
    store: Store,
    sheet: Sheet,
    given: bytes,
    name: str,
    *,
    encoding: str | None = None,
    worksheet: str | None = None,
    max_bytes: int | None = None,
) -> Table:
    """The table of a file of grades; of an export with answers, the grades of stored answers.

    Such a table has a row per grade. An answer is the stored one with its question and text. One
    that is not stored keeps a name that no stored answer has, so that its rows are refused.

    Raises:
        Problem: as `recognise.open_file`; or the export left out every grade.
    """
    how = {"encoding": encoding, "max_bytes": max_bytes}
    found = None if worksheet else recognised(given, name, **how)
    if found is not None and found.origin and found.origin.of == "answers":
        table, count = _of_stored(store, sheet, found)
        if table.columns and (count or found.format not in _PLAIN):
            return table
        if found.origin.left_out and found.format not in _PLAIN:
            raise nothing_to_import(found.source.name, found.origin.tool, found.origin.left_out)
    return open_grades(given, name, worksheet=worksheet, **how)


def stored_id_words(store: Store, sheet: Sheet, table: Table) -> list[str]:
    """The map of the columns whose values name the sheet's answers; none where names say so."""
    known = items.item_keys(store, sheet.id)
    return id_words(table, {key for key, answer in known.items() if answer is not None})


def _of_stored(store: Store, sheet: Sheet, table: Table) -> tuple[Table, int]:
    """The grades of an export as a table, and how many of its answers are stored."""
    same, names = SameAnswers(store, sheet.id), items.answer_names(store, sheet.id)
    known, rows, stored = items.item_keys(store, sheet.id), RowSpool(), 0
    for item, grades in _graded(table):
        found = same.only(item, sheet.answer_models)
        stored += found is not None
        named = names[found] if found is not None else _unknown(item, known)
        for grade in grades:
            fields = {to: grade[of] for of, to in OF_GRADE.items() if of in grade}
            cells = {to: as_cell(json_files.cell(value)) for to, value in fields.items()}
            rows.add({"item_id": named, **cells})
    columns = ("item_id", *(column for column in rows.columns if column != "item_id"))
    origin = replace(
        table.origin, of="grades", words=tuple(f"{column}={column}" for column in columns)
    )
    made = replace(
        table,
        columns=columns if rows.count else (),
        records=lambda: (
            Record(n, None, tuple(map(row.get, columns))) for n, row in enumerate(rows, 1)
        ),
        origin=origin,
    )
    return made, stored


def _graded(table: Table) -> Iterator[tuple[Item, list[dict]]]:
    """Yield each answer of an export that has grades, with these."""
    words = [word for word in table.origin.words if f"={GRADES}." not in word]
    columns = column_map(table.columns, words)
    with_paths = opened(table, columns)
    reader = ItemRows(with_paths.columns, columns)
    place = table.columns.index(GRADES) if GRADES in table.columns else None
    for record in with_paths.records() if place is not None else ():
        (read,) = reader.read([record])
        for item in read.items:
            yield item, record.cells[place] or []


def _unknown(item: Item, known: items.ItemKeys) -> str:
    """What an answer that is not stored is called, which no stored one is."""
    name = item.own_id or " ".join(item.question.split())[:_LONGEST_NAME]
    while item_key(name) in known:
        name += "…"
    return name
