"""The start of a column mapping that the values of a file propose."""

from collections.abc import Collection, Iterable, Iterator

from concord.importing import column_paths
from concord.importing.answer_columns import wide_candidates
from concord.importing.columns import column_map
from concord.importing.proposals.grade_names import EITHER
from concord.importing.proposals.proposal import Doubt, Proposal
from concord.importing.proposals.propose import propose
from concord.importing.readers.table import Table
from concord.messages import joined, said
from concord.ui.mapping_start import GradeRow, Start, grade_row

# The reason that needs no mention: the column's name shows it.
_BY_NAME = said("the column's name")


def proposed(table: Table) -> Start:
    """Propose a start from the values of the first records."""
    proposal = propose(table)
    fields: dict[str, tuple[str, ...]] = {}
    for word in proposal.words:
        if word.column:
            fields[word.field] = (*fields.get(word.field, ()), word.column)
    rows = [
        GradeRow(g.kind != "metric", g.column, g.criterion, g.grader, g.kind, g.reason)
        for g in proposal.grades
    ]
    taken = {row.column for row in rows}
    # A path to all of a dictionary takes each of its keys too.
    by_key = {c.rpartition(".")[0] for c in taken if column_paths.key_name(c.rpartition(".")[2])}
    taken |= {c for d in proposal.doubts for c in d.columns if c.rpartition(".")[0] in by_key}
    unsure = [d for d in proposal.doubts if d.field in ("score", "grader")]
    rows += [grade_row(c, d.reason) for d in unsure for c in d.columns if c not in taken]
    rows += [grade_row(one.column) for one in proposal.left_out]
    doubts = {
        doubt.field: doubt.columns
        for doubt in proposal.doubts
        if doubt.field != "score" or not {*doubt.columns} <= taken
    }
    models = _models(table, proposal)
    return Start(
        fields=fields,
        answers={column: column for column in models},
        grades=tuple(row for row in rows if row.column not in models),
        reasons={w.field: w.reason for w in proposal.words if w.reason != _BY_NAME},
        doubts=doubts,
        remarks=tuple(_remarks(proposal.doubts, taken)),
        without=tuple(w.field.partition(":")[2] for w in proposal.words if ":" in w.field),
        offered=tuple(word for doubt in proposal.doubts for word in doubt.words),
        of_grades=proposal.of == "grades",
    )


def _remarks(doubts: Iterable[Doubt], taken: Collection[str]) -> Iterator[str]:
    """What the user should check: the kind of graders, and columns that can be read otherwise.

    Whether columns are graders or criteria is asked where they are mapped.
    """
    for doubt in doubts:
        if doubt.field == "grader_kind":
            yield doubt.reason
        elif doubt.field == "criterion" or (
            doubt.field == "score" and {*doubt.columns} <= {*taken}
        ):
            yield said(
                "Check {columns}: {reason}.",
                columns=joined(", ", doubt.columns),
                reason=doubt.reason,
            )
        elif doubt.field == "grader" or (
            doubt.field == "score" and (doubt.reason != EITHER or len(doubt.columns) == 1)
        ):
            yield said(
                "Not proposed: {columns}, because {reason}. Select those that are grades, and name "
                "criterion and grader.",
                columns=joined(", ", (column for column in doubt.columns if column not in taken)),
                reason=doubt.reason,
            )


def _models(table: Table, proposal: Proposal) -> tuple[str, ...]:
    """The columns that may each hold the answers of one answering model; () where none do."""
    columns = column_map(table.columns, proposal.spoken(with_grades=False))
    if proposal.of == "grades" or not columns.column("question"):
        return ()
    unsure = {c for doubt in proposal.doubts if doubt.field == "answer" for c in doubt.columns}
    return tuple(one for one in wide_candidates(table, columns) if not unsure or one in unsure)
