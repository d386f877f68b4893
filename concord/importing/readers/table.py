"""Table and Record: a file as named columns and numbered records, before any meaning."""

import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from concord.importing.readers.cells import Cell, Damaged
from concord.messages import Problem

# A longer line is no row of a sheet, and reading it might take all the memory there is.
LINE_CHARACTERS = 1 << 26
VALUE_LENGTH = 60
_SUMMARIES = re.compile(
    "totals?|sum|average|avg|mean|median|summe|gesamt|mittelwert|(durch)?schnitt|moyenne|somme|"
    "media|promedio|suma|[合总]计|平均|合計|합계|평균"
)


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


class Record(NamedTuple):
    """One record and its number below the header, from 1.

    In a worksheet that is the row number that the spreadsheet shows. `fault` is the error of a
    record that cannot be read as a whole.
    """

    row: int
    cells: tuple[Cell, ...]
    fault: str | None = None


@dataclass(frozen=True)
class Table:
    """A file opened for reading; `records` starts from the first record each time it is called.

    `skipped` says what else the file holds and is not read.
    `origin` is what there is in the export of a tool (`recognition.Found`).
    """

    source: Source
    format: str
    columns: tuple[str, ...]
    records: Callable[[], Generator[Record, None, None]]
    encoding: str | None = None
    skipped: tuple[str, ...] = ()
    worksheet: str | None = None
    worksheets: tuple[str, ...] = ()
    origin: Any = None


def one_line(cell: object) -> str:
    """Return a cell on one line of at most 60 characters; '' for none or a damaged one."""
    if cell is None or isinstance(cell, Damaged):
        return ""
    line = " ".join(str(cell)[: 4 * VALUE_LENGTH].split())
    return line if len(line) <= VALUE_LENGTH else f"{line[: VALUE_LENGTH - 1]}…"


def is_summary(word: str) -> bool:
    """True for what spreadsheets call a row of totals or averages."""
    return bool(_SUMMARIES.fullmatch(word.strip().rstrip(":").casefold()))


def named_columns(names: Iterable[Cell], file: str) -> tuple[str, ...]:
    """Column names as they are used; one without a name is called by its place.

    Raises:
        Problem: two columns have the same name, or the first row is a title.
    """
    given = [(cell if isinstance(cell, str) else "").strip() for cell in names]
    columns = tuple(text or f"column {place}" for place, text in enumerate(given, 1))
    if given[1:] and given[0] and not any(given[1:]):
        raise Problem(
            "The first row of {file} is a title, “{title}”. Remove all rows above the names of "
            "the columns.",
            file=file,
            title=one_line(given[0]),
            fault_code="title",
        )
    twice = sorted(column for column, times in Counter(columns).items() if times > 1)
    if twice:
        raise Problem(
            "{file} has more than one column named {names}. Give them different names.",
            file=file,
            names=one_line(", ".join(twice)),
            fault_code="name_twice",
        )
    return columns
