"""XLSX: one worksheet of a workbook, with the results that its formulas had when it was saved."""

import datetime
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.escape import unescape
from openpyxl.utils.exceptions import InvalidFileException

from data.files.source import Source
from data.files.table import Cell, Damaged, Record, Table, named_columns
from problems import Problem
from words.said import joined, said

_ERROR = said(
    "the cell shows the error {value}, not what it should say. Correct it in the workbook."
)
_NO_RESULT = said(
    "the cell holds a formula whose result is not stored. Open the workbook in a "
    "spreadsheet program and save it."
)


def read(source: Source, worksheet: str | None = None) -> Table:
    """A table of the named worksheet, or of the first; numbers as text, whole ones without .0.

    Opening a workbook means going through all of it, so its rows are held in memory.

    Raises:
        Problem: it is not a workbook, lacks that worksheet, or the worksheet has no header.
    """
    with source.open() as file, _damage_named(source.name):
        book = _open(file, data_only=True)
        names = tuple(each.title for each in book.worksheets)
        sheet = _chosen(names, worksheet, source.name)
        rows = [(n, cells) for n, cells in _rows(source, book[sheet]) if _filled(cells)]
    if not rows:
        raise Problem(
            said(
                "Worksheet “{sheet}” of {file} is empty. Name another one.",
                sheet=sheet,
                file=source.name,
            )
        )
    header = rows[0][1]
    width = max(place for place, value in enumerate(header, 1) if value is not None)
    columns, notes = named_columns(header[:width], source.name)
    return Table(
        source=source,
        format="xlsx",
        columns=columns,
        records=lambda: _records(rows[1:], width),
        notes=_which(sheet, names) + notes,
        worksheet=sheet,
        worksheets=names,
    )


def _chosen(names, worksheet, name):
    if not names:
        raise Problem(said("{name} has no worksheet with cells. Save the sheet in one.", name=name))
    if worksheet is not None and worksheet not in names:
        listed = ", ".join(f"“{each}”" for each in names)
        raise Problem(
            said(
                "{name} has no worksheet “{worksheet}”. It has: {listed}.",
                name=name,
                worksheet=worksheet,
                listed=listed,
            )
        )
    return names[0] if worksheet is None else worksheet


def _records(rows, width) -> Iterator[Record]:
    for number, cells in rows:
        padded = (*cells, *(None,) * (width - len(cells)))
        fault = None
        if _filled(padded[width:]):
            fault = said(
                "it has cells beyond the {width} columns of the header. Name or empty them.",
                width=width,
            )
        yield Record(number, None, padded[:width], fault)


def _rows(source, values) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """(row of the worksheet, cells) of each row, empty ones included."""
    values.reset_dimensions()
    if not _has_formulas(source):
        for number, row in enumerate(values.iter_rows(), 1):
            yield number, tuple(map(_cell, row))
        return
    with source.open() as again:
        formulas = _open(again, data_only=False)[values.title]
        formulas.reset_dimensions()
        pairs = zip(values.iter_rows(), formulas.iter_rows(), strict=True)
        for number, (row, written) in enumerate(pairs, 1):
            yield number, tuple(map(_computed, row, written))


def _computed(cell, written):
    """The stored result of a formula; a formula without one is not an empty cell."""
    if cell.value is None and written.value is not None:
        return Damaged(_NO_RESULT)
    return _cell(cell)


def _cell(cell) -> Cell:
    value = cell.value
    if value is None or value == "":
        return None
    if cell.data_type == "e":
        return Damaged(_ERROR.format(value=value))
    if isinstance(value, str):
        return unescape(value) if "_x" in value else value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _filled(cells):
    return any(cell is not None for cell in cells)


def _open(file, data_only):
    with warnings.catch_warnings():
        # Styles and validation rules that openpyxl does not know carry no values.
        warnings.simplefilter("ignore")
        return load_workbook(file, read_only=True, data_only=data_only)


@contextmanager
def _damage_named(name):
    try:
        yield
    except (InvalidFileException, BadZipFile, zlib.error, KeyError, ValueError, SyntaxError):
        raise Problem(
            said(
                "{name} is damaged or is not an Excel workbook. Save it again as .xlsx, or as CSV.",
                name=name,
            )
        ) from None


def _has_formulas(source):
    with source.open() as file, ZipFile(file) as archive:
        for part in archive.namelist():
            if part.startswith("xl/worksheets/") and _mentions_formula(archive.open(part)):
                return True
    return False


def _mentions_formula(part):
    tail = b""
    with part:
        while chunk := part.read(1 << 20):
            if b"<f>" in tail + chunk or b"<f " in tail + chunk:
                return True
            tail = chunk[-2:]
    return False


def _which(sheet, names):
    others = ", ".join(f"“{name}”" for name in names if name != sheet)
    read = said("Read from worksheet “{sheet}”.", sheet=sheet)
    rest = said("The workbook also has: {others}.", others=others) if others else ""
    return (joined(" ", [read, rest]),)
