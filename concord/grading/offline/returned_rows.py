"""Rows of a returned package as they are in the file, before any check.

Pure. Files are a worksheet, or CSV saved from it, with a column of row codes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from concord.grading.offline.package_columns import (
    CODE,
    HEADINGS,
    NOTE,
    TEXTS,
    part_heading,
    score_headings,
    score_key,
)
from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import BadRow, Record, Table
from concord.messages import Problem, said
from concord.rubrics.model import Rubric


class Back(NamedTuple):
    """One returned row.

    `code` is '' where missing; `texts` are those in the file, by part; `said` is the cell of each
    criterion's score.
    """

    record: Record
    code: str
    texts: Mapping[str, str]
    said: Mapping[str, Cell]
    note: str


class Returned(NamedTuple):
    """A returned file, with the number of its records.

    `bad` are unreadable rows, `columns` the column names by contents (CODE, texts, criteria),
    `notes` sentences on skipped content.
    """

    table: Table
    rows: list[Back]
    bad: list[BadRow]
    columns: Mapping[str, str]
    notes: list[str]
    records: int = 0


def code_column(table: Table) -> str | None:
    """Return the column of row codes; None without one."""
    meant = {folded(CODE), folded(HEADINGS[CODE])}
    return next((name for name in table.columns if folded(name) in meant), None)


def codes(table: Table) -> Iterator[str]:
    """Yield every row code of such a file, unchanged."""
    place = table.columns.index(code_column(table))
    for record in table.records():
        cell = record.cells[place] if place < len(record.cells) else None
        if isinstance(cell, str):
            yield plain_code(cell)


def plain_code(cell: str) -> str:
    """Return a row code without what a program may have added or changed."""
    return cell.strip().casefold()


def read(table: Table, rubric: Rubric) -> Returned:
    """Return the rows of such a file; a Problem where a score column is missing."""
    columns = _columns(table, rubric)
    places = {name: [table.columns.index(one) for one in found] for name, found in columns.items()}
    rows, bad, count = [], [], 0
    for record in table.records():
        if record.fault is None and all(map(of_cell.is_blank, record.cells)):
            continue
        count += 1
        try:
            rows.append(_back(record, places, rubric))
        except BadCell as fault:
            bad.append(table.bad(record, fault.column, str(fault)))
    used = {one for found in columns.values() for one in found}
    notes = [
        said(
            "Column “{name}” is not part of the package and is left out.",
            name=of_cell.excerpt(name),
        )
        for name in table.columns
        if name not in used
    ]
    first = {name: found[0] for name, found in columns.items()}
    return Returned(table, rows, bad, first, notes, count)


def _back(record: Record, places: Mapping[str, Sequence[int]], rubric: Rubric) -> Back:
    if record.fault:
        raise BadCell(record.fault)

    def text(name: str) -> str:
        try:
            return "".join(of_cell.text(record.cells[place]) for place in places.get(name, ()))
        except BadCell as fault:
            raise BadCell(str(fault), HEADINGS.get(name, name)) from None

    scores = {one.name: record.cells[places[score_key(one.name)][0]] for one in rubric.criteria}
    texts = {name: text(name) for name in TEXTS if name in places}
    return Back(record, plain_code(text(CODE)), texts, scores, text(NOTE).strip())


def _columns(table: Table, rubric: Rubric) -> dict[str, list[str]]:
    """The columns of the row code, of each text with its parts, of each score and of the note."""
    known = {folded(name): name for name in table.columns}
    found = {CODE: [code_column(table)]}
    for name in (*TEXTS, NOTE):
        parts = [folded(part_heading(name, part)) for part in range(len(table.columns))]
        held = [known[part] for part in parts if part in known]
        held = held or [known[folded(name)]] if folded(name) in known else held
        if held:
            found[name] = held
    for name, heading in score_headings(rubric).items():
        column = known.get(folded(heading)) or known.get(folded(score_key(name)))
        if column is None:
            raise Problem(
                "{file} has no column “{heading}”. Put it back as it was sent.",
                file=table.source.name,
                heading=heading,
            )
        found[score_key(name)] = [column]
    return found
