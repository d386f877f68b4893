"""Grades in a tool's export of answers, for answers that a sheet has already, by id."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.importing.columns import column_map, opened
from concord.importing.fields import GRADE_FIELDS
from concord.importing.item_rows import ItemRows
from concord.importing.proposals import profiles
from concord.importing.readers import cells as of_cell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
from concord.importing.recognition.export import nothing_to_import
from concord.importing.recognition.recognise import GRADES, OF_GRADE, recognised, records
from concord.model import Sheet, item_key, named_by_question
from concord.store import items
from concord.store.additions import SameAnswers
from concord.store.database import Store
from concord.store.spool import Spool


def id_words(table: Table, known: Collection[str]) -> list[str]:
    """The words of a column map that name stored answers by their values; none in doubt.

    That is the column of their ids, whatever it is called, else one of ids of questions with one of
    answering models. None where the column that is named so holds their ids. `known` are the keys
    of stored answers. A few recurring numbers are no ids: they may be scores.
    """
    columns = column_map(table.columns, fields=GRADE_FIELDS)
    named, free = columns.column("item_id"), columns.leftovers
    texts = {
        one.column: set() if one.looks == "score" else {*one.texts}
        for one in profiles(table)
        if one.column in (named, *free)
    }
    hits = [c for c, own in texts.items() if own and all(item_key(text) in known for text in own)]
    if named in hits:
        return []
    most = max((len(texts[column]) for column in hits), default=0)
    best = [column for column in hits if len(texts[column]) == most]
    if len(best) == 1:
        return [f"item_id={best[0]}"]
    is_blank = named and not texts[named]
    if is_blank or not columns.fields.keys().isdisjoint(("question_id", "question")):
        return []
    pairs = [pair for pair in map(named_by_question, known) if pair]
    questions, models = {question for question, _ in pairs}, {model for _, model in pairs}
    ids = [column for column, own in texts.items() if own and own <= questions]
    if len(ids) != 1:
        return []
    by = [column for column in free if texts[column] and texts[column] <= models]
    return [
        f"question_id={ids[0]}",
        *(["item_id="] if ids[0] == named else []),
        *(f"answer_model={column}" for column in by if len(by) == 1),
    ]


# Formats of which a user may also map the columns.
_PLAIN = ("csv", "tsv", "parquet")
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
    if table is not None:
        if table.origin.of == "grades":
            return table
        made, is_stored = _of_stored(store, sheet(), table)
        is_plain = table.format in _PLAIN
        if made.columns and (is_stored or not is_plain):
            return made
        if table.origin.left_out and not is_plain:
            raise nothing_to_import(table.source.name, table.origin.tool, table.origin.left_out)
    return open_table(given, name, worksheet=worksheet, **how)


def stored_id_words(store: Store, sheet: Sheet, table: Table) -> list[str]:
    """The map of the columns whose values name the sheet's answers; none where names say so."""
    known = items.item_keys(store, sheet.id)
    return id_words(table, {key for key, answer in known.items() if answer is not None})


def _of_stored(store: Store, sheet: Sheet, table: Table) -> tuple[Table, bool]:
    """The grades of an export as a table, and whether any of its answers is stored."""
    same, names = SameAnswers(store, sheet.id), items.answer_names(store, sheet.id)
    known, rows, is_stored = items.item_keys(store, sheet.id), Spool(), False
    filled: dict[str, None] = {}
    words = [word for word in table.origin.words if f"={GRADES}." not in word]
    columns = column_map(table.columns, words)
    with_paths = opened(table, columns)
    reader = ItemRows(with_paths.columns, columns)
    place = table.columns.index(GRADES) if GRADES in table.columns else None
    for record in with_paths.records() if place is not None else ():
        (read,) = reader.read([record])
        for item in read.items:
            found = same.only(item, sheet.answer_models)
            is_stored = is_stored or found is not None
            name = (
                names.get(found) or item.own_id or " ".join(item.question.split())[:_LONGEST_NAME]
            )
            while found is None and item_key(name) in known:
                name += "…"
            for grade in record.cells[place] or ():
                cells = {to: of_cell.of(grade[of]) for of, to in OF_GRADE.items() if of in grade}
                filled |= dict.fromkeys(("item_id", *cells))
                rows.add({"item_id": name, **cells}, len(str(cells)))
    columns = tuple(filled)
    origin = replace(
        table.origin,
        of="grades",
        words=tuple(f"{column}={column}" for column in columns),
        answers=0,
        answer_models={},
    )
    cells = lambda: records(rows, columns)  # noqa: E731
    return replace(table, columns=columns, records=cells, origin=origin), is_stored
