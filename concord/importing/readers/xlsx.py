"""XLSX: one worksheet of a workbook, with the results that its formulas had when it was saved."""

import datetime
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

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
from concord.messages import Problem, quoted, said

_NO_RESULT = said(
    "the cell contains a formula without a stored result. Open the workbook in a spreadsheet "
    "program and save it.",
    fault_code="no_result",
)
# Marks of XML from one row or shared text to the next; rows and texts, where a sheet is 10,000.
_MARKS, _ELEMENTS, _SHEET = 1_000_000, 10_000_000, 10_000
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
    with source.open() as file, source.open() as again, warnings.catch_warnings():
        # Styles and validation rules that openpyxl does not know carry no values.
        warnings.simplefilter("ignore")
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        names = tuple(each.title for each in book.worksheets)
        if not names or worksheet not in (None, *names):
            raise Problem(
                "{name} has no worksheet “{worksheet}”. It has: {listed}.",
                name=source.name,
                worksheet=worksheet or "",
                listed=quoted(names),
                fault_code="no_worksheet" if names else "empty",
            )
        fullest = max(book.worksheets, key=lambda one: filled[one._worksheet_path])
        sheet = worksheet or fullest.title
        pairs = ((n, cells, cells) for n, cells in _parsed(book[sheet]))
        if has_formulas:
            written = load_workbook(again, read_only=True, data_only=False, keep_links=False)
            both = zip(_parsed(book[sheet]), _parsed(written[sheet]), strict=True)
            pairs = ((n, cells, as_written) for (n, cells), (_, as_written) in both)
        rows = list(_filled(source, pairs))
    if not rows:
        raise Problem(
            "Worksheet “{sheet}” of {file} is empty. Choose another one.",
            sheet=sheet,
            file=source.name,
            fault_code="empty",
        )
    titles = header_place([tuple(cells.values()) for _, cells in rows[:FIRST_ROWS]])
    (line, header), rows = rows[titles], rows[titles + 1 :]
    skipped = [*above_header(line, titles)]
    while len(rows) > 1 and (word := summary_of([*rows[-1][1].values()], len(header))):
        row, _ = rows.pop()
        text = "Row {row} summarises the others (“{word}”) and is left out."
        skipped.append(said(text, row=row, word=word))
    width = max(header)
    # Remarks beside the table have no heading; a cell far off is more likely a slip.
    widest = max([width, *(max(cells) for _, cells in rows)])
    width = widest if widest <= width + _NAMELESS else width
    columns, notes = named_columns((header.get(n) for n in range(1, width + 1)), source.name)
    safe_reading.check_cells(source.name, len(rows), width)
    beyond = said(
        "it has cells beyond the {width} columns of the header. Add names to the header, or clear "
        "the cells.",
        width=width,
        fault_code="wrong_width",
    )
    others = quoted(name for name in names if name != sheet)
    return Table(
        source=source,
        format="xlsx",
        columns=columns,
        records=lambda: (
            Record(
                number,
                None,
                tuple(cells.get(n) for n in range(1, width + 1)),
                beyond if max(cells) > width else None,
            )
            for number, cells in rows
        ),
        notes=(
            said("Read from worksheet “{sheet}”.", sheet=sheet),
            *([said("The workbook also has: {others}.", others=others)] if others else []),
            *notes,
        ),
        skipped=tuple(skipped),
        worksheet=sheet,
        worksheets=names,
    )


def _filled(source: Source, rows: Iterable[tuple]) -> Iterator[tuple[int, Cells]]:
    """(row of the worksheet, cells by column) of each row that has any; absent cells cost none."""
    count = size = 0
    for number, cells, written in rows:
        found = {}
        for cell, other in zip(cells, written, strict=True):
            value = _cell(cell["value"], cell["data_type"])
            if cell["value"] is None and other["value"] is not None:
                value = Damaged(_NO_RESULT)  # which is not an empty cell
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


def _cell(value: Any, kind: str) -> Cell:
    if value is None or value == "":
        return None
    if kind == "e":
        text = "the cell contains the error {value}. Correct it in the workbook."
        return Damaged(said(text, value=value, fault_code="cell_error"))
    if isinstance(value, str):
        return unescape(value) if "_x" in value else value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)


def _scan(source: Source) -> tuple[bool, Counter[str]]:
    """Refuse an archive that unpacks to too much.

    An XML parser would hold all of a part from one row or text to the next.

    Returns:
        True where a worksheet holds a formula, and the number of filled cells by part.
    """
    filled: Counter[str] = Counter()
    has_formulas = False
    with source.open() as file, ZipFile(file) as archive:
        parts = archive.infolist()
        safe_reading.check_size(source, sum(part.file_size for part in parts))
        for part in parts:
            if part.flag_bits & 1 or part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise Problem(
                    "{name} is password-protected, or packed in a way that is not supported. Save "
                    "it again as .xlsx without a password, or as CSV.",
                    name=source.name,
                    fault_code="password" if part.flag_bits & 1 else "compression",
                )
            held = marks = elements = 0
            tail = b""
            content = archive.open(part)
            while chunk := content.read(_CHUNK):
                if not tail and not chunk.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"<"):
                    break  # a picture
                pieces = _PART.split(chunk)
                elements += len(pieces) // 2 + _SHEET * pieces[1::2].count(b"sheet")
                for n, piece in enumerate(pieces[::2]):
                    # Tags and attributes, each of which is an object once it is parsed.
                    marks = piece.count(b"<") + piece.count(b"=") + (0 if n else marks)
                    held = len(piece) + (0 if n else held)
                    if held > LINE_CHARACTERS or marks > _MARKS or elements > _ELEMENTS:
                        raise safe_reading.too_large(
                            source.name,
                            f"too many rows or texts, or too long ones, in {part.filename}",
                            f"{_ELEMENTS:,}, or {LINE_CHARACTERS >> 20} MB in one",
                        )
                has_formulas = has_formulas or bool(_FORMULA.search(tail + chunk))
                filled[part.filename] += len(_FILLED.findall(chunk))
                tail = chunk[-20:]
    return has_formulas, filled
