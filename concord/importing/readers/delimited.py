"""CSV and TSV: text cells between commas, semicolons or tabs, with quotes where needed."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice

from concord.importing.readers import formula_escaping
from concord.importing.readers.table import (
    LINE_CHARACTERS,
    Record,
    Source,
    Table,
    named_columns,
)
from concord.messages import Problem, on_command_line, said
from concord.text import encoding

_DELIMITERS = ",;\t|"
_SAMPLE_CHARACTERS = 1 << 16
_TELLING_BYTES = 1 << 20
# Python's default of 131,072 characters is less than one long context; lines are limited instead.
csv.field_size_limit(2**31 - 1)


def read(source: Source, chosen_encoding: str | None = None) -> Table:
    """Return the table of a CSV or TSV file, detecting delimiter and quoting from its beginning.

    Every cell is the unchanged text of the file. Records are read from the file on each pass, so it
    may be of any size.

    Raises:
        Problem: no header, two columns of the same name, or bytes that are not the encoding.
    """
    codec = encoding.choose(chosen_encoding) if chosen_encoding else _detected(source)
    with open_text(source, codec) as file:
        sample = file.read(_SAMPLE_CHARACTERS)
    delimiter, quoting = _dialect(sample, source.extension)
    rows = partial(_rows, source, codec, delimiter=delimiter, quoting=quoting)
    header, fault = next(rows(), ([], None))
    if fault:
        told = "The header of {file}: {fault}"
        raise Problem(told, file=source.name, fault=fault, fault_code=fault.code)
    names = named_columns(header, source.name)
    width, is_escaped = len(names), formula_escaping.ESCAPED in names
    kept = [place for place, name in enumerate(names) if name != formula_escaping.ESCAPED]

    def records() -> Iterator[Record]:
        for number, (cells, fault) in enumerate(islice(rows(), 1, None), 1):
            if not fault and (len(cells) < width or any(cells[width:])):
                fault = said(
                    "cells: {found}, columns in the header: {width}. Put cells that contain a "
                    "delimiter or a line break in double quotes, or add the missing cells.",
                    found=len(cells),
                    width=width,
                    fault_code="wrong_width",
                )
            if is_escaped and not fault:
                cells = [formula_escaping.unescape(cells[place]) for place in kept]
            yield Record(number, tuple(cells[:width]), fault)

    return Table(
        source=source,
        format="tsv" if delimiter == "\t" else "csv",
        columns=tuple(names[place] for place in kept),
        records=records,
        encoding=codec,
    )


def _detected(source: Source) -> str:
    """The encoding that the first megabyte tells, and lines below with bytes above 127."""
    with source.open() as file:
        data = bytearray(file.read(_TELLING_BYTES))
        if b"\0" not in data:
            # To the end of its line: half a character would count against every encoding.
            data += file.readline(LINE_CHARACTERS)
            for line in iter(partial(file.readline, LINE_CHARACTERS), b""):
                if not line.isascii():
                    data += line
                if len(data) > 2 * _TELLING_BYTES:
                    break
    return encoding.detect(data)


@contextmanager
def open_text(source: Source, codec: str) -> Iterator[io.TextIOBase]:
    """The text of a source, line ends left as they are; undecodable bytes are a Problem."""
    try:
        with io.TextIOWrapper(source.open(), encoding=codec, newline="") as file:
            yield file
            return
    except UnicodeError:
        where = "a character is damaged, or the file is truncated"
    with source.open() as file:
        # UTF-16 has no lines of bytes.
        for number, line in enumerate(() if "16" in codec else file, 1):
            try:
                line.decode(codec)
            except UnicodeDecodeError as error:
                byte = line[error.start]
                where = f"line {number} has the byte 0x{byte:02X} at place {error.start + 1}"
                break
    raise Problem(
        "{file} is not valid {label}: {where}. Correct it there and save it as UTF-8, or choose "
        "the encoding of the file{on_command_line}.",
        file=source.name,
        label=encoding.LABELS[codec],
        where=where,
        on_command_line=on_command_line("`--encoding`"),
        fault_code="encoding",
    )


def lines_of(source: Source, codec: str) -> Iterator[str]:
    """The lines of a text, with their ends; a Problem for one that is too long to be read."""
    with open_text(source, codec) as file:
        for number, line in enumerate(iter(partial(file.readline, LINE_CHARACTERS), ""), 1):
            if len(line) == LINE_CHARACTERS:
                raise Problem(
                    "Line {number} of {name} is longer than {longest:,} characters, too long for "
                    "a row. Check that the file is complete and has line breaks.",
                    number=number,
                    name=source.name,
                    longest=LINE_CHARACTERS,
                    fault_code="too_long_line",
                )
            yield line


def _rows(
    source: Source, codec: str, delimiter: str, quoting: int
) -> Iterator[tuple[list[str], str | None]]:
    """(cells, fault) of each row that is not blank."""
    lines = lines_of(source, codec)
    reader = csv.reader(lines, strict=True, delimiter=delimiter, quoting=quoting)
    while True:
        # Taken before the row is read: a quoted cell may span several lines.
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            # The rest of the file was read as one cell, so no row after it can be trusted.
            if "unexpected end" in str(error):
                raise Problem(
                    "In {file}, the row that starts on line {line} opens a double quote that is "
                    "never closed. Close it, or double it if it belongs to the text of a quoted "
                    "cell.",
                    file=source.name,
                    line=line,
                    fault_code="unclosed_quote",
                ) from None
            fault = "there is text after a closing double quote. Double each double quote inside "
            yield [], said(f"{fault}a quoted cell.", fault_code="misquoted")
            continue
        if cells is None:
            return
        if line == 1 and cells:
            # Encodings other than utf-8-sig leave the byte order mark in the first heading.
            cells[0] = cells[0].removeprefix("\ufeff")
        if cells:
            yield cells, None


def _dialect(sample: str, extension: str) -> tuple[str, int]:
    """The delimiter and quoting under which most sample rows are as wide as the header."""
    usual = "\t" if extension in ("tsv", "tab") else ","
    # TSV files often contain unbalanced quotes as text.
    candidates = [*((one, csv.QUOTE_MINIMAL) for one in _DELIMITERS), ("\t", csv.QUOTE_NONE)]
    fits = {dialect: _fit(sample, *dialect) for dialect in candidates}
    # Ties go to the delimiter that the extension names, then to the order above.
    best = max(candidates, key=lambda dialect: (*fits[dialect], dialect[0] == usual))
    return best if fits[best][1] > 1 else (usual, csv.QUOTE_MINIMAL)


def _fit(sample: str, delimiter: str, quoting: int) -> tuple[float, int]:
    """Return (share of rows as wide as the header, width); a one-column header fits nothing."""
    lines, widths = io.StringIO(sample, newline=""), []
    reader = csv.reader(lines, strict=True, delimiter=delimiter, quoting=quoting)
    try:
        for cells in reader:
            widths += [len(cells)] if cells else []
    except csv.Error:
        widths.append(0)
    if not widths or widths[0] < 2:
        return 0.0, 1
    # Rounded, so that a few ragged rows do not outweigh the number of columns.
    return round(widths.count(widths[0]) / len(widths), 2), widths[0]
