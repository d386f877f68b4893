"""Import errors: result of checking every row of a file, and the report of bad rows."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from concord.importing import left_out
from concord.importing.columns import ColumnMap
from concord.importing.fault_kinds import kinds
from concord.importing.left_out import LeftOut, Lost
from concord.importing.readers.table import BadRow, Table
from concord.messages import Conflict, Problem, counted, joined, said
from concord.model import Grade
from concord.store.additions import Difference


class Flag(NamedTuple):
    """A warning: how often it occurs, in which rows first, and what it means."""

    kind: str
    count: int
    rows: tuple[int, ...]
    sentence: str


@dataclass(frozen=True)
class Checked:
    """Result of reading a file of answers or of grades.

    `grades` excludes anything a bad row touches; those of a large file are on disk. `rows` counts
    records and `folded` duplicates. `lost` is the number of refused grades by grader name,
    `not_taken` what is refused by answering model and by score.
    """

    table: Table
    columns: ColumnMap
    rows: int
    grades: Sequence[Grade]
    bad_rows: list[BadRow]
    folded: int
    lost: Mapping[str, int]
    sha256: str
    not_taken: Lost

    def refused(self) -> int:
        """Number of bad rows; one row may have several errors."""
        return len({bad.row for bad in self.bad_rows})

    def warnings(self) -> tuple[str, ...]:
        """Sentences on graders with partly rejected grades."""
        kept = Counter(grade.grader for grade in self.grades) if self.lost else {}
        return bias_warnings(self.lost, kept)

    def refusal(self) -> Problem | None:
        """Return why the file is not imported whole; None where every row is valid."""
        if not self.bad_rows:
            return None
        lost = [self.left_out().sentence(), *self.warnings()]
        valid = self.refused() < self.rows or self.grades or getattr(self, "items", ())
        ends = ending(lost, bool(valid))
        return refusal(self.table.source.name, self.bad_rows, self.rows, ends)

    def left_out(self, conflicting: Collection[int] = ()) -> LeftOut:
        """Return what a partial import leaves out, rows that contradict stored data included."""
        return left_out.of(getattr(self, "items", ()), self.grades, self.not_taken, conflicting)

    def faults_as_json(self, conflicting: Collection[int]) -> dict[str, Any]:
        """The kinds of faults and what is left out with them, for `--json`.

        `conflicting` are rows that contradict what is stored.
        """
        return {
            "faults": [kind.as_json() for kind in kinds(self.bad_rows)],
            "left_out": self.left_out(conflicting).as_json(),
        }


def refusal(name: str, bad_rows: Sequence[BadRow], rows: int, ends: Sequence[str]) -> Problem:
    """Return the error for a whole file: each kind of fault, and how it `ends`."""
    count = len({bad.row for bad in bad_rows})
    refused = said(
        "{count:,} of {rows} of {name} is bad, so nothing was imported."
        if count == 1
        else "{count:,} of {rows} of {name} are bad, so nothing was imported.",
        count=count,
        rows=counted(rows, "row"),
        name=name,
        fault_code="bad_rows",
    )
    return Problem(joined("\n", [refused, *faults(bad_rows), *ends]))


def ending(lost: Sequence[str], is_partial: bool) -> list[str]:
    """Return what would be lost with the bad rows, and the remedy.

    Where not a part of the file can be imported, nothing is lost with it and the file is corrected.
    """
    if not is_partial:
        return [said("Correct the file and import it again.")]
    return [*lost, said("Correct the file, or import the good rows alone with --partial.")]


def contradicted(
    name: str, conflicts: Sequence[Difference], remedy: str, on_screen: str = ""
) -> Conflict:
    """Return the error for a file that contradicts what is stored: each kind, and the remedy.

    `on_screen` is the remedy for a screen, where the other names options of the command line.
    """
    listed = faults([BadRow(c.row, None, c.column, c.problem) for c in conflicts])
    rows = counted(len({c.row for c in conflicts}), "row contradicts", "rows contradict")
    refused = said(
        "{name}: {rows} what is stored, so nothing was imported.",
        name=name,
        rows=rows,
        fault_code="contradicts",
    )
    found = joined("\n", [refused, *listed])
    screen = joined("\n", [found, on_screen or remedy])
    return Conflict(joined("\n", [found, remedy]), on_screen=screen)


def faults(bad_rows: Sequence[BadRow]) -> Iterator[str]:
    """Yield each kind of fault once: its rows, what is wrong, what can be done, and examples."""
    return (kind.sentence() for kind in kinds(bad_rows))


def bias_warnings(lost: Mapping[str, int], kept: Mapping[str, int]) -> tuple[str, ...]:
    """Return a sentence for each grader who loses grades: the rest is not a random sample."""
    return tuple(
        said(
            "{grader} loses every grade. Correct the scores, or leave this grader out.",
            grader=grader,
        )
        if grader not in kept
        else said(
            "{grader} loses {count} of {one} grades. The remaining grades may be biased, because "
            "the rejected ones are not a random sample: correct the scores, or leave this grader "
            "out.",
            grader=grader,
            count=count,
            one=count + kept[grader],
        )
        for grader, count in sorted(lost.items() if kept else ())
    )
