"""What to say about a file some of whose rows cannot be taken."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from data.files.table import BadRow
from problems import Problem


class Flag(NamedTuple):
    """Something legal but worth knowing: how often it occurs, in which rows first, and what."""

    kind: str
    count: int
    rows: tuple[int, ...]
    sentence: str


def refusal(name: str, bad_rows: Sequence[BadRow], rows: int, lost: Sequence[str]) -> Problem:
    """The refusal of a whole file: every bad row, what would be lost, and how to go on."""
    count = len({bad.row for bad in bad_rows})
    noun = "row" if rows == 1 else "rows"
    verb = "is" if count == 1 else "are"
    return Problem(
        "\n".join(
            (
                f"{count} of {rows} {noun} of {name} {verb} bad, so nothing was imported.",
                *(bad.sentence() for bad in bad_rows),
                *lost,
                "Correct the file, or import the good rows alone with --partial.",
            )
        )
    )


def bias_warnings(lost: Mapping[str, int], kept: Mapping[str, int]) -> tuple[str, ...]:
    """One sentence for each grader who loses grades: what is left is no fair draw of theirs."""
    return tuple(
        f"{grader} loses {count} of {count + kept.get(grader, 0)} grades. What is left is biased, "
        f"since the refused grades are not a random draw: leave this grader out, or correct the "
        f"scores."
        for grader, count in sorted(lost.items())
    )
