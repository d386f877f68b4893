"""Segment column: which segment each answer of a sheet is in, by a column of the sheet."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import Problem, joined
from concord.model import Sheet
from concord.store import items
from concord.store.database import Store

ANSWER_MODEL, CLUSTER, SYNTHETIC = "answer_model", "cluster", "synthetic"
FIELDS = {
    ANSWER_MODEL: "answering model",
    CLUSTER: "cluster",
    SYNTHETIC: "synthetic",
}
SEGMENTS_AT_MOST = 50
_LISTS = {"relevant_ids", "rubric"}  # values that name no segment
_SYNTHETIC = {0: "not synthetic", 1: "synthetic"}


class SegmentColumn(NamedTuple):
    """The segment of every answer of a sheet.

    Attributes:
        name: The column, a key of `FIELDS` or a column of the sheet.
        title: What it is called.
        segments: By item id; '' for an answer without a value.
    """

    name: str
    title: str
    segments: dict[int, str]

    @property
    def values(self) -> list[str]:
        """The segments in order of the first answer of each, without ''."""
        return list(dict.fromkeys(filter(None, self.segments.values())))


def columns(store: Store, sheet: Sheet) -> list[str]:
    """Return every column by which a sheet may be segmented, the fields of an answer first."""
    own = items.column_names(store, sheet.id)
    return [*FIELDS, *(name for name in own if name not in FIELDS and name not in _LISTS)]


def read(store: Store, sheet: Sheet, column: str) -> SegmentColumn:
    """Read the segment of every answer; an unknown column leaves all without one.

    A list or an object names no segment. Of columns with the same name, the field of an answer
    counts.
    """
    if column in FIELDS:
        found = items.field_values(store, sheet.id, column)
        if column == SYNTHETIC:
            found = {item_id: _SYNTHETIC[value] for item_id, value in found.items()}
    else:
        found = items.column_values(store, sheet.id, column)
    segments = {item_id: _segment(value) for item_id, value in found.items()}
    return SegmentColumn(column, FIELDS.get(column, column), segments)


def compared(store: Store, sheet: Sheet, column: str) -> SegmentColumn:
    """Read the segments by a column for a comparison of all of them.

    Raises:
        Problem: The sheet has no such column, it holds lists, or it has too many values.
    """
    found = read(store, sheet, column)
    if column not in FIELDS:
        values = items.column_values(store, sheet.id, column).values()
        if not any(value is not None for value in values):
            raise _unknown(sheet, column, columns(store, sheet))
        if any(isinstance(value, list | dict) for value in values):
            raise Problem(
                "Some values of the column “{column}” are lists. A segment needs one value per "
                "answer: choose another column, or import the sheet with one value in it.",
                column=column,
            )
    if len(found.values) > SEGMENTS_AT_MOST:
        raise Problem(
            "The column “{column}” has {n:,} different values; at most {most} segments are "
            "compared, and values are never grouped for you. Choose a column with fewer values, "
            "or import the sheet with one, such as ranges in place of numbers.",
            column=found.title,
            n=len(found.values),
            most=SEGMENTS_AT_MOST,
        )
    return found


def _unknown(sheet: Sheet, column: str, known: Sequence[str]) -> Problem:
    return Problem(
        "No answer of the sheet {sheet} has a column “{column}”. Available: {columns}.",
        sheet=sheet.name,
        column=column,
        columns=joined(", ", known),
    )


def _segment(value: items.ColumnValue) -> str:
    return "" if value is None or isinstance(value, list | dict) else str(value).strip()
