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

DELIMITERS = {",": said("comma"), ";": said("semicolon"), "\t": said("tab"), "|": said("bar")}
_SEPARATED = {
    ",": said("Delimiter: comma."),
    ";": said("Delimiter: semicolon."),
    "\t": said("Delimiter: tab."),
    "|": said("Delimiter: vertical bar."),
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
    titles = _titles(firsts)
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
        format="tsv" if dialect["delimiter"] == "\t" else "csv",
        columns=tuple(name for name in columns if name != formula_escaping.ESCAPED),
        records=lambda: _records(source, guess, dialect, columns, titles),
        encoding=guess,
        notes=(_SEPARATED[dialect["delimiter"]], *notes),
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


def _titles(firsts) -> int:
    """Return the number of title rows above the header, which have empty cells."""
    titles = header_place([cells for _, cells, _ in firsts])
    are_wide = all(len(cells) == len(firsts[titles][1]) for _, cells, _ in firsts[:titles])
    return titles if are_wide else 0


def _records(source, guess, dialect, columns, titles) -> Iterator[Record]:
    rows = islice(_rows(source, guess, dialect), titles + 1, None)
    width = len(columns)
    mark = columns.index(formula_escaping.ESCAPED) if formula_escaping.ESCAPED in columns else None
    for number, (line, cells, fault) in enumerate(rows, 1):
        if len(cells) != width:
            if fault is None and (len(cells) < width or any(cells[width:])):
                fault = _ragged(len(cells), width, dialect)
            cells = cells[:width]
        if mark is not None:
            cells = [formula_escaping.unescape(cell) for n, cell in enumerate(cells) if n != mark]
        yield Record(number, line, tuple(cells), fault)


def _rows(source, guess, dialect) -> Iterator[tuple[int, list[str], str | None]]:
    """(line it begins on, cells, fault) of each row that is not blank."""
    with open_text(source, guess) as file:
        lines = lines_of(file, source.name)
        reader = csv.reader(lines, strict=True, **dialect["format"])
        while True:
            # Taken before the row is read: a quoted cell may span several lines.
            line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except UnicodeError:
                raise _undecodable(source, guess) from None
            except csv.Error as error:
                # The rest of the file was read as one cell, so no row after it can be trusted.
                if "unexpected end" in str(error):
                    raise Problem(_unclosed(source, line)) from None
                yield line, [], _misquoted()
                continue
            if cells is None:
                return
            if line == 1 and cells:
                # Encodings other than utf-8-sig leave the byte order mark in the first heading.
                cells[0] = cells[0].removeprefix("\ufeff")
            if cells and not (line == 1 and _names_delimiter(cells)):
                yield line, cells, None


def _dialect(sample, extension):
    """The delimiter and quoting under which most sample rows are as wide as the header."""
    named = sample.lstrip("\ufeff").lower()
    if named.startswith("sep=") and named[4:5] in DELIMITERS:
        return _format(named[4], csv.QUOTE_MINIMAL)
    usual = "\t" if extension in ("tsv", "tab") else ","
    candidates = [_format(d, csv.QUOTE_MINIMAL) for d in DELIMITERS]
    # TSV files often contain unbalanced quotes as text.
    candidates.append(_format("\t", csv.QUOTE_NONE))
    # Ties go to the delimiter that the extension names, then to the order above.
    fits = [(*_fit(sample, c), c["delimiter"] == usual, -n) for n, c in enumerate(candidates)]
    best = max(fits)
    return candidates[-best[-1]] if best[1] > 1 else _format(usual, csv.QUOTE_MINIMAL)


def _format(delimiter, quoting):
    return {"delimiter": delimiter, "format": {"delimiter": delimiter, "quoting": quoting}}


def _fit(sample, dialect):
    """Return (share of rows as wide as the header, width); a one-column header fits nothing."""
    reader = csv.reader(io.StringIO(sample, newline=""), strict=True, **dialect["format"])
    widths, faults = [], 0
    while True:
        try:
            widths.append(len(next(reader)))
        except StopIteration:
            break
        except csv.Error:
            faults += 1
    widths = [width for width in widths if width]
    if not widths or widths[0] == 1:
        return 0.0, 1
    # The sample may end in the middle of its last row.
    cut = len(widths) > 1 and len(sample) >= _SAMPLE_CHARACTERS
    rows = widths[:-1] if cut else widths
    same = sum(width == rows[0] for width in rows)
    # Rounded, so that a few ragged rows do not outweigh the number of columns.
    return round(same / (len(rows) + faults), 2), widths[0]


def _names_delimiter(cells):
    """True for the `sep=;` line that Excel reads."""
    return cells[0].lower().startswith("sep=") and not any(cells[1:])


def _ragged(found, width, dialect):
    name = DELIMITERS[dialect["delimiter"]]
    return said(
        "cells: {found}, columns in the header: {width}. Put cells that contain a {name} or a line "
        "break in double quotes, or add the missing cells.",
        found=found,
        width=width,
        name=name,
        fault_code="wrong_width",
    )


def _misquoted():
    return said(
        "there is text after a closing double quote. Double each double quote inside a quoted "
        "cell.",
        fault_code="misquoted",
    )


def _unclosed(source, line):
    return said(
        "In {file}, the row that starts on line {line} opens a double quote that is never closed. "
        "Close it, or double it if it belongs to the text of a quoted cell.",
        file=source.name,
        line=line,
        fault_code="unclosed_quote",
    )


def _undecodable(source, guess):
    """Return the error that names the first bad byte; UTF-16 has no lines of bytes."""
    if guess.encoding.startswith("utf-16"):
        return Problem(
            "{file} is not valid {label}: a character is damaged, or the file is truncated. "
            "Save it as UTF-8, or choose another encoding.",
            file=source.name,
            label=guess.label,
            fault_code="encoding",
        )
    number = place = byte = 0
    with source.open() as file:
        for number, line in enumerate(file, 1):  # noqa: B007
            try:
                line.decode(guess.encoding)
            except UnicodeDecodeError as error:
                byte, place = line[error.start], error.start + 1
                break
    return Problem(
        "{file} is not valid {label}: line {line} has the byte 0x{byte:02X} at place {place}. "
        "Correct it there, or choose the encoding of the file{on_command_line}.",
        file=source.name,
        label=guess.label,
        line=number,
        place=place,
        byte=byte,
        on_command_line=on_command_line("`--encoding`"),
        fault_code="encoding",
    )
