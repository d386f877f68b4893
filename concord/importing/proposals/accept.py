"""A proposal that is accepted: as a whole where the user says so, else as far as it is certain."""

from collections.abc import Sequence

from concord.importing import column_paths
from concord.importing.columns import (
    check_columns,
    check_has_questions,
    column_map,
    head,
    opened,
)
from concord.importing.fields import BESIDE_ANSWERS
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import profile
from concord.importing.proposals.proposal import Doubt, Proposal
from concord.importing.proposals.propose import DIFFERENT_SCALES, FEW, RECORDS, propose
from concord.importing.readers.cells import excerpt
from concord.importing.readers.table import Table
from concord.messages import Problem, joined, quoted, said


def unambiguous(table: Table, words: Sequence[str] = ()) -> Proposal | None:
    """The proposal for a file whose names do not say enough, where nothing needed is in doubt.

    None for a file that is read by the names of its columns, and where the user has to choose or
    has mapped more than grades with `words`.

    Raises:
        Problem: a column is named as the answer, and holds labels.
    """
    _check_answer(table, words)
    if not all(_field(word) in BESIDE_ANSWERS for word in words):
        return None
    try:
        check_columns(table, column_map(table.columns))
        return None
    except Problem:
        proposal = propose(table)
    needed = {"question", "answer", "turns"}
    if proposal.of != "answers" or any(doubt.field in needed for doubt in proposal.doubts):
        return None
    try:
        columns = column_map(table.columns, proposal.spoken(with_grades=False))
        check_columns(opened(table, columns), columns)
    except Problem:
        return None
    return proposal


def _check_answer(table: Table, words: Sequence[str]) -> None:
    """Refuse a column of labels as the answer, unless the user mapped it."""
    column = column_map(table.columns).column("answer")
    if column and not any(_field(word) in ("answer", "turns") for word in words):
        place = table.columns.index(column)
        found = profile(column, (record.cells[place] for record in head(table, RECORDS)))
        if found.is_label:
            raise Problem(
                "{column} (answer): {reason} ({values}). Map the answer; if it is this column, "
                "with --map answer={column}.",
                column=column,
                reason=FEW,
                values=quoted(map(excerpt, dict.fromkeys(found.texts))),
                fault_code="labels",
            )


def as_proposed(table: Table, words: Sequence[str], without: Sequence[str] = ()) -> tuple[str, ...]:
    """The words of the proposal, grades included; others replace its own.

    Args:
        table: The file.
        words: `FIELD=COLUMN` words of the user.
        without: Columns that are left out, with every path into them.

    Raises:
        Problem: something that is needed, or a column of grades, can be read in two ways; or a
            column to leave out is not there.
    """
    for column in without:
        if column not in table.columns and column_paths.parse(column, table.columns) is None:
            raise Problem(
                "There is no column “{column}” to leave out.",
                column=column,
                fault_code="not_a_column",
            )
    proposal = propose(table)
    mapped = {w.partition("=")[2].strip() for w in words if not w.startswith("criterion:")}
    fields = {word.partition("=")[0].strip(" :") for word in words}
    check_has_questions(table, {*fields, *(word.field for word in proposal.words)})
    for doubt in filter(_must_be_settled, proposal.doubts):
        columns = [c for c in doubt.columns if c not in mapped and not _is_in(c, without)]
        if doubt.field not in fields and not doubt.columns:
            raise Problem(
                "{file}: {reason}. Name the {field} with --map {field}=COLUMN.",
                file=table.source.name,
                reason=doubt.reason,
                field=doubt.field,
                fault_code="undecided",
            )
        if doubt.field not in fields and columns:
            raise Problem(
                "{columns} ({field}): {reason}. Map each with --map{example}, or leave it out "
                "with --without.",
                columns=joined(", ", columns),
                field=doubt.field,
                reason=doubt.reason,
                example=_example(table, doubt.field, columns, doubt.reason),
                fault_code="undecided",
            )
    split = (word.partition("=") for word in proposal.spoken())
    kept = (
        f"{field}={column}"
        for field, _, column in split
        if field.strip(" :") not in fields
        and not _is_in(column, without)
        and not (field.startswith("score:") and column in mapped)
    )
    return (*kept, *words)


def of_metrics(table: Table, words: Sequence[str]) -> list[str]:
    """Return what metrics named for no criterion of the annotators are compared with."""
    proposal = propose(table)
    taken = {grade.column for grade in proposal.grades if grade.text in words}
    # What a judge is not compared with is flagged once the grades are read.
    undecided = [one for one in proposal.doubts if not _must_be_settled(one) and not one.words]
    return [
        said("{columns}: {reason}.", columns=joined(", ", one.columns), reason=one.reason)
        for one in undecided
        if taken.intersection(one.columns)
    ]


def _example(table: Table, field: str, columns: Sequence[str], reason: str) -> str:
    """A word for a column that could hold an annotator's grades, or the answers of a model."""
    name = known.last(columns[0])
    if field == "answer" and column_paths.placeholders(columns[0]):
        return said(', as in --map "answer={one}"', one=columns[0])
    if field == "answer":
        return said(
            ', as in --map "answer={one}", or with its answering model as in --map '
            '"answer:{name}={one}"',
            name=name,
            one=columns[0],
        )
    if field == "grader":
        criterion = known.slug(known.words(known.meant(known.last(columns[0]))))
        return said(
            ', as in --map "score:annotator:NAME:{criterion}={one}"',
            criterion=criterion,
            one=columns[0],
        )
    if field != "score" or _holds_objects(table, columns[0]):
        return ""
    if len(columns) == 1 or reason == DIFFERENT_SCALES:
        before = known.last(columns[0].rpartition(".")[0])
        return said(
            ', as in --map "score:{kind}:{name}:overall={one}"',
            kind=_kind(columns[0]),
            name=before if before and name in known.SCORE else name,
            one=columns[0],
        )
    return said(
        ", as a grader ({graders}) or as a criterion ({criteria})",
        graders=" ".join(f'--map "score:{_kind(c)}:{known.meant(c)}:overall={c}"' for c in columns),
        criteria=" ".join(
            f'--map "score:{_kind(c)}:{_kind(c)}:{known.meant(c)}={c}"' for c in columns
        ),
    )


def _kind(column: str) -> str:
    is_judge = known.has(known.words(column), known.JUDGE)
    return "judge" if is_judge else "annotator"


def _holds_objects(table: Table, column: str) -> bool:
    """True for a column of lists or dictionaries, which hold no single grade."""
    if column not in table.columns:
        return bool(column_paths.placeholders(column))
    place = table.columns.index(column)
    cells = (column_paths.structured(record.cells[place]) for record in head(table))
    return any(isinstance(cell, list | dict) for cell in cells)


def _must_be_settled(doubt: Doubt) -> bool:
    """False for what a metric is compared with, which is only said."""
    return doubt.field != "criterion"


def _field(word: str) -> str:
    """The field that a word is of: `score` for `score:annotator:ana:tone=ana`."""
    return word.partition("=")[0].partition(":")[0].strip()


def _is_in(column: str, others: Sequence[str]) -> bool:
    return any(column == one or column.startswith(f"{one}.") for one in others)
