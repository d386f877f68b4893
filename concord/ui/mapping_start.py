"""Where a column mapping starts: proposed from the values of a file, or as it was used before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as of_dataclass
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.answer_columns import wide_candidates
from concord.importing.column_paths import CONSTANT
from concord.importing.columns import ColumnMap, column_map
from concord.importing.fields import ITEM_FIELDS
from concord.importing.proposals.proposal import Proposal
from concord.importing.proposals.propose import propose
from concord.importing.readers.table import Table
from concord.messages import said

# The reason that needs no mention: whoever reads the column's name sees it.
_BY_NAME = said("the name says so")
_KINDS = {"person": "annotator"}
# What may be the same for every row: a value that is typed and is no column is taken as that.
MAY_BE_CONSTANT = (
    *("cluster", "answer_model", "judge_date", "synthetic"),
    *("criterion", "grader", "grader_kind"),
)


class GradeRow(NamedTuple):
    """A column that may hold grades: whether it is taken, of which criterion, and by whom.

    Grader and criterion may be `{COLUMN}`, read from that column in each row.
    """

    take: bool
    column: str
    criterion: str
    grader: str
    kind: str
    reason: str = ""


@dataclass(frozen=True)
class Start:
    """What the pickers of a mapping show before the user changes them.

    Attributes:
        fields: The columns, paths and constants of each field; a field that is not there has none.
        answers: Answering model by column, where each has a column of its own.
        grades: Columns that may hold grades of one grader each.
        reasons: Why a field is proposed as it is, where its name does not say so.
        doubts: Fields that several columns fit equally well, with these columns.
        remarks: What else the user should know about it.
        of_grades: True for a file that seems to hold grades of answers that are elsewhere.
    """

    fields: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, str] = of_dataclass(default_factory=dict)
    grades: tuple[GradeRow, ...] = ()
    reasons: Mapping[str, str] = of_dataclass(default_factory=dict)
    doubts: Mapping[str, tuple[str, ...]] = of_dataclass(default_factory=dict)
    remarks: tuple[str, ...] = ()
    of_grades: bool = False

    def column(self, name: str) -> str | None:
        """The first column of a field, or None."""
        return next(iter(self.fields.get(name, ())), None)


def proposed(table: Table) -> Start:
    """Propose a start from the values of the first records."""
    proposal = propose(table)
    fields: dict[str, tuple[str, ...]] = {}
    for word in proposal.words:
        if word.column:
            fields[word.field] = (*fields.get(word.field, ()), word.column)
    doubts = {doubt.field: doubt.columns for doubt in proposal.doubts}
    rows = [
        GradeRow(g.kind != "metric", g.column, g.criterion, g.grader, g.kind, g.reason)
        for g in proposal.grades
    ]
    unsure = next((d for d in proposal.doubts if d.field == "score"), None)
    rows += [_row(one, reason=unsure.reason) for one in (unsure.columns if unsure else ())]
    rows += [_row(one.column) for one in proposal.left_out]
    models = _models(table, proposal)
    return Start(
        fields=fields,
        answers={column: column for column in models},
        grades=tuple(row for row in rows if row.column not in models),
        reasons={w.field: w.reason for w in proposal.words if w.reason != _BY_NAME},
        doubts=doubts,
        remarks=tuple(d.reason for d in proposal.doubts if d.field == "grader_kind"),
        of_grades=proposal.of == "grades",
    )


def _models(table: Table, proposal: Proposal) -> tuple[str, ...]:
    """The columns that may each hold the answers of one answering model; () where none do."""
    columns = column_map(table.columns, proposal.spoken(with_grades=False))
    if proposal.of == "grades" or not columns.column("question"):
        return ()
    return wide_candidates(table, columns)


def of_words(table: Table, words: Sequence[str], complete: bool = False) -> Start:
    """The start that the words of a map give.

    Args:
        table: The file.
        words: `FIELD=COLUMN` words.
        complete: Whether fields without a word are left out, whatever the columns are called.

    Raises:
        Problem: a word names a column that the file does not have.
    """
    said_of = {word.partition("=")[0].rstrip(":") for word in words}
    closed = [f"{f}=" for f in ITEM_FIELDS if f not in said_of] if complete else []
    return of_columns(column_map(table.columns, (*words, *closed)))


def of_columns(columns: ColumnMap, candidates: Iterable[GradeRow] = ()) -> Start:
    """The start that a column map gives; candidates for grades come first, and are not taken."""
    taken = [
        GradeRow(True, s.column, s.criterion, s.grader, _KINDS.get(s.kind, s.kind))
        for s in columns.scores
    ]
    rows = [*taken, *candidates]
    known = {row.column for row in rows}
    rows += [_row(column) for column in columns.leftovers if column not in known]
    return Start(
        fields=columns.fields,
        answers={column: model for model, column in columns.answers.items()},
        grades=tuple(rows),
        doubts=columns.ambiguous,
    )


def column_of(text: str, field: str, columns: Sequence[str]) -> str:
    """What was chosen or typed for a field: a column, a path, or the value of every row."""
    is_column = text in columns or text.startswith(CONSTANT)
    if is_column or column_paths.key_name(text) or column_paths.parse(text, columns):
        return text
    return f"{CONSTANT}{text.strip()}" if field in MAY_BE_CONSTANT else text


def _row(column: str, reason: str = "") -> GradeRow:
    """A column of which only the user knows whether it holds grades."""
    return GradeRow(False, column, "", "", "annotator", reason)
