"""Table, Record and BadRow: a file as named columns and numbered records, before any meaning.

Origin is the tool that wrote it, and what its export says beyond the rows.
"""

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from concord.importing.readers.cells import Cell, Damaged, is_blank
from concord.importing.readers.encoding import Guess
from concord.importing.readers.source import Source
from concord.messages import Problem, joined, quoted, said

# The column of a recognised export that holds the list of an answer's grades.
GRADES = "grades"


class JudgeIdentity(NamedTuple):
    """A judge or metric of an export; '' where the export does not say.

    `name` is the name its grades have: it contains the model, the version, and a digest of the
    prompt, so that two judges that differ in one of them are two graders.
    """

    name: str
    model: str = ""
    prompt: str = ""
    version: str = ""


class LeftOut(NamedTuple):
    """A part of an export that is not imported: what, how many of it, and why."""

    what: str
    count: int
    reason: str


@dataclass(frozen=True)
class Origin:
    """What the reader of a tool's export knows beyond the rows of the table it makes.

    Attributes:
        tool: The tool and the kind of its file, for a user.
        of: `answers`, or `grades` of answers that are not in the export.
        words: The column map of the table.
        judges: The judges and metrics whose grades it has.
        left_out: What of the export is not among the rows.
        annotated: The criteria that annotators graded.
        judged: The criteria that judges graded.
    """

    tool: str
    of: Literal["answers", "grades"]
    words: tuple[str, ...]
    judges: tuple[JudgeIdentity, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    annotated: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()

    def same_criteria(self) -> tuple[str, ...]:
        """Words that read a criterion of judges alone as one of annotators alone."""
        return tuple(
            f"criterion:{judged}={annotated}"
            for judged in self.judged
            for annotated in self.annotated
            if judged not in self.annotated and annotated not in self.judged
        )

    def kept(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns that are kept with each answer: the grades are read, and not kept as well."""
        return tuple(column for column in columns if column != GRADES)

    def with_words(self, more: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the map, where more words replace those of the same fields.

        `score=` leaves out the grades.
        """
        fields = {_field(word) for word in more}
        kept = [word for word in self.words if _field(word) not in fields]
        if any(word.strip() == "score=" for word in more):
            kept = [word for word in kept if f"={GRADES}." not in word]
        return (*kept, *more)


def _field(word: str) -> str:
    return word.partition("=")[0].strip().removesuffix(":").strip()


LINE = said("line")
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
    `whole` gives the same table with nested objects as single cells; None where no object was
    opened. `origin` is the tool whose export was recognised.
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
    whole: Callable[[], "Table"] | None = None
    origin: Origin | None = None

    def with_objects(self) -> "Table":
        """The table with nested objects as single cells."""
        return self.whole() if self.whole else self

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
    twice = sorted(text for text, times in Counter(columns).items() if times > 1)
    if twice:
        listed = quoted(twice)
        raise Problem(
            "{name} has more than one column named {listed}. Give them different names.",
            name=name,
            listed=listed,
            fault_code="name_twice",
        )
    nameless = [str(place) for place, text in enumerate(given, 1) if not text]
    note = said(
        "Columns without a name in the header: {names}; named “column N”.",
        names=joined(", ", nameless),
    )
    return columns, (note,) if nameless else ()
