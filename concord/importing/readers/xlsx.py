"""XLSX: one worksheet of a workbook, with the results that its formulas had when it was saved."""

import datetime
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from openpyxl import load_workbook
from openpyxl.utils.escape import unescape
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import WorkSheetParser

from concord.importing.readers import safe_reading
from concord.importing.readers.cells import Cell, Damaged
from concord.importing.readers.table import (
    FIRST_ROWS,
    LINE_CHARACTERS,
    Record,
    Source,
    Table,
    above_header,
    header_place,
    named_columns,
    summary_of,
)
from concord.messages import Numeral, Problem, joined, quoted, said

_ERROR = said("the cell contains the error {value}. Correct it in the workbook.")
_NO_RESULT = said(
    "the cell contains a formula without a stored result. Open the workbook in a spreadsheet "
    "program and save it.",
    fault_code="no_result",
)
# Limits of a worksheet of Excel; and marks of XML from one row or shared text to the next.
ROWS = 1_048_576
_MARKS = 1_000_000
_TEXTS = 10_000_000
_SHEETS = 1_000
# Most columns without a heading at the right of a table.
_NAMELESS = 5
_PART = re.compile(rb"<(?:\w+:)?(row|si|sheet)(?=[\s/>])")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
# The end of a cell's value; without one a cell is only formatted.
_FILLED = re.compile(rb"</(?:\w+:)?(?:v|is)>")
_CHUNK = 1 << 20
Cells = dict[int, Cell]


def read(source: Source, worksheet: str | None = None) -> Table:
    """A table of the named worksheet; numbers as text, whole ones without .0.

    Without a name it is the worksheet with the most filled cells, the first of several. Opening a
    workbook means going through all of it, so its rows are held in memory.

    Raises:
        Problem: it is not a workbook, unpacks to too much, lacks that worksheet, or the worksheet
            has no header.
    """
    has_formulas, filled = _scan(source)
    with source.open() as file, warnings.catch_warnings():
        # Styles and validation rules that openpyxl does not know carry no values.
        warnings.simplefilter("ignore")
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        names = tuple(each.title for each in book.worksheets)
        fullest = max(book.worksheets, key=lambda one: filled[one._worksheet_path], default=None)
        sheet = _chosen(names, worksheet, source.name) or fullest.title
        rows = list(_rows(source, book[sheet], has_formulas))
    if not rows:
        raise Problem(
            "Worksheet “{sheet}” of {file} is empty. Choose another one.",
            sheet=sheet,
            file=source.name,
            fault_code="empty",
        )
    titles = header_place([tuple(cells.values()) for _, cells in rows[:FIRST_ROWS]])
    line, header = rows[titles]
    del rows[:titles]
    summaries = _without_summaries(rows)
    width = max(header)
    # Remarks beside the table have no heading; a cell far off is more likely a slip.
    widest = max(max(cells) for _, cells in rows)
    width = widest if widest <= width + _NAMELESS else width
    columns, notes = named_columns((header.get(n) for n in range(1, width + 1)), source.name)
    safe_reading.check_cells(source.name, len(rows) - 1, width)
    return Table(
        source=source,
        format="xlsx",
        columns=columns,
        records=lambda: _records(rows, width),
        notes=_which(sheet, names, worksheet is None) + notes,
        skipped=(*above_header(line, titles), *summaries),
        worksheet=sheet,
        worksheets=names,
    )


def _chosen(names, worksheet, name):
    if not names:
        raise Problem(
            "{name} has no worksheet with data. Save the data in one.",
            name=name,
            fault_code="empty",
        )
    if worksheet is not None and worksheet not in names:
        listed = quoted(names)
        raise Problem(
            "{name} has no worksheet “{worksheet}”. It has: {listed}.",
            name=name,
            worksheet=worksheet,
            listed=listed,
            fault_code="no_worksheet",
        )
    return worksheet


def _without_summaries(rows: list[tuple[int, Cells]]) -> tuple[str, ...]:
    """Take rows of totals off the end, and return a note on each."""
    notes: list[str] = []
    while len(rows) > 2 and (word := summary_of([*rows[-1][1].values()], len(rows[0][1]))):
        note = said("Row {row} summarises the others (“{word}”) and is left out.",
                    row=rows.pop()[0], word=word)  # fmt: skip
        notes.insert(0, note)
    return tuple(notes)


def _records(rows: list[tuple[int, Cells]], width: int) -> Iterator[Record]:
    for number, cells in rows[1:]:
        fault = None
        if max(cells) > width:
            fault = said(
                "it has cells beyond the {width} columns of the header. Add names to the header, "
                "or clear the cells.",
                width=width,
                fault_code="wrong_width",
            )
        yield Record(number, None, tuple(cells.get(n) for n in range(1, width + 1)), fault)


def _rows(source: Source, sheet: ReadOnlyWorksheet, formulas: bool) -> Iterator[tuple[int, Cells]]:
    """(row of the worksheet, cells by column) of each row that has any; absent cells cost none."""
    if formulas:
        with source.open() as again:
            written = load_workbook(again, read_only=True, data_only=False, keep_links=False)
            without = _parsed(written[sheet.title])
            both = zip(_parsed(sheet), without, strict=True)
            pairs = ((n, cells, as_written) for (n, cells), (_, as_written) in both)
            yield from _filled(source, pairs)
    else:
        yield from _filled(source, ((n, cells, cells) for n, cells in _parsed(sheet)))


