"""The answers of a grading set, as a lead searches and assigns them."""

from collections.abc import Sequence

from concord.grading.assignments import SetAnswer
from concord.messages import joined, said
from concord.reports.document import Column, Table, table_of
from concord.text.display import end_cut

# Columns of text in the table: a cell cuts what is too long for it through a letter.
_QUESTION, _ANSWER = 25, 47


def table(found: Sequence[SetAnswer]) -> Table:
    """Return the answers of a set, with who has each and who graded it."""
    parts = (
        (Column(said("item")), lambda one: one.own_id),
        (Column(said("block"), "count"), lambda one: one.block + 1),
        (Column(said("assigned to")), lambda one: joined(", ", one.assigned)),
        (Column(said("graded by")), lambda one: joined(", ", one.graded)),
        (Column(said("question")), lambda one: end_cut(one.question, _QUESTION)),
        (Column(said("answer")), lambda one: end_cut(one.answer, _ANSWER)),
    )
    return table_of("answers", found, parts)
