"""XLSX: one worksheet of a workbook, with the results that its formulas had when it was saved."""

import datetime
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.escape import unescape
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.cells import Cell, Damaged
from concord.importing.readers.table import (
    LINE_CHARACTERS,
    Record,
    Source,
    Table,
    named_columns,
)
from concord.messages import Problem, said

# Marks of XML from one row or shared text to the next; rows and texts, where a sheet is 10,000.
_MARKS, _ELEMENTS, _SHEET = 1_000_000, 10_000_000, 10_000
_PART = re.compile(rb"<(?:\w+:)?(?=(?:row|si|sheet)[\s/>])")
# The end of a cell's value; without one a cell is only formatted.
_FILLED = re.compile(rb"</(?:\w+:)?(?:v|is)>")
_CHUNK, _BLANK = 1 << 20, b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
Cells = dict[int, Cell]


class _Parser(WorkSheetParser):
    """openpyxl's parser, in which a formula without a stored result is not an empty cell."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        """Return the value, kind and column of a cell."""
        cell = super().parse_cell(element)
        if cell["value"] is None and element.find(FORMULA_TAG) is not None:
            cell["value"] = Damaged(
                said(
                    "the cell contains a formula without a stored result. Open the workbook in a "
                    "spreadsheet program and save it.",
                    fault_code="no_result",
                )
            )
        return cell


def read(source: Source, worksheet: str | None = None) -> Table:
    """A table of the named worksheet; numbers as text, whole ones without .0.

    Without a name it is the worksheet with the most filled cells, the first of several. Opening a
    workbook means going through all of it, so its rows are held in memory.

    Raises:
        Problem: it is not a workbook, unpacks to too much, lacks that worksheet, or the worksheet
            has no header.
    """
    filled = _scan(source)
    with source.open() as file, warnings.catch_warnings():
        # Styles and validation rules that openpyxl does not know carry no values.
        warnings.simplefilter("ignore")
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if not sheets or worksheet not in (None, *sheets):
            raise Problem(
                "{name} has no worksheet “{worksheet}”. It has: {listed}.",
                name=source.name,
                worksheet=worksheet or "",
                listed=safe_reading.listed(sheets),
                fault_code="no_worksheet" if sheets else "empty",
            )
        fullest = max(sheets.values(), key=lambda one: filled[one._worksheet_path])
        sheet = sheets[worksheet or fullest.title]
        with sheet._get_source() as part:
            parser = _Parser(
                part,
                sheet._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            rows = _filled(source, parser.parse())
    _, header = rows.pop(0) if rows else (0, {})
    width = max(header, default=0)
    places = range(1, width + 1)
    columns = named_columns(map(header.get, places), source.name)
    safe_reading.check_cells(source.name, len(rows), width)
    beyond = said(
        "it has cells beyond the {width} columns of the header. Add names to the header, or clear "
        "the cells.",
        width=width,
        fault_code="wrong_width",
    )
    return Table(
        source=source,
        format="xlsx",
        columns=columns,
        records=lambda: (
            Record(
                number,
                tuple(map(cells.get, places)),
                beyond if max(cells) > width else None,
            )
            for number, cells in rows
        ),
        worksheet=sheet.title,
        worksheets=tuple(sheets),
    )


def _filled(source: Source, rows: Iterable[tuple[int, list[dict]]]) -> list[tuple[int, Cells]]:
    """(row of the worksheet, cells by column) of each row that has any; absent cells cost none."""
    count = size = 0
    filled = []
    for number, row in rows:
        pairs = ((cell["column"], _cell(cell["value"], cell["data_type"])) for cell in row)
        cells = {column: value for column, value in pairs if value is not None}
        count += len(cells)
        size += sum(len(value) for value in cells.values() if isinstance(value, str))
        safe_reading.check_cells(source.name, count, 1)
        safe_reading.check_size(source, size)
        if cells:
            filled.append((number, cells))
    return filled


def _cell(value: Any, kind: str) -> Cell:
    if kind == "e" and value:
        text = "the cell contains the error {value}. Correct it in the workbook."
        return Damaged(said(text, value=value, fault_code="cell_error"))
    if isinstance(value, str):
        return unescape(value) if "_x" in value else value or None
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return of_cell.of(value)


def _scan(source: Source) -> Counter[str]:
    """Return the number of filled cells by part; refuse an archive that unpacks to too much.

    An XML parser would hold all of a part from one row or text to the next.
    """
    filled: Counter[str] = Counter()
    with source.open() as file, ZipFile(file) as archive:
        parts = archive.infolist()
        safe_reading.check_size(source, sum(part.file_size for part in parts))
        for part in parts:
            if part.flag_bits & 1 or part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise NotImplementedError(part.compress_type)  # unpacked whole, or with a password
            held = marks = elements = 0
            content = archive.open(part)
            for chunk in iter(partial(content.read, _CHUNK), b""):
                if not held and not chunk.lstrip(_BLANK).startswith(b"<"):
                    break  # a picture
                filled[part.filename] += len(_FILLED.findall(chunk))
                for n, piece in enumerate(_PART.split(chunk)):
                    if n:
                        held = marks = 0
                        elements += _SHEET if piece.startswith(b"sheet") else 1
                    held += len(piece)
                    # Tags and attributes, each of which is an object once it is parsed.
                    marks += piece.count(b"<") + piece.count(b"=")
                    if held > LINE_CHARACTERS or marks > _MARKS or elements > _ELEMENTS:
                        raise safe_reading.too_large(
                            source.name,
                            f"too many rows or texts, or too long ones, in {part.filename}",
                            f"{_ELEMENTS:,}, or {LINE_CHARACTERS >> 20} MB in one",
                        )
    return filled
