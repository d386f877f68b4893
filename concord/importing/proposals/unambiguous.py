"""The proposal that is taken unasked: names do not suffice, and only one reading fits."""

from concord.importing.answer_columns import check_columns
from concord.importing.columns import column_map, opened
from concord.importing.proposals.proposal import Proposal
from concord.importing.proposals.propose import propose
from concord.importing.readers.table import Table
from concord.problems import Problem


def unambiguous(table: Table) -> Proposal | None:
    """The proposal for a file whose names do not say enough, where nothing needed is in doubt.

    None for a file that is read by the names of its columns, and where the user has to choose.
    """
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