def _filled(source: Source, rows) -> Iterator[tuple[int, Cells]]:
    count = size = 0
    for number, cells, written in rows:
        found = {}
        for cell, other in zip(cells, written, strict=True):
            value = _computed(cell, other)
            if value is not None:
                found[cell["column"]] = value
                size += len(value) if isinstance(value, str) else 0
        count += len(found)
        safe_reading.check_cells(source.name, count, 1)
        safe_reading.check_size(source, size)
        if found:
            yield number, found


def _parsed(sheet: ReadOnlyWorksheet) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """The rows and cells that the worksheet holds; openpyxl itself makes those it leaves out."""
    book = sheet.parent
    with sheet._get_source() as part:
        yield from WorkSheetParser(
            part,
            sheet._shared_strings,
            data_only=book.data_only,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        ).parse()


def _computed(cell: dict[str, Any], written: dict[str, Any]) -> Cell:
    """The stored result of a formula; a formula without one is not an empty cell."""
    if cell["value"] is None and written["value"] is not None:
        return Damaged(_NO_RESULT)
    return _cell(cell["value"], cell["data_type"])


def _cell(value: Any, kind: str) -> Cell:
    if value is None or value == "":
        return None
    if kind == "e":
        return Damaged(said(_ERROR, value=value, fault_code="cell_error"))
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


def _scan(source: Source) -> tuple[bool, Counter[str]]:
    """Refuse an archive that unpacks to too much.

    Returns:
        True where a worksheet holds a formula, and the number of filled cells by part.
    """
    filled: Counter[str] = Counter()
    with source.open() as file, ZipFile(file) as archive:
        parts = archive.infolist()
        safe_reading.check_size(source, sum(part.file_size for part in parts))
        for part in parts:
            _check_part(source.name, part)
        formulas = [
            _scan_part(source.name, archive, part, filled) for part in parts if not part.is_dir()
        ]
    return any(formulas), filled


def _check_part(name: str, part: ZipInfo) -> None:
    if part.flag_bits & 1:
        raise Problem(
            "{name} is password-protected. Save it without a password, or as CSV.",
            name=name,
            fault_code="password",
        )
    if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise Problem(
            "{name} uses an unsupported compression. Save it again as .xlsx, or as CSV.",
            name=name,
            fault_code="compression",
        )


def _scan_part(name: str, archive: ZipFile, part: ZipInfo, filled: Counter[str]) -> bool:
    """Go through one part: an XML parser would hold all of it from one row or text to the next."""
    counts = {b"row": 0, b"si": 0, b"sheet": 0}
    held = marks = 0
    formula, tail = False, b""
    with archive.open(part) as content:
        while chunk := content.read(_CHUNK):
            if not tail and not chunk.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"<"):
                return False  # a picture
            ends = 0
            for found in _PART.finditer(chunk):
                counts[found[1]] += 1
                held += found.start() - ends
                marks += _marks(chunk, ends, found.start())
                _check_held(name, part.filename, held, marks)
                held = marks = 0
                ends = found.start()
            held += len(chunk) - ends
            marks += _marks(chunk, ends, len(chunk))
            _check_held(name, part.filename, held, marks)
            formula = formula or bool(_FORMULA.search(tail + chunk))
            filled[part.filename] += sum(1 for _ in _FILLED.finditer(chunk))
            tail = chunk[-20:]
    if counts[b"row"] > ROWS or counts[b"si"] > _TEXTS or counts[b"sheet"] > _SHEETS:
        raise _too_much(name, part.filename)
    return formula


def _marks(chunk: bytes, start: int, end: int) -> int:
    """Tags and attributes, each of which is an object once it is parsed."""
    return chunk.count(b"<", start, end) + chunk.count(b"=", start, end)


def _check_held(name: str, part: str, held: int, marks: int) -> None:
    if held > LINE_CHARACTERS or marks > _MARKS:
        raise _too_much(name, part)


def _too_much(name: str, part: str) -> Problem:
    return Problem(
        "{name} exceeds the limits of a worksheet in {part}: {rows} rows, {texts} texts, or "
        "{most} MB in one row. Save it again as .xlsx, or as CSV, which has no limit.",
        name=name,
        part=part,
        rows=Numeral(f"{ROWS:,}"),
        texts=Numeral(f"{_TEXTS:,}"),
        most=LINE_CHARACTERS >> 20,
        fault_code="too_large",
    )


def _which(sheet, names, is_guess):
    others = quoted(name for name in names if name != sheet)
    read = said("Read from worksheet “{sheet}”.", sheet=sheet)
    if is_guess and sheet != names[0]:
        read = said("Read from worksheet “{sheet}”, which has the most data.", sheet=sheet)
    rest = said("The workbook also has: {others}.", others=others) if others else ""
    return (joined(" ", [read, rest]),)
