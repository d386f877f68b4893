"""Faults of an import: rows checked, faults by kind, and what a partial import leaves out."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from concord.importing.columns import ColumnMap
from concord.importing.readers.table import Table
from concord.messages import Conflict, Problem, counted, joined, said
from concord.model import BadRow, Grade, Item

# Up to so many ranges of rows are named.
RANGES = 5


FLAGS = {
    "no_answer": "Missing answers (null): {n:,}. They are left out.",
    "empty_answer": "Empty answers: {n:,}. They are imported and graded like any other.",
    "cut_off": (
        "Answers of exactly 32,767 characters: {n:,}. Spreadsheet programs truncate cells at this "
        "length; check that the answers are complete."
    ),
    "replaced": (
        "Items with the replacement character �: {n:,}. A character was lost earlier; check the "
        "encoding."
    ),
    "respelled": (
        "Questions that differ only in case or spaces: {n:,}. The first spelling is used."
    ),
    "blank": "Blank rows skipped: {n:,}.",
    "folded": "Duplicate rows merged into an earlier row: {n:,}.",
    "folded_grades": (
        "Grades that repeat one of the same grader and criterion: {n:,}. Each is imported once; if "
        "they are of two graders or criteria, map them so."
    ),
}


@dataclass(frozen=True)
class Checked:
    """Result of reading a file of answers or of grades.

    `items` and `grades` exclude anything a bad row touches; those of a large file are on disk.
    `rows` counts records, and `folded` duplicates. `flags` counts what is worth knowing, by
    `FLAGS`; `notes` are sentences on it.
    """

    table: Table
    columns: ColumnMap
    rows: int
    grades: Sequence[Grade]
    bad_rows: list[BadRow]
    folded: int
    sha256: str
    items: Sequence[Item] = ()
    flags: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def refused(self) -> int:
        """Number of bad rows; one row may have several errors."""
        return len({(bad.of, bad.row) for bad in self.bad_rows})

    def refusal(self) -> Problem | None:
        """Return why the file is not imported whole; None where every row is valid."""
        if not self.bad_rows:
            return None
        # A row that is not of the file is missing in it.
        rows = self.rows + sum(bool(bad.of) for bad in self.bad_rows)
        head = said(
            "{count:,} of {rows} of {name} cannot be taken, so nothing was imported.",
            count=self.refused(),
            rows=counted(rows, "row"),
            name=self.table.source.name,
            fault_code="bad_rows",
        )
        remedy = "Correct the file and import it again."
        if self.refused() < rows or self.grades:
            remedy = "Correct the file, or import the good rows alone with --partial."
        return Problem(joined("\n", [head, *faults(self.bad_rows), remedy]))

    def remarks(self) -> list[str]:
        """Sentences on what is legal and worth knowing."""
        return [*self.notes, *(FLAGS[flag].format(n=n) for flag, n in self.flags.items() if n)]


def kinds(bad_rows: Sequence[BadRow]) -> list[dict[str, Any]]:
    """Return every kind of fault once, in the order of its first row.

    Of each its `code`, `problem` as its first row has it, `column` (None where the row as a whole
    is bad), `of` what the rows are where not of the file, `count`, and `rows` in words.
    """
    alike: dict[tuple, list[BadRow]] = defaultdict(list)
    for bad in bad_rows:
        alike[bad.column, bad.of, getattr(bad.problem, "code", bad.problem)].append(bad)
    found = []
    for (column, of, _), group in alike.items():
        rows, problem = [*dict.fromkeys(bad.row for bad in group)], group[0].problem
        kind = {"code": getattr(problem, "code", None), "problem": problem, "column": column}
        found.append(kind | {"of": of, "count": len(rows), "rows": ranges(rows)})
    return found


def faults(bad_rows: Sequence[BadRow]) -> Iterator[str]:
    """Yield each kind of fault: its rows, what is wrong, and what can be done."""
    for kind in kinds(bad_rows):
        of = f" {kind['of']}" if kind["of"] else ""
        at = f", column “{kind['column']}”" if kind["column"] else ""
        yield f"Row {kind['rows']}{of}{at}: {kind['problem']}"


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in words, neighbours drawn together, and how many more there are: 1-3, 7.

    A number that occurs twice is named once.
    """
    rows = enumerate(dict.fromkeys(numbers))
    runs = [[n for _, n in run] for _, run in groupby(rows, lambda one: one[1] - one[0])]
    shown = ", ".join("-".join(map(str, dict.fromkeys((run[0], run[-1])))) for run in runs[:RANGES])
    more = sum(map(len, runs[RANGES:]))
    return f"{shown} and {more:,} more" if more else shown


def contradicted(name: str, conflicts: Sequence[BadRow], remedy: str) -> Conflict:
    """Return the error for a file that contradicts what is stored: each kind, and the remedy."""
    head = said(
        "{name}: {rows} contradict what is stored, so nothing was imported.",
        name=name,
        rows=counted(len({one.row for one in conflicts}), "row"),
        fault_code="contradicts",
    )
    return Conflict(joined("\n", [head, *faults(conflicts), remedy]))
