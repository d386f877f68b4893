"""CSV and TSV: text cells between commas, semicolons or tabs, with quotes where needed."""

import csv
import io
from collections.abc import Iterator
from functools import partial
from itertools import islice

from concord.importing.readers import encoding, formula_escaping
from concord.importing.readers.table import (
    FIRST_ROWS,
    LINE_CHARACTERS,
    Record,
    Source,
    Table,
    above_header,
    header_place,
    named_columns,
)
from concord.messages import Problem, on_command_line, said

DELIMITERS = {
    ",": said("comma"),
    ";": said("semicolon"),
    "\t": said("tab"),
    "|": said("vertical bar"),
}
_SAMPLE_CHARACTERS = 1 << 16
_LARGEST_FIELD = 2**31 - 1


def read(source: Source, chosen_encoding: str | None = None) -> Table:
    """Return the table of a CSV or TSV file, detecting delimiter and quoting from its beginning.

    Every cell is the unchanged text of the file. Records are read from the file on each pass, so it
    may be of any size.

    Raises:
        Problem: no header, two columns of the same name, or bytes that are not the encoding.
    """
    # Python's default of 131,072 characters is less than one long context; lines are limited
    # instead.
    csv.field_size_limit(_LARGEST_FIELD)
    guess = guessed(source, chosen_encoding)
    with open_text(source, guess) as file:
        sample = decoding(source, guess, lambda: file.read(_SAMPLE_CHARACTERS))
    dialect = _dialect(sample, source.extension)
    firsts = list(islice(_rows(source, guess, dialect), FIRST_ROWS))
    # Titles above the header have empty cells beside them.
    titles = header_place([cells for _, cells, _ in firsts])
    if any(len(cells) != len(firsts[titles][1]) for _, cells, _ in firsts[:titles]):
        titles = 0
    first = firsts[titles] if firsts else None
    # Before any row: a fault in the header would otherwise be reported for every row.
    if first is None or first[2]:
        raise Problem(
            "The header of {source} cannot be read: {reason}",
            source=source.name,
            reason=first[2] if first else "",
            fault_code="bad_header",
        )
    columns, notes = named_columns(first[1], source.name)
    return Table(
        source=source,
        format="tsv" if dialect[0] == "\t" else "csv",
        columns=tuple(name for name in columns if name != formula_escaping.ESCAPED),
        records=lambda: _records(source, guess, dialect, columns, titles),
        encoding=guess,
        notes=(said("Delimiter: {name}.", name=DELIMITERS[dialect[0]]), *notes),
        skipped=above_header(first[0], titles),
    )


def guessed(source: Source, chosen: str | None) -> encoding.Guess:
    """The encoding the user chose, else the one that the bytes tell."""
    return encoding.choose(chosen) if chosen else encoding.detect(source.telling_bytes())


def open_text(source: Source, guess: encoding.Guess, newline: str = "") -> io.TextIOWrapper:
    """The text of a source, line ends left as they are."""
    return io.TextIOWrapper(source.open(), encoding=guess.encoding, newline=newline)


def lines_of(file: io.TextIOBase, name: str) -> Iterator[str]:
    """The lines of a text, with their ends; a Problem for one that is too long to be read."""
    lines = iter(partial(file.readline, LINE_CHARACTERS), "")
    for number, line in enumerate(lines, 1):
        if len(line) == LINE_CHARACTERS:
            raise Problem(
                "Line {number} of {name} is longer than {longest:,} characters, too long for a "
                "row. Check that the file is complete and has line breaks.",
                number=number,
                name=name,
                longest=LINE_CHARACTERS,
                fault_code="too_long_line",
            )
        yield line


def decoding(source: Source, guess: encoding.Guess, step):
    """Return what `step()` gives; undecodable bytes become a Problem naming the line."""
    try:
        return step()
    except UnicodeError:
        raise _undecodable(source, guess) from None


def _records(source, guess, dialect, columns, titles) -> Iterator[Record]:
    rows = islice(_rows(source, guess, dialect), titles + 1, None)
    width = len(columns)
    mark = columns.index(formula_escaping.ESCAPED) if formula_escaping.ESCAPED in columns else None
    for number, (line, cells, fault) in enumerate(rows, 1):
        if len(cells) != width:
            if fault is None and (len(cells) < width or any(cells[width:])):
                fault = said(
                    "cells: {found}, columns in the header: {width}. Put cells that contain a "
                    "{name} or a line break in double quotes, or add the missing cells.",
                    found=len(cells),
                    width=width,
                    name=DELIMITERS[dialect[0]],
                    fault_code="wrong_width",
                )
            cells = cells[:width]
        if mark is not None:
            cells = [formula_escaping.unescape(cell) for n, cell in enumerate(cells) if n != mark]
        yield Record(number, line, tuple(cells), fault)


