"""Import errors: result of checking every row of a file, and the report of bad rows."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from concord.importing.columns import ColumnMap
from concord.importing.readers.table import LINE, BadRow, Table
from concord.messages import said
from concord.model import Grade
from concord.problems import Problem

# So many rows with one and the same fault are named in one line, and so many whose faults differ
# only in the word that is quoted; of these words the first are given.
ALIKE = 4
ALMOST = 12
QUOTED = 5
# Up to so many ranges of rows are given once more as lines of the file.
FEW = 5
_QUOTED = re.compile("“([^”]*)”")


class Flag(NamedTuple):
    """A warning: how often it occurs, in which rows first, and what it means."""

    kind: str
    count: int
    rows: tuple[int, ...]
    sentence: str


@dataclass(frozen=True)
class Checked:
    """Result of reading a file of answers or of grades.

    `grades` excludes anything a bad row touches. `rows` counts records and `folded` duplicates.
    `lost` is the number of refused grades by grader name.
    """

    table: Table
    columns: ColumnMap
    rows: int
    grades: list[Grade]
    bad_rows: list[BadRow]
    folded: int
    lost: Mapping[str, int]
    sha256: str

    def refused(self) -> int:
        """Number of bad rows; one row may have several errors."""
        return len({bad.row for bad in self.bad_rows})

    def warnings(self) -> tuple[str, ...]:
        """Sentences on graders with partly rejected grades."""
        return bias_warnings(self.lost, Counter(grade.grader for grade in self.grades))

    def refusal(self) -> Problem | None:
        """Why the file is not imported whole; None where every row is good."""
        if not self.bad_rows:
            return None
        return refusal(self.table.source.name, self.bad_rows, self.rows, self.warnings())


def refusal(name: str, bad_rows: Sequence[BadRow], rows: int, lost: Sequence[str]) -> Problem:
    """Return the error for a whole file: every bad row, what would be lost, and how to proceed."""
    count = len({bad.row for bad in bad_rows})
    noun = "row" if rows == 1 else "rows"
    verb = "is" if count == 1 else "are"
    return Problem(
        "\n".join(
            (
                f"{count} of {rows} {noun} of {name} {verb} bad, so nothing was imported.",
                *faults(bad_rows),
                *lost,
                "Correct the file, or import the good rows alone with --partial.",
            )
        )
    )


def faults(bad_rows: Sequence[BadRow]) -> Iterator[str]:
    """Yield each bad row in a line; rows with the same error share a line that names them all."""
    for group in _by(bad_rows, lambda bad: _QUOTED.sub("", bad.problem)):
        if len(group) >= ALMOST:
            yield _together(group)
            continue
        for same in _by(group, lambda bad: bad.problem):
            if len(same) >= ALIKE:
                yield _together(same)
            else:
                yield from (bad.sentence() for bad in same)


def _by(bad_rows: Sequence[BadRow], key: Callable[[BadRow], str]) -> Iterator[list[BadRow]]:
    """Yield bad rows grouped by column and a key, in order of the first."""
    alike: dict[tuple, list[BadRow]] = defaultdict(list)
    for bad in bad_rows:
        alike[bad.column, bad.of, key(bad)].append(bad)
    yield from alike.values()


def _together(group: Sequence[BadRow]) -> str:
    """Return one line for similar bad rows, with the first of their differing texts."""
    first = group[0]
    lines = [bad.line for bad in group if bad.line is not None]
    rows = _ranges([bad.row for bad in group])
    whole = len(lines) == len(group) and rows.count(",") < FEW
    places = f" ({LINE}s {_ranges(lines)})" if whole else ""
    of = f" {first.of}" if first.of else ""
    at = f", column “{first.column}”" if first.column else ""
    others = list(dict.fromkeys(bad.problem for bad in group if bad.problem != first.problem))
    words = [word for one in others for word in _QUOTED.findall(one)]
    words = [word for word in dict.fromkeys(words) if f"“{word}”" not in first.problem]
    also = ", ".join(f"“{word}”" for word in words[:QUOTED])
    more = f" and {len(words) - QUOTED:,} more" if len(words) > QUOTED else ""
    so_too = f" So too for {also}{more}." if words else ""
    return f"Rows {rows}{of}{places}{at}: {first.problem}{so_too}"


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers in words, with neighbours as ranges: 1-3, 7."""
    runs: list[list[int]] = []
    for number in dict.fromkeys(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def bias_warnings(lost: Mapping[str, int], kept: Mapping[str, int]) -> tuple[str, ...]:
    """Return a sentence for each grader who loses grades: the rest is not a random sample."""
    return tuple(
        said(
            "{grader} loses {count} of {one} grades. What is left is biased, since the "
            "refused grades are not a random draw: leave this grader out, or correct the "
            "scores.",
            grader=grader,
            count=count,
            one=count + kept.get(grader, 0),
        )
        for grader, count in sorted(lost.items())
    )
