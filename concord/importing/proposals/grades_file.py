"""Proposal for a file of grades in long form, of answers that are imported already."""

from collections.abc import Mapping

from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.proposals.column_profile import Profile
from concord.importing.proposals.proposal import Doubt, LeftOut, Proposal, Word
from concord.importing.readers.table import Table
from concord.messages import said

_BY_NAME = said("the column's name")


def proposal(table: Table, records: int, profiles: Mapping[str, Profile]) -> Proposal | None:
    """Propose the map of a file with an id, a score and a grader, and no column of answers.

    None for any other file.
    """
    columns = column_map(table.columns, fields=GRADE_FIELDS)
    there = {"item_id", "question_id", "question"} & columns.fields.keys()
    scored = columns.column("score")
    if not there or not scored or "grader" not in columns.fields:
        return None
    used = {c for found in columns.fields.values() for c in found}
    prose = [n for n, one in profiles.items() if n not in used and (one.is_prose or one.is_list)]
    if prose or column_map(table.columns).column("answer"):
        return None
    words = [Word(f, c, _BY_NAME) for f, found in columns.fields.items() for c in found]
    doubts = [
        Doubt(field, names, said("the names of several columns"))
        for field, names in columns.ambiguous.items()
    ]
    left = [LeftOut(name, said("not a field of a grade")) for name in columns.leftovers]
    return Proposal("grades", records, tuple(words), (), tuple(doubts), tuple(left))
