"""Table, Record and BadRow: a file as named columns and numbered records, before any meaning.

Source is the bytes of the file, a path or an upload; what is evidently not a sheet is rejected.
"""

import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from concord.importing.readers.cells import Cell, Damaged, excerpt, is_blank
from concord.importing.readers.encoding import Guess
from concord.messages import Numeral, Problem, joined, quoted, said, system_fault
from concord.resources import COMMAND

BROWSER_MAX_BYTES = 200 * 1024**2
# A longer line is no row of a sheet, and reading it might take all the memory there is.
LINE_CHARACTERS = 1 << 26
_CHUNK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16
_TELLING_BYTES = 1 << 18
_FOREIGN = {
    b"%PDF": "a PDF",
    b"MZ": "a Windows program",
    b"\x7fELF": "a program",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"SQLite format 3\0": "a SQLite database",
    b"\xd0\xcf\x11\xe0": "an old or password-protected Office file",
    b"{\\rtf": "an RTF document",
}
_BINARY_SHEETS = (b"PK", b"PAR1")
# Four in a row are no text in UTF-8 or UTF-16 either.
_NULS = b"\0\0\0\0"
_MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")


class Source(NamedTuple):
    """A file by path, or its bytes; `name` is the file name that messages use."""

    name: str
    path: Path | None
    data: bytes | None
    size: int

    @property
    def extension(self) -> str:
        """The end of the name in lower case, without its dot."""
        return Path(self.name).suffix.lower().lstrip(".")

    @property
    def stem(self) -> str:
        """The name without its extension: the default name of the sheet."""
        return Path(self.name).stem

    def open(self) -> BinaryIO:
        """The bytes from the beginning."""
        return io.BytesIO(self.data) if self.path is None else self.path.open("rb")

    def sha256(self) -> str:
        """The SHA-256 of the bytes, in hex."""
        with self.open() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def telling_bytes(self) -> bytes:
        """Return the bytes to detect an encoding from: the head, then the non-ASCII lines.

        The whole file where it is small, at most about 1.3 MB otherwise.
        """
        with self.open() as file:
            head = file.read(_HEAD_BYTES if self.size > _CHUNK_BYTES else -1)
            if (
                len(head) == self.size
                or b"\0" in head
                or head.startswith((b"\xff\xfe", b"\xfe\xff"))
            ):
                return head
            # To the end of its line: a multi-byte character cut in two would count against every
            # encoding.
            return head + file.readline(LINE_CHARACTERS) + _foreign_lines(file)


def open_source(
    given: str | Path | bytes,
    name: str = "",
    max_bytes: int | None = None,
    save_as: str = said("plain text"),
) -> Source:
    """A source from a path, or from bytes with the file's name.

    `max_bytes` is the limit of the browser; leave it out where any size may be read. `save_as` are
    the formats that an error recommends.

    Raises:
        Problem: the file is missing, unreadable, empty, too large or evidently not a sheet.
    """
    if isinstance(given, bytes):
        source = Source(Path(name).name or "upload", None, given, len(given))
    else:
        source = _from_path(Path(given))
    if max_bytes is not None and source.size > max_bytes:
        raise Problem(
            "{file} has {size}; the limit in the browser is {max_bytes}. Import it on the command "
            "line, which has no limit: {concord} import {file}",
            concord=COMMAND,
            file=source.name,
            size=megabytes(source.size),
            max_bytes=megabytes(max_bytes),
            fault_code="too_large",
        )
    with source.open() as file:
        head = file.read(512)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    # By content and not by extension, which users change to make a file acceptable.
    kind = next((kind for magic, kind in _FOREIGN.items() if head.startswith(magic)), "")
    if text.startswith(_MARKUP):
        kind = "a web page or XML"
    if kind:
        raise Problem(
            "{name} is {kind}. Save the data as {formats} and choose that file.",
            name=source.name,
            kind=kind,
            formats=save_as,
            fault_code="not_a_table",
        )
    if not text or (_NULS in head and not head.startswith(_BINARY_SHEETS)):
        raise Problem(
            "{name} is empty, or contains NUL bytes: it was truncated while copying, or is not a "
            "text file. Copy it again, or choose another file.",
            name=source.name,
            fault_code="nul" if text else "empty",
        )
    return source


def _from_path(path: Path) -> Source:
    try:
        if path.exists() and not path.is_file():
            raise Problem(
                "{path} is a folder, or a pipe or a device, which can be read only once. Name a "
                "file in it, or save its output as a file and name that.",
                path=path,
                fault_code="not_a_file",
            )
        # Opened and read once, so that a missing permission is reported here and not within an
        # import.
        with path.open("rb") as file:
            file.read(1)
        name = path.name.encode(errors="replace").decode()  # a name need not be text
        return Source(name, path, None, path.stat().st_size)
    except OSError as error:
        raise Problem(
            "{path} cannot be read: {reason}. Check the path.",
            path=path,
            reason=system_fault(error),
            fault_code="no_file",
        ) from None


def _foreign_lines(file):
    """Lines with bytes above 127, up to a limit; plain lines tell nothing about an encoding."""
    found, size = [], 0
    while size < _TELLING_BYTES and (chunk := file.read(_CHUNK_BYTES)):
        if chunk.isascii():
            continue
        lines = (chunk + file.readline(LINE_CHARACTERS)).splitlines(keepends=True)
        telling = [line for line in lines if not line.isascii()]
        found += telling
        size += sum(map(len, telling))
    return b"".join(found)


def megabytes(size: int) -> Numeral:
    """A number of bytes as a message shows it, in MB or GB."""
    small = size < 1024**3
    return Numeral(f"{size / 1024**2:,.0f} MB" if small else f"{size / 1024**3:,.1f} GB")