def _rows(source, guess, dialect) -> Iterator[tuple[int, list[str], str | None]]:
    """(line it begins on, cells, fault) of each row that is not blank."""
    delimiter, quoting = dialect
    with open_text(source, guess) as file:
        lines = lines_of(file, source.name)
        reader = csv.reader(lines, strict=True, delimiter=delimiter, quoting=quoting)
        while True:
            # Taken before the row is read: a quoted cell may span several lines.
            line = reader.line_num + 1
            try:
                cells = decoding(source, guess, lambda: next(reader, None))
            except csv.Error as error:
                # The rest of the file was read as one cell, so no row after it can be trusted.
                if "unexpected end" in str(error):
                    raise Problem(
                        "In {file}, the row that starts on line {line} opens a double quote that "
                        "is never closed. Close it, or double it if it belongs to the text of a "
                        "quoted cell.",
                        file=source.name,
                        line=line,
                        fault_code="unclosed_quote",
                    ) from None
                fault = "there is text after a closing double quote. Double each double quote "
                fault += "inside a quoted cell."
                yield line, [], said(fault, fault_code="misquoted")
                continue
            if cells is None:
                return
            if line == 1 and cells:
                # Encodings other than utf-8-sig leave the byte order mark in the first heading.
                cells[0] = cells[0].removeprefix("\ufeff")
                if cells[0].lower().startswith("sep=") and not any(cells[1:]):
                    continue  # the `sep=;` line that Excel reads
            if cells:
                yield line, cells, None


def _dialect(sample: str, extension: str) -> tuple[str, int]:
    """The delimiter and quoting under which most sample rows are as wide as the header."""
    named = sample.lstrip("\ufeff").lower()
    if named.startswith("sep=") and named[4:5] in DELIMITERS:
        return named[4], csv.QUOTE_MINIMAL
    usual = "\t" if extension in ("tsv", "tab") else ","
    # TSV files often contain unbalanced quotes as text.
    candidates = [*((one, csv.QUOTE_MINIMAL) for one in DELIMITERS), ("\t", csv.QUOTE_NONE)]
    fits = {dialect: _fit(sample, *dialect) for dialect in candidates}
    # Ties go to the delimiter that the extension names, then to the order above.
    best = max(candidates, key=lambda dialect: (*fits[dialect], dialect[0] == usual))
    return best if fits[best][1] > 1 else (usual, csv.QUOTE_MINIMAL)


def _fit(sample: str, delimiter: str, quoting: int) -> tuple[float, int]:
    """Return (share of rows as wide as the header, width); a one-column header fits nothing."""
    lines = io.StringIO(sample, newline="")
    reader = csv.reader(lines, strict=True, delimiter=delimiter, quoting=quoting)
    widths, faults = [], 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error:
            faults += 1
            continue
        if cells is None:
            break
        if cells:
            widths.append(len(cells))
    if not widths or widths[0] == 1:
        return 0.0, 1
    if len(widths) > 1 and len(sample) >= _SAMPLE_CHARACTERS:
        widths.pop()  # the sample may end in the middle of its last row
    # Rounded, so that a few ragged rows do not outweigh the number of columns.
    return round(widths.count(widths[0]) / (len(widths) + faults), 2), widths[0]


def _undecodable(source, guess):
    """Return the error that names the first bad byte; UTF-16 has no lines of bytes."""
    place = said("a character is damaged, or the file is truncated")
    with source.open() as file:
        for number, line in enumerate(() if guess.encoding.startswith("utf-16") else file, 1):
            try:
                line.decode(guess.encoding)
            except UnicodeDecodeError as error:
                place = said(
                    "line {line} has the byte 0x{byte:02X} at place {place}",
                    line=number,
                    place=error.start + 1,
                    byte=line[error.start],
                )
                break
    return Problem(
        "{file} is not valid {label}: {place}. Correct it there and save it as UTF-8, or choose "
        "the encoding of the file{on_command_line}.",
        file=source.name,
        label=guess.label,
        place=place,
        on_command_line=on_command_line("`--encoding`"),
        fault_code="encoding",
    )
