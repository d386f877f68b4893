"""Sheets in the store: which there are, and their deletion."""

import json
from collections.abc import Mapping

from concord.clock import now
from concord.messages import Problem, counted, joined
from concord.model import Sheet
from concord.store.database import Row, Store

# Neither one that keeps undone answers nor one that undoing an import has emptied.
_LIVE = "undone_import is null and not emptied"
_COUNTS = """ (select count(*) from items i where i.sheet_id = s.id) as items,
    (select count(*) from questions q where q.sheet_id = s.id) as questions,
    (select json_group_array(m) from (select distinct answer_model as m from items i
      where i.sheet_id = s.id and answer_model is not null order by m)) as answer_models,
    (select count(*) from items i where i.sheet_id = s.id and synthetic = 1) as synthetic"""
# All that refers to a grader, by table and column, and keeps the grader while it is there.
HOLDERS = (
    *(("grades", "grader_id"), ("runs", "grader_id"), ("replies", "grader_id")),
    *(("assignments", "grader_id"), ("adjudications", "grader_id"), ("graders", "merged_into")),
    *(("members", "grader_id"), ("pauses", "grader_id"), ("openings", "grader_id")),
    *(("set_graders", "grader_id"), ("block_moves", "grader_id"), ("packs", "grader_id")),
    *(("comments", "grader_id"), ("adjudication_assignments", "grader_id")),
    *(("regrade_requests", "grader_id"), ("certificates", "grader_id")),
    ("annotator_states", "grader_id"),
    *(("units", "approved_by"), ("units", "decomposer_id")),
    *(("decompositions", "decomposer_id"), ("decomposition_approvals", "grader_id")),
)
_SHEET = f"select s.id, name, source_name, sha256, imported_at, column_map, {_COUNTS} from sheets s"


def all_sheets(store: Store) -> list[Sheet]:
    """Return every sheet, oldest first."""
    return [_sheet(row) for row in store.rows(f"{_SHEET} where {_LIVE} order by s.id")]


def find(store: Store, name: str) -> Sheet | None:
    """Return the sheet of that name; None where unknown."""
    row = store.row(f"{_SHEET} where name = ? and {_LIVE}", (name,))
    return _sheet(row) if row else None


def ever(store: Store, name: str | None) -> Sheet:
    """Return what `chosen` does, or a sheet of which undoing an import left nothing."""
    values = (name,)
    row = store.row(f"{_SHEET} where name = ? and undone_import is null and emptied", values)
    return _sheet(row) if row else chosen(store, name)


def chosen(store: Store, name: str | None) -> Sheet:
    """The sheet of that name, or the only one; a Problem that lists them otherwise."""
    sheet = find(store, name) if name else None
    if sheet:
        return sheet
    names = store.column(f"select name from sheets where {_LIVE} order by id")
    if not names:
        raise Problem(
            "There is no sheet yet. Import one, or load the sample.", fault_code="no_sheet"
        )
    if name:
        raise Problem(
            "There is no sheet “{name}”. Known sheets: {names}.",
            name=name,
            names=joined(", ", names),
            fault_code="no_sheet",
        )
    if len(names) > 1:
        raise Problem(
            "There are several sheets: {names}. Name one with --sheet.",
            names=joined(", ", names),
            fault_code="several_sheets",
        )
    return find(store, names[0])


def deletion_counts(store: Store, sheet: Sheet) -> dict[str, int]:
    """Return what deleting a sheet would delete, as counts by noun."""
    of_items = "item_id in (select id from items where sheet_id = :id)"
    written = "select count(*) from certificates where sheet_id = :id"
    certifies = "coalesce(json_extract(body, '$.certified'), 1)"
    counts = {
        "answers": "select count(*) from items where sheet_id = :id",
        "questions": "select count(*) from questions where sheet_id = :id",
        "grades": f"select count(*) from grades where {of_items}",
        "judge replies": f"select count(*) from replies where {of_items}",
        "grading sets": "select count(*) from grading_sets where sheet_id = :id",
        "runs": "select count(*) from runs where sheet_id = :id",
        "decisions": "select count(*) from decisions where sheet_id = :id",
        "certificates": f"{written} and {certifies}",
        "calibration records": f"{written} and not {certifies}",
    }
    return {noun: store.value(sql, {"id": sheet.id}) for noun, sql in counts.items()}


