"""Columns that are named like scores, or hold them, for the user to confirm."""

from collections.abc import Iterable, Iterator

from concord.importing.answer_columns import head
from concord.importing.columns import ColumnMap, ScoreColumn
from concord.importing.fields import folded
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import of_columns
from concord.importing.proposals.grades_by_value import by_name
from concord.importing.proposals.score_values import is_grades
from concord.importing.readers.table import Table

_RECORDS = 200
_STORED = {"annotator": "person"}


def possible_scores(
    table: Table, columns: ColumnMap, criteria: Iterable[str]
) -> Iterator[ScoreColumn]:
    """Leftover columns that hold grades and name their grader, then others named for a criterion.

    Grader and kind are empty where the name says neither; so is the criterion where it is none of
    `criteria` and there are several.
    """
    criteria = {folded(name): name for name in criteria}
    only = next(iter(criteria.values())) if len(criteria) == 1 else ""
    profiles = of_columns(table.columns, [record.cells for record in head(table, _RECORDS)])
    grades, _ = by_name([one for c in columns.leftovers if is_grades(one := profiles[c])])
    named = {one.column: one for one in grades if one.grader not in ("", one.kind)}
    for one in named.values():
        kind = _STORED.get(one.kind, one.kind)
        criterion = criteria.get(folded(one.criterion), only)
        yield ScoreColumn(one.column, kind, one.grader, criterion)
    for column in columns.leftovers:
        parts = {*known.words(column)}
        inside = [name for name in criteria.values() if {*known.words(name)} <= parts]
        if inside and column not in named:
            yield ScoreColumn(column, "", "", inside[0])


def are_annotators(table: Table, columns: ColumnMap) -> bool:
    """True where a column names who graded, and nothing in its first rows looks like a judge."""
    column = columns.column("grader")
    if column not in table.columns:  # a path or a constant
        return False
    place = table.columns.index(column)
    names = {str(record.cells[place]) for record in head(table, _RECORDS)}
    return not any(known.has(known.words(name), known.JUDGE) for name in (column, *names))
