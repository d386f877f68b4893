"""Every grade column that is proposed is read: each of its scores is taken or counted as left out.

More files: CONCORD_FUZZED_FILES=20000 pytest tests/importing/proposals/test_proposals_graded.py
"""

import os
from collections import Counter

from concord.importing import answer_file
from concord.importing.columns import column_map, opened
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers import cells
from concord.importing.readers.formats import open_table
from concord.importing.scores import score
from concord.messages import Problem
from tests.support.graded_files import graded_file

FILES = int(os.environ.get("CONCORD_FUZZED_FILES", "300"))


def read(data, name):
    """A file as proposed: its table, the proposed rubric and the sheet; a Problem if in doubt."""
    table = open_table(data, name)
    proposal = propose(table)
    columns = column_map(table.columns, proposal.spoken() if proposal.of == "answers" else ())
    found = grade_rubric(table, columns, [], {}) if columns.scores else None
    return found and (
        opened(table, found.columns),
        found,
        answer_file.read(table, found.columns, found.fit.rubric, found.words),
    )


def written_scores(table, found):
    """The number of scores in each column of scores; words for no grade are none."""
    counts = Counter()
    for record in table.records():
        for column in found.columns.scores:
            cell = record.cells[table.columns.index(column.column)]
            counts[column.column] += sum(
                _is_score(one, found, column.kind) for one in _values(cell)
            )
    return counts


def _values(cell):
    """The values of a cell, under each key where it has several."""
    if not isinstance(cell, dict):
        return [cell]
    return [one for inner in cell.values() for one in _values(inner)]


def _is_score(cell, found, kind):
    try:
        return score(cell, found.fit.rubric.scale, kind, found.words) is not None
    except cells.BadCell:
        return True


def check(data, name):
    """True for a file with grades of which each is taken or counted."""
    try:
        done = read(data, name)
    except Problem:
        return False
    if not done:
        return False
    table, found, sheet = done
    given = written_scores(table, found)
    taken = Counter(grade.column for grade in sheet.grades)
    faulty = {bad.column for bad in sheet.bad_rows}
    assert [c for c, n in given.items() if n and not taken[c] and c not in faulty] == []
    repeats = sum(flag.count for flag in sheet.flags if flag.kind == "doubled")
    assert given.total() == len(sheet.grades) + sheet.not_taken.grades.total() + repeats
    return True


def test_every_score_of_a_proposed_column_is_taken_or_counted():
    done = sum(check(*graded_file(seed)) for seed in range(FILES))
    assert done > FILES / 4
