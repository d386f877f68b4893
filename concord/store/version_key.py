"""State key: a short text that changes whenever the data of a sheet's reports may have changed."""

from concord.model import Sheet
from concord.store.database import Store

_NEWEST = (
    *("grades", "question_roles", "carried_versions", "rubrics", "grading_sets", "decompositions"),
    "adjudications where triggered_by <> 'judge'",  # a cause alone is in no figure
)

# Of what defines a grader only a stated price may change, which is in the cost of a judge, and
# whether an annotator is accepted.
_GRADERS = (
    "select id, kind, name, simulated, merged_into, created_at, accepted,"
    " json_extract(definition, '$.stated_prices') from graders"
)


def state(store: Store, sheet: Sheet) -> str:
    """Return the state key of a sheet's reports, from a handful of index lookups.

    Rows are only ever added, so the newest identifies all; undoing an import, which moves them, is
    counted with the sheet; graders, who may be renamed, merged or
    deleted, are compared as a whole.
    """
    newest = [
        tuple(store.row(f"select id, created_at from {table} order by id desc") or ())
        for table in _NEWEST
    ]
    graders = store.rows(_GRADERS)
    items = store.row(
        "select count(*), min(id), max(id) from items where sheet_id = ?", (sheet.id,)
    )
    approved = store.row("select count(*), max(approved_at) from decomposition_approvals")
    moves = store.value("select moves from sheets where id = ?", (sheet.id,))
    named = (store.identity(), store.path, sheet.id, sheet.imported_at, moves)
    return repr((*named, *newest, *map(tuple, graders), tuple(approved), tuple(items)))