def deletion_text(counts: Mapping[str, int]) -> str:
    """Return what `deletion_counts` found, in words and without zero counts."""
    words = [
        counted(count, noun.replace("replies", "reply").removesuffix("s"), noun)
        for noun, count in counts.items()
        if count
    ]
    return joined(", ", words)


def delete(store: Store, sheet: Sheet) -> None:
    """Remove a sheet with all that hangs on it, and graders of whom nothing is left."""
    with store.write():
        # Rows refer to one another in both directions; only the commit must be consistent.
        store.execute("pragma defer_foreign_keys = on")
        store.insert("removed_sheets", name=sheet.name, sha256=sheet.sha256, removed_at=now())
        touched = store.column(
            """select distinct grader_id from grades where item_id in (select id from items
            where sheet_id = :id or sheet_id in (select h.id from sheets h join imports m
            on m.id = h.undone_import where m.sheet_id = :id))
            union select grader_id from runs where sheet_id = :id""",
            {"id": sheet.id},
        )
        store.execute("delete from sheets where id = ?", (sheet.id,))
        held = (f"exists (select 1 from {table} where {column} = :id)" for table, column in HOLDERS)
        idle = f"delete from graders where id = :id and not ({' or '.join(held)})"
        store.execute_many(idle, [{"id": grader_id} for grader_id in touched])


def was_removed(store: Store, name: str) -> bool:
    """True where a sheet of that name was deleted before."""
    return store.has("select 1 from removed_sheets where name = ?", (name,))


def _sheet(row: Row) -> Sheet:
    fields = dict(row)
    fields["column_map"] = json.loads(fields["column_map"])
    fields["answer_models"] = json.loads(fields["answer_models"])
    return Sheet(**fields)


def being_built(store: Store) -> list[str]:
    """Return the names of the sheets being built from documents or questions, newest last."""
    return store.column(
        """select sheet_name from (select sheet_name, added_at from documents
        union all select sheet_name, added_at from open_questions)
        group by sheet_name order by max(added_at)"""
    )


def last_worked_on(store: Store) -> str | None:
    """Return the name of the sheet last graded, judged or imported; None without one."""
    return store.value(
        "select s.name from (select i.sheet_id, g.created_at as moment, 2 as rank from grades g"
        " join items i on i.id = g.item_id where g.id = (select max(id) from grades)"
        " union all select sheet_id, started_at, 1 from runs where id = (select max(id) from runs)"
        " union all select id, imported_at, 0 from sheets where id ="
        f" (select max(id) from sheets where {_LIVE})"
        f") join sheets s on s.id = sheet_id where {_LIVE} order by moment desc, rank desc"
    )


# Of what a panel is read from, the tables whose newest row tells their state.
_NEWEST = (
    *("grades", "question_roles", "carried_versions", "rubrics", "grading_sets", "decompositions"),
    "annotator_states",
    "adjudications where triggered_by <> 'judge'",  # a cause alone is in no figure
)

# Of what defines a grader only a stated price may change, which is in the cost of a judge, and
# whether an annotator is accepted.
_GRADERS = """select id, kind, name, simulated, merged_into, created_at, accepted,
    json_extract(definition, '$.stated_price') from graders"""
# A set can be withdrawn, or put under a newer wording of its rubric.
_SETS = "select id, name, kind, rubric_id, created_at from grading_sets where sheet_id = ?"


def state_key(store: Store, sheet: Sheet) -> str:
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
