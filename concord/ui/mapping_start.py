"""Initial column mapping: the pickers before the user changes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as of_dataclass
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.column_paths import CONSTANT
from concord.importing.columns import ColumnMap, column_map
from concord.importing.fields import ITEM_FIELDS, folded
from concord.importing.readers.table import Table

# Fields that may be the same for every row: a typed value that is no column is that value.
MAY_BE_CONSTANT = (
    *("cluster", "answer_model", "judge_date", "synthetic"),
    *("criterion", "grader", "grader_kind"),
)


class GradeRow(NamedTuple):
    """A column that may hold grades: whether it is taken, of which criterion, and by whom.

    Grader and criterion may be `{COLUMN}`, read from that column in each row. Where nothing says
    what kind of grader graded, the kind is empty, and the user chooses it.
    """

    take: bool
    column: str
    criterion: str
    grader: str
    kind: str
    reason: str = ""


@dataclass(frozen=True)
class Start:
    """Initial values of the pickers of a mapping.

    Attributes:
        fields: The columns, paths and constants of each field; a field that is not there has none.
        answers: Answering model by column, where each has a column of its own.
        grades: Columns that may hold grades of one grader each.
        reasons: Why a field is proposed as it is, where its name does not say so.
        doubts: Fields that several columns fit equally well, with these columns.
        remarks: What else the user should know about it.
        without: Criteria of one grade per row that are left out.
        same: Criteria of the file that are read as another, as words of a map.
        offered: Such words that may hold, of which none is taken before it is chosen.
        criteria: Criteria of the file that may be left out.
        of_every_row: Values that a field may have in every row, offered next to the columns, with
            the names they are shown by.
        of_grades: True for a file that seems to hold grades of answers that are elsewhere.
    """

    fields: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, str] = of_dataclass(default_factory=dict)
    grades: tuple[GradeRow, ...] = ()
    reasons: Mapping[str, str] = of_dataclass(default_factory=dict)
    doubts: Mapping[str, tuple[str, ...]] = of_dataclass(default_factory=dict)
    remarks: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    of_every_row: Mapping[str, Mapping[str, str]] = of_dataclass(default_factory=dict)
    of_grades: bool = False

    def column(self, name: str) -> str | None:
        """The first column of a field, or None."""
        return next(iter(self.fields.get(name, ())), None)


def of_words(table: Table, words: Sequence[str], complete: bool = False) -> Start:
    """The start that the words of a map give.

    With `complete`, fields without a word are left out, whatever the columns are called.

    Raises:
        Problem: a word names a column that the file does not have.
    """
    mentioned = {word.partition("=")[0].rstrip(":") for word in words}
    closed = [f"{f}=" for f in ITEM_FIELDS if f not in mentioned] if complete else []
    return of_columns(column_map(table.columns, (*words, *closed)))


def of_columns(columns: ColumnMap, candidates: Iterable[GradeRow] = ()) -> Start:
    """The start that a column map gives; candidates for grades come first, and are not taken."""
    taken = [GradeRow(True, s.column, s.criterion, s.grader, s.kind_word) for s in columns.scores]
    rows = [*taken, *candidates]
    known = {row.column for row in rows}
    rows += [grade_row(column) for column in columns.leftovers if column not in known]
    return Start(
        fields=columns.fields,
        answers={column: model for model, column in columns.answers.items()},
        grades=tuple(rows),
        doubts=columns.ambiguous,
        without=columns.without,
        same=tuple(f"criterion:{one}={to}" for one, to in columns.same),
    )


def column_of(text: str, field: str, columns: Sequence[str]) -> str:
    """Return the user's choice for a field: a column, a path, or the value of every row."""
    is_column = text in columns or text.startswith(CONSTANT)
    if is_column or column_paths.key_name(text) or column_paths.parse(text, columns):
        return text
    return f"{CONSTANT}{text.strip()}" if field in MAY_BE_CONSTANT else text


def grade_row(column: str, reason: str = "") -> GradeRow:
    """A column of which only the user knows whether it holds grades."""
    return GradeRow(False, column, "", "", "", reason)


def filled(row: GradeRow, columns: ColumnMap, criteria: Sequence[str]) -> GradeRow:
    """Return a row with what other columns, and the rubric, say of it.

    A criterion is that which begins as the column is named, or the only one.
    """
    named, kind = columns.column("grader") or CONSTANT, columns.column("grader_kind") or ""
    if row.grader in ("", row.column) and not named.startswith(CONSTANT):
        row = row._replace(grader=f"{{{named}}}")
    if not row.kind and kind.startswith(CONSTANT):
        row = row._replace(kind=kind.removeprefix(CONSTANT))
    if row.criterion:
        return row
    column = folded(row.column)
    alike = [one for one in criteria if len(criteria) == 1 or (column and one.startswith(column))]
    return row._replace(criterion=alike[0]) if len(alike) == 1 else row
