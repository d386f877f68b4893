"""Sheets in the store: their questions and items, what an import would change, and deletion."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import now
from concord.messages import said
from concord.model import BESIDE, Item, Sheet, content_hash
from concord.problems import Problem
from concord.store import imports, undone_answers
from concord.store import items as store_items
from concord.store.database import Row, Store
from concord.store.schema.undone import LIVE_SHEET
from concord.text.normal_form import text_hash


class Difference(NamedTuple):
    """A row that contradicts what the sheet already holds."""

    row: int
    column: str
    problem: str


class Comparison(NamedTuple):
    """Effect of an import: rows to add, rows already in the sheet, contradicting rows.

    `told` are items of the sheet for which the file has extra fields not stored yet
    (`concord.model.BESIDE`). `repeated` are all items that the sheet holds already: id, item, and
    the extra fields that the file adds.
    """

    new: list[Item]
    unchanged: int
    conflicts: list[Difference]
    told: list[Item]
    repeated: Sequence[tuple[int, Item, frozenset[str]]] = ()


_COUNTS = (
    " (select count(*) from items i where i.sheet_id = s.id) as items,"
    " (select count(*) from questions q where q.sheet_id = s.id) as questions,"
    " (select json_group_array(m) from (select distinct answer_model as m from items i"
    "  where i.sheet_id = s.id and answer_model is not null order by m)) as answer_models,"
    " (select count(*) from items i where i.sheet_id = s.id and synthetic = 1) as synthetic"
)
_SHEET = f"select s.id, name, source_name, sha256, imported_at, column_map, {_COUNTS} from sheets s"


def all_sheets(store: Store) -> list[Sheet]:
    """Return every sheet, oldest first."""
    return [_sheet(row) for row in store.rows(f"{_SHEET} where {LIVE_SHEET} order by s.id")]


def find(store: Store, name: str) -> Sheet | None:
    """Return the sheet of that name; None where unknown."""
    row = store.row(f"{_SHEET} where name = ? and {LIVE_SHEET}", (name,))
    return _sheet(row) if row else None


def ever(store: Store, name: str | None) -> Sheet:
    """Like `chosen`, but also a sheet of which undoing an import left nothing."""
    values = (name,)
    row = store.row(f"{_SHEET} where name = ? and undone_import is null and emptied", values)
    return _sheet(row) if row else chosen(store, name)


def chosen(store: Store, name: str | None) -> Sheet:
    """The sheet of that name, or the only one; a Problem that lists them otherwise."""
    sheet = find(store, name) if name else None
    if sheet:
        return sheet
    names = [
        row["name"] for row in store.rows(f"select name from sheets where {LIVE_SHEET} order by id")
    ]
    if not names:
        raise Problem(said("There is no sheet yet. Import one, or load the sample."))
    if name:
        raise Problem(
            said(
                "There is no sheet “{name}”. There are: {names}.", name=name, names=", ".join(names)
            )
        )
    if len(names) > 1:
        raise Problem(f"There are several sheets: {', '.join(names)}. Name one with --sheet.")
    return find(store, names[0])


def compare(store: Store, sheet: Sheet | None, items: list[Item]) -> Comparison:
    """Return the effect of importing `items` into a sheet (None: a new one)."""
    if sheet is None:
        return Comparison(items, 0, [], [])
    known = {
        row["identity"]: row
        for row in store.rows(
            "select id, identity, content_hash, metadata from items where sheet_id = ?", (sheet.id,)
        )
    }
    questions = {
        row["key"]: row
        for row in store.rows(
            "select key, text_hash, cluster from questions where sheet_id = ?", (sheet.id,)
        )
    }
    new, conflicts, told, repeated = [], [], [], []
    for item in items:
        row = known.get(item.identity)
        difference = _difference(item, row, questions.get(item.question_key))
        if difference:
            conflicts.append(difference)
        elif row is None:
            new.append(item)
        else:
            added = _added_fields(item, row)
            told += [item] if added else []
            repeated.append((row["id"], item, added))
    return Comparison(new, len(repeated) - len(told), conflicts, told, repeated)


def add(
    store: Store,
    name: str,
    items: list[Item],
    source_name: str,
    sha256: str,
    column_map: dict,
    encoding: str | None = None,
    counts: dict | None = None,
    told: Sequence[Item] = (),
    repeated: Sequence[tuple[int, Item, frozenset[str]]] = (),
) -> Sheet:
    """Store new items in a sheet, created where it is new; all or nothing.

    Existing items in `told` get only their missing extra fields. Items that undoing an import took
    out come back with their grades where their content is the same.
    """
    with store.write():
        # Looked up under the write lock: two imports may create the same sheet at once.
        sheet_id = _made(store, name, source_name, sha256, column_map)
        after = imports.last_id(store, "items")
        returned = undone_answers.take_back(store, sheet_id, items)
        back = {item.identity for item in returned.values()}
        new = [item for item in items if item.identity not in back] if back else items
        store_items.add(store, sheet_id, new)
        store_items.tell(store, sheet_id, told)
        given = (source_name, sha256, column_map, encoding, counts or {})
        number = imports.log(store, sheet_id, imports.SHEET, *given)
        imports.trace_items(store, number, after, returned, repeated)
    return find(store, name)


def _made(store: Store, name: str, source_name: str, sha256: str, column_map: dict) -> int:
    """Return the id of the sheet of that name; one that is new, or was emptied, gets this file."""
    row = store.row("select id, emptied from sheets where name = ?", (name,))
    if row and not row["emptied"]:
        return row["id"]
    described = json.dumps(column_map, ensure_ascii=False)
    file = {"source_name": source_name, "sha256": sha256, "column_map": described}
    if row is None:
        return store.insert("sheets", name=name, imported_at=now(), **file)
    given = ", ".join(f"{column} = :{column}" for column in file)
    store.execute(
        f"update sheets set emptied = 0, imported_at = :now, {given} where id = :id",
        {**file, "now": now(), "id": row["id"]},
    )
    return row["id"]


def would_go(store: Store, sheet: Sheet) -> dict[str, int]:
    """Return what deleting a sheet would delete, as counts by noun."""
    of_items = "item_id in (select id from items where sheet_id = :id)"
    counts = {
        said("answers"): "select count(*) from items where sheet_id = :id",
        said("questions"): "select count(*) from questions where sheet_id = :id",
        said("grades"): f"select count(*) from grades where {of_items}",
        said("judge replies"): f"select count(*) from replies where {of_items}",
        said("grading sets"): "select count(*) from grading_sets where sheet_id = :id",
        said("runs"): "select count(*) from runs where sheet_id = :id",
    }
    return {noun: store.value(sql, {"id": sheet.id}) for noun, sql in counts.items()}


def delete(store: Store, sheet: Sheet) -> None:
    """Remove a sheet with all that hangs on it, and graders of whom nothing is left."""
    with store.write():
        # Rows refer to one another in both directions; only the commit must be consistent.
        store.execute("pragma defer_foreign_keys = on")
        store.insert("removed_sheets", name=sheet.name, sha256=sheet.sha256, removed_at=now())
        touched = [
            row["grader_id"]
            for row in store.rows(
                "select distinct grader_id from grades where item_id in (select id from items"
                " where sheet_id = :id or sheet_id in (select h.id from sheets h join imports m"
                " on m.id = h.undone_import where m.sheet_id = :id))"
                " union select grader_id from runs where sheet_id = :id",
                {"id": sheet.id},
            )
        ]
        store.execute("delete from sheets where id = ?", (sheet.id,))
        for grader_id in touched:
            _forget_if_idle(store, grader_id)


def was_removed(store: Store, name: str) -> bool:
    """True where a sheet of that name was deleted before."""
    return bool(store.value("select 1 from removed_sheets where name = ?", (name,)))


def _added_fields(item: Item, known: Row) -> frozenset[str]:
    """The extra fields of an item that the stored one lacks."""
    told = BESIDE & item.metadata.keys()
    return told - json.loads(known["metadata"]).keys() if told else told


def _difference(item: Item, known: Row | None, question: Row | None) -> Difference | None:
    if question and question["text_hash"] != text_hash(item.question):
        return Difference(
            item.row,
            "question",
            said(
                "Question {question_id} is in the sheet with another text. Give it another id, or "
                "import this file as a sheet of its own.",
                question_id=item.question_id,
            ),
        )
    if question and question["cluster"] != item.cluster:
        return Difference(
            item.row,
            "cluster",
            said(
                "The question is in the sheet under cluster {before}, here under {here}. Correct "
                "one, or import this file as a sheet of its own.",
                before=question["cluster"],
                here=item.cluster,
            ),
        )
    if known and known["content_hash"] != content_hash(item):
        return Difference(
            item.row,
            "answer",
            said(
                "{what} is in the sheet with another text. Give it another id, or import this file "
                "as a sheet of its own.",
                what=_name(item),
            ),
        )
    for field in sorted(BESIDE & item.metadata.keys()) if known else ():
        stored = json.loads(known["metadata"])
        # What was judged was judged as of its date; the rest can still be told.
        unsaid = None if field == "judge_date" else item.metadata[field]
        if stored.get(field, unsaid) != item.metadata[field]:
            return Difference(
                item.row,
                field,
                said(
                    "{what} is in the sheet with another {field}. Metric values depend on it: "
                    "leave the column out, or import this file as a sheet of its own.",
                    what=_name(item),
                    field=field,
                ),
            )
    return None


def _name(item: Item) -> str:
    if item.own_id is not None:
        return said("Item {id}", id=item.own_id)
    if item.answer_model:
        return said("The answer of {model} to this question", model=item.answer_model)
    return said("The answer of the model to this question")


def _forget_if_idle(store: Store, grader_id: int) -> None:
    store.execute(
        "delete from graders where id = :id and not exists (select 1 from grades"
        " where grader_id = :id) and not exists (select 1 from runs where grader_id = :id)"
        " and not exists (select 1 from replies where grader_id = :id)"
        " and not exists (select 1 from assignments where grader_id = :id)"
        " and not exists (select 1 from adjudications where grader_id = :id)"
        " and not exists (select 1 from graders where merged_into = :id)",
        {"id": grader_id},
    )


def _sheet(row: Row) -> Sheet:
    fields = dict(row)
    fields["column_map"] = json.loads(fields["column_map"])
    fields["answer_models"] = json.loads(fields["answer_models"])
    return Sheet(**fields)


def being_built(store: Store) -> list[str]:
    """Return the names of the sheets being built from documents or questions, newest last."""
    rows = store.rows(
        "select sheet_name from (select sheet_name, added_at from documents"
        " union all select sheet_name, added_at from open_questions)"
        " group by sheet_name order by max(added_at)"
    )
    return [row["sheet_name"] for row in rows]


def last_worked_on(store: Store) -> str | None:
    """Return the name of the sheet last graded, judged or imported; None without one."""
    return store.value(
        "select s.name from (select i.sheet_id, g.created_at as moment, 2 as rank from grades g"
        " join items i on i.id = g.item_id where g.id = (select max(id) from grades)"
        " union all select sheet_id, started_at, 1 from runs where id = (select max(id) from runs)"
        " union all select id, imported_at, 0 from sheets where id ="
        f" (select max(id) from sheets where {LIVE_SHEET})"
        f") join sheets s on s.id = sheet_id where {LIVE_SHEET} order by moment desc, rank desc"
    )