LINE = said("line")
# No message lists more names of columns.
LISTED = 30
VALUE_LENGTH = 60
# Rows among which a header is looked for.
FIRST_ROWS = 10
_SUMMARIES = re.compile(
    "totals?|sum|average|avg|mean|median|summe|gesamt|mittelwert|(durch)?schnitt|moyenne|somme|"
    "media|promedio|suma|[合总]计|平均|合計|합계|평균"
)
_NUMBER = re.compile(r"\s*[-+]?[\d.,]+\s*%?\s*")


class SeveralLists(Problem):
    """A file of nested JSON holds several lists of which one must be named: `names`."""

    def __init__(self, names: Sequence[str], text: str, /, **values: Any) -> None:
        super().__init__(text, **values)
        self.names = tuple(names)


class Record(NamedTuple):
    """One record: its number below the header, from 1, and its location in the file.

    In a worksheet the number is the row number that the spreadsheet shows. `line` is the line of a
    text file, else None. `fault` is the error of a record that cannot be read as a whole.
    """

    row: int
    line: int | None
    cells: tuple[Cell, ...]
    fault: str | None = None


class BadRow(NamedTuple):
    """An invalid record: its position, the error, and the remedy.

    `of` names what it is a row of, other than the file, as in "Row 3 of the package". `value` is
    the text of the cell, cut to one short line; '' where the fault is in no cell.
    """

    row: int
    line: int | None
    column: str | None
    problem: str
    of: str = ""
    value: str = ""

    def sentence(self) -> str:
        """The place and the problem, as one line."""
        of = f" {self.of}" if self.of else ""
        line = f" ({LINE} {self.line})" if self.line is not None else ""
        column = f", column “{self.column}”" if self.column else ""
        return f"Row {self.row}{of}{line}{column}: {self.problem}"


@dataclass(frozen=True)
class Table:
    """A file opened for reading; `records` starts from the first record each time it is called.

    `skipped` says what is left out above the header.
    `origin` is what there is in the export of a tool (`recognition.recognise.Found`).
    """

    source: Source
    format: str
    columns: tuple[str, ...]
    records: Callable[[], Generator[Record, None, None]]
    encoding: Guess | None = None
    notes: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    worksheet: str | None = None
    worksheets: tuple[str, ...] = ()
    origin: Any = None

    def bad(self, record: Record, column: str | None, problem: str) -> BadRow:
        """A bad row at the place of this record."""
        place = self.columns.index(column) if column in self.columns else len(record.cells)
        cell = record.cells[place] if place < len(record.cells) else None
        return BadRow(record.row, record.line, column, problem, value=one_line(cell))


def one_line(cell: object) -> str:
    """Return a cell on one line of at most 60 characters; '' for none or a damaged one."""
    if cell is None or isinstance(cell, Damaged):
        return ""
    line = " ".join(str(cell)[: 4 * VALUE_LENGTH].split())
    return line if len(line) <= VALUE_LENGTH else f"{line[: VALUE_LENGTH - 1]}…"


def header_place(first: Sequence[Sequence[Cell]]) -> int:
    """Return which of the first rows is the header: the one below titles that fill one cell each.

    What follows titles is a header only where it has at least three cells, all of them different
    texts and no numbers; else the first row is the header.
    """
    filled = [[cell for cell in row if not is_blank(cell)] for row in first]
    place = next((n for n, cells in enumerate(filled) if len(cells) > 1), 0)
    names = filled[place] if filled else []
    are_names = all(isinstance(cell, str) and not _NUMBER.fullmatch(cell) for cell in names)
    return place if len(names) > 2 and are_names and len({*names}) == len(names) else 0


def above_header(line: int, rows: int) -> tuple[str, ...]:
    """Return the note that the header is on this line, below `rows` of titles; none without any."""
    note = said("The header is row {line}; the rows above it are left out.", line=line)
    return (note,) if rows else ()


def is_summary(word: str) -> bool:
    """True for what spreadsheets call a row of totals or averages."""
    return bool(_SUMMARIES.fullmatch(word.strip().rstrip(":").casefold()))


def summary_of(cells: Sequence[Cell], width: int) -> str:
    """Return the name of a row of totals: its only text next to numbers; '' for any other row."""
    filled = [cell for cell in cells if not is_blank(cell)]
    texts = [c for c in filled if not isinstance(c, str) or not _NUMBER.fullmatch(c)]
    is_alone = len(texts) == 1 < len(filled) < width and isinstance(texts[0], str)
    return texts[0].strip() if is_alone and is_summary(texts[0]) else ""


def named_columns(names: Iterable[Cell], name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Column names as they are used, and notes on those that had none.

    Raises:
        Problem: two columns have the same name.
    """
    given = [(cell if isinstance(cell, str) else "").strip() for cell in names]
    columns = tuple(text or f"column {place}" for place, text in enumerate(given, 1))
    refuse_twice(columns, name)
    nameless = [str(place) for place, text in enumerate(given, 1) if not text]
    note = said(
        "Columns without a name in the header: {names}; named “column N”.",
        names=joined(", ", nameless),
    )
    return columns, (note,) if nameless else ()


def refuse_twice(columns: Iterable[str], name: str) -> None:
    """Raise a Problem where two columns of the file have the same name."""
    twice = sorted(column for column, times in Counter(columns).items() if times > 1)
    if twice:
        raise Problem(
            "{name} has more than one column named {listed}. Give them different names.",
            name=name,
            listed=quoted(map(excerpt, twice), ", ", LISTED),
            fault_code="name_twice",
        )
