"""State key: a short text that changes whenever the data of a sheet's reports may have changed."""

from concord.model import Sheet
from concord.store.database import Store

_NEWEST = (
    *("grades", "question_roles", "carried_versions", "rubrics", "grading_sets", "decompositions"),
    "annotator_states",
    "adjudications where triggered_by <> 'judge'",  # a cause alone is in no figure
)

# Of what defines a grader only a stated price may change, which is in the cost of a judge, and
# whether an annotator is accepted.
_GRADERS = (
    "select id, kind, name, simulated, merged_into, created_at, accepted,"
    " json_extract(definition, '$.stated_prices') from graders"
)
# A set can be withdrawn, emptied, or frozen to another version of its rubric.
_SETS = "select id, name, kind, rubric_id, emptied, created_at from grading_sets where sheet_id = ?"
# What else a panel is read from.
_COUNTED = (
    *("items", "questions", "question_roles", "grades", "adjudications", "regrade_requests"),
    *("rubrics", "carried_versions", "grading_set_items", "draw_probabilities", "runs"),
    *("units", "decompositions", "decomposition_units", "annotator_states"),
)


def state(store: Store, sheet: Sheet) -> str:
    """Return the state key of a sheet's reports, from a handful of index lookups.

    Rows are only ever added, so the newest identifies all; undoing an import, which moves them, is
    counted with the sheet; graders, who may be renamed, merged or
    deleted, and the sheet's grading sets are compared as a whole. Deleting another sheet takes its
    splits along, which may have closed questions of this one.
    """
    newest = [
        tuple(store.row(f"select id, created_at from {table} order by id desc") or ())
        for table in _NEWEST
    ]
    graders = store.rows(_GRADERS)
    # Counting a sheet's answers would visit every one. Ids of deleted ones are given again.
    newest.append((store.value("select max(id) from items"),))
    newest.append((store.value("select max(id) from imports where sheet_id = ?", (sheet.id,)),))
    approved = store.row("select count(*), max(approved_at) from decomposition_approvals")
    moves = store.value("select moves from sheets where id = ?", (sheet.id,))
    splits = store.value("select count(*) from question_roles")
    sets = store.rows(_SETS, (sheet.id,))
    named = (store.identity(), store.path, sheet.id, sheet.imported_at, moves, splits)
    whole = map(tuple, (*graders, *sets))
    return repr((*named, *newest, *whole, tuple(approved)))


def extent(store: Store, sheet: Sheet) -> str:
    """Return what tells states apart that one process does not see both of.

    A state key is enough for a process: rows are only added while it runs. What outlives it may
    meet a database that was restored from a backup, and went another way from there, or that lost
    rows by hand. So the rows of every table a panel is read from are counted, which takes a
    hundredth of a second for millions, and the sheet's imports have the time they were undone. A
    grade that is overwritten by hand is in neither.
    """
    counts = store.row(
        "select " + ", ".join(f"(select count(*) from {table})" for table in _COUNTED)
    )
    imports = store.rows(
        "select id, imported_at, undone_at from imports where sheet_id = ?", (sheet.id,)
    )
    return repr((tuple(counts), *map(tuple, imports)))
