"""Undo of an import: its answers and grades leave the sheet; what was given since is kept."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from concord.clock import now
from concord.messages import Conflict, Problem, counted, joined, said
from concord.model import Item, Sheet, content_hash
from concord.store import imports
from concord.store import items as store_items
from concord.store.database import SET_CLOSED, Refused, Store
from concord.store.imports import Import

_AMONG = "(select value from json_each(:ids))"
# What a file brought, itself or an undone one before it, and no other file holds.
_ONLY_HERE = """select t.{0}_id as id from import_{0}s t where t.import_id = :number and exists
    (select 1
    from import_{0}s b where b.{0}_id = t.{0}_id and b.brought) and not exists (select 1
    from import_{0}s o join imports m on m.id = o.import_id where o.{0}_id = t.{0}_id
    and o.import_id <> :number and m.undone_at is null) order by 1"""
# Annotators' grades of answers of closed sets.
_CLOSED = f"""select 1 from set_closings c join grading_set_items m on m.set_id = c.set_id
    join grades g
    on g.item_id = m.item_id and instr(c.versions, '\"' || g.version || '\"') join graders r
    on r.id = g.grader_id and r.kind = 'person' where c.closed and c.id =
    (select max(l.id) from set_closings l where l.set_id = c.set_id) and g.id in {_AMONG}"""
_GONE = "(select value from json_each(:grades))"
# What refers to answers by the grading set they are in, or were drawn for.
_PLACES = (
    *("assignments", "grading_set_items", "draw_probabilities", "practice_answers"),
    *("gold_answers", "comments", "regrade_requests"),
)
_IN_SETS = " union ".join(
    f"select item_id from {table} where item_id in {_AMONG}" for table in _PLACES
)
# Field of `Undoing` -> its count, of answers `ids` and `grades` that leave the sheet.
_COUNTS = {
    "answers": "select json_array_length(:ids)",
    "grades": "select json_array_length(:grades)",
    "grades_since": f"""select count(*) from grades g where g.item_id in {_AMONG}
    and g.status <> 'withdrawn' and g.id not in {_GONE}
    and not exists (select 1 from grades later where later.supersedes = g.id)""",
    "answers_kept": """select count(*) - json_array_length(:ids) from import_items
    where import_id = :number""",
}


class Undoing(NamedTuple):
    """Effect of undoing an import on its sheet.

    Attributes:
        answers: Answers that no other import gave.
        grades: Grades that the import brought and no other gave.
        grades_since: Grades given on these answers by judges or other imports, which the export
            still has and which come back with the answers.
        answers_kept: Answers of the file that stay because another import gave them too, or
            because they were there before.
    """

    answers: int
    grades: int
    grades_since: int
    answers_kept: int

    def sentence(self) -> str:
        """Return what it takes out, in words."""
        named = {
            "answer": self.answers,
            "grade of the file": self.grades,
            "grade given since": self.grades_since,
        }
        return joined(", ", [counted(n, noun) for noun, n in named.items()])

    def done(self, name: str, number: int) -> str:
        """Return what was taken out, and the next step, in words."""
        return said(
            "Import {number} of “{name}” is undone: {what}. Import the file again to map it again.",
            number=number,
            name=name,
            what=self.sentence(),
        )


def preview(store: Store, sheet: Sheet, number: int) -> Undoing:
    """Return what `undo` would take out; a Problem where the import cannot be undone."""
    return _leaving(store, sheet, imports.numbered(store, sheet.id, number))[0]


def _leaving(store: Store, sheet: Sheet, one: Import) -> tuple[Undoing, dict[str, Any]]:
    """The effect of undoing an import, and the ids of the answers and grades that leave, as JSON.

    Raises:
        Problem: It is undone, its answers are in grading sets, or a judge is at work: replies
            would be stored for answers gone.
    """
    if one.undone_at:
        raise Problem("Import {number} has already been undone.", number=one.number)
    if store.value(
        """select 1 from runs where sheet_id = :id and status = 'running' and grader_id is not null
        union all select 1 from batches where sheet_id = :id and closed_at is null""",
        {"id": sheet.id},
    ):
        raise Conflict(
            "A judge is running on “{name}”. Wait until its run or batch has ended, or stop it; "
            "then undo the import.",
            name=sheet.name,
        )
    values = {"sheet": sheet.id, "number": one.number}
    for name, what in (("ids", "item"), ("grades", "grade")):
        values[name] = json.dumps(store.column(_ONLY_HERE.format(what), {"number": one.number}))
    if placed := store.value(f"select count(*) from ({_IN_SETS})", values):
        raise Conflict(
            "{answers} of import {number} are in grading sets, so it can no longer be undone. "
            "Import the corrected file into another sheet.",
            answers=counted(placed, "answer"),
            number=one.number,
        )
    counts = {name: store.value(query, values) for name, query in _COUNTS.items()}
    return Undoing(**counts), values


def undo(store: Store, sheet: Sheet, number: int) -> Undoing:
    """Undo an import as a whole: answers and grades that only it brought leave the sheet.

    Nothing is deleted: what leaves is in the export, as of an undone import. Grades given since
    come back with the answers when these are imported again.

    Raises:
        Problem: the sheet has no such import, or it cannot be undone (`preview`).
    """
    with store.write():
        # Read again under the write lock: the preview may be minutes old.
        one = imports.numbered(store, sheet.id, number)
        undoing, values = _leaving(store, sheet, one)
        if undoing.answers or undoing.grades:
            values["aside"] = store.insert(
                "sheets",
                name=f"{sheet.name} (undone import {one.number})",
                source_name=one.file,
                sha256=one.sha256,
                imported_at=one.imported_at,
                column_map=json.dumps({"columns": one.columns}, ensure_ascii=False),
                undone_import=one.number,
            )
            store.execute(f"update items set sheet_id = :aside where id in {_AMONG}", values)
            settle_questions(store, values["aside"])
            _take_grades_out(store, values)
        _take_fields_out(store, sheet.id, number)
        store.execute(
            "update imports set undone_at = ?, undone_by = ? where id = ?",
            (now(), store.by(), number),
        )
        store.execute(
            """update sheets set emptied = not exists (select 1 from items where sheet_id = :id)
            where id = :id""",
            {"id": sheet.id},
        )
        count_move(store, sheet.id)
    return undoing


def _take_grades_out(store: Store, values: dict[str, Any]) -> None:
    """Move grades to placeholders of their answers, so that they do not come back with these."""
    aside, mark = values["aside"], f"undone {values['number']} "
    values = {"ids": values["grades"], "aside": aside, "mark": mark}
    if store.has(_CLOSED, values):
        raise Refused(SET_CLOSED)
    linked = store.rows(
        f"""select g.id, later.id as next, g.supersedes as before from grades g
        left join grades later on later.supersedes = g.id
        where g.id in {_AMONG} and (later.id is not null or g.supersedes is not null)
        order by g.id desc""",
        values,
    )
    store.execute(
        f"""insert into items (sheet_id, question_id, own_id, identity, content_hash, contexts,
        answer, answer_model, reference, reference_contexts, synthetic, metadata)
        select :aside, question_id, own_id, :mark || id, '', '[]', '', answer_model, '[]', '[]',
        0, json_object('answer_row', id) from items
        where id in (select item_id from grades where id in {_AMONG})""",
        values,
    )
    settle_questions(store, aside)
    store.execute(f"delete from list_checks where grade_id in {_AMONG}", values)
    store.execute(
        f"""update grades set item_id = (select s.id from items s where s.sheet_id = :aside
        and s.identity = :mark || grades.item_id) where id in {_AMONG}""",
        values,
    )
    _copy_units(store, values)
    for row in linked:  # what replaced a grade now replaces what it had replaced
        store.execute("update grades set supersedes = null where id = ?", (row["id"],))
        if row["next"]:
            values = row["before"], row["next"]
            store.execute("update grades set supersedes = ? where id = ?", values)


def _copy_units(store: Store, values: dict) -> None:
    """Give grades of units that were taken out units of their own, which stay readable."""
    for row in store.rows(
        f"""select distinct unit_id, item_id from grades
        where id in {_AMONG} and unit_id is not null""",
        values,
    ):
        columns = ("kind", "text", "position", "created_at")
        unit = store.row(f"select {', '.join(columns)} from units where id = ?", (row["unit_id"],))
        copy = store.insert("units", item_id=row["item_id"], **dict(unit))
        store.execute(
            "update grades set unit_id = ? where unit_id = ? and item_id = ?",
            (copy, row["unit_id"], row["item_id"]),
        )


def _take_fields_out(store: Store, sheet_id: int, number: int) -> None:
    """Remove the extra fields that only this import gave, of the answers that stay."""
    told = "select item_id, told from import_items where told is not null and import_id = ?"
    for row in store.rows(
        f"""select i.id, i.metadata, t.told from ({told}) t join items i on i.id = t.item_id
        where i.sheet_id = ?""",
        (number, sheet_id),
    ):
        others = [
            (json.loads(other["told"]), other["is_live"])
            for other in store.rows(
                """select t.told, m.undone_at is null and m.id <> ? as is_live from import_items t
                join imports m on m.id = t.import_id where t.item_id = ? and told is not null""",
                (number, row["id"]),
            )
        ]
        # A field stays as long as any import that still counts gave it.
        gone = {
            field
            for field in json.loads(row["told"])
            if any(fields.get(field) for fields, _ in others)
            and not any(field in fields for fields, is_live in others if is_live)
        }
        if gone:
            kept = {k: v for k, v in json.loads(row["metadata"]).items() if k not in gone}
            text = json.dumps(kept, ensure_ascii=False)
            store.execute("update items set metadata = ? where id = ?", (text, row["id"]))


_KEEPING = "select h.id from sheets h join imports m on m.id = h.undone_import"
_ASIDE = f"({_KEEPING} where m.sheet_id = :sheet)"
# Questions of other sheets that items of a sheet refer to.
_FOREIGN = """(select i.question_id from items i join questions q on q.id = i.question_id
    where i.sheet_id = :sheet and q.sheet_id <> :sheet)"""


def take_back(store: Store, sheet_id: int, items: Sequence[Item]) -> dict[int, Item]:
    """Move undone answers back that some new items repeat, and return these by id.

    An answer is the same with the same identity and content; all else is as the items say. The
    splits of their questions come back even where no answer does. Inside `write()`.
    """
    values = {"sheet": sheet_id}
    if not store.value(f"select exists {_ASIDE}", values):
        return {}
    _take_back_questions(store, sheet_id, items)
    kept = {
        row["identity"]: row
        for row in store.rows(
            f"select id, identity, content_hash from items where sheet_id in {_ASIDE}", values
        )
    }
    found = {
        row["id"]: item
        for item in items
        if (row := kept.get(item.identity)) and row["content_hash"] == content_hash(item)
    }
    store_items.move(store, sheet_id, found)
    store.execute(
        f"""delete from questions where sheet_id in {_ASIDE}
        and not exists (select 1 from items i where i.question_id = questions.id)""",
        values,
    )
    count_move(store, sheet_id)
    return found


def count_move(store: Store, sheet_id: int) -> None:
    """Mark the figures kept of a sheet as outdated, because its answers changed."""
    store.execute("update sheets set moves = moves + 1 where id = ?", (sheet_id,))


def settle_questions(store: Store, sheet_id: int) -> None:
    """Give a sheet the questions of its items: those no other sheet needs, else a copy."""
    store.execute(
        f"""update questions set sheet_id = :sheet where id in {_FOREIGN} and not exists
        (select 1 from items i where i.question_id = questions.id and i.sheet_id <> :sheet)
        and not exists (select 1 from questions t where t.sheet_id = :sheet
        and t.key = questions.key)""",
        {"sheet": sheet_id},
    )
    _copy_questions(store, sheet_id)


def _copy_questions(store: Store, sheet_id: int) -> None:
    """Give a sheet copies, without their splits, of the questions of its items that it lacks."""
    values = {"sheet": sheet_id}
    store.execute(
        f"""insert into questions (sheet_id, key, own_id, text, text_hash, cluster)
        select :sheet, key, own_id, text, text_hash, cluster from questions
        where id in {_FOREIGN} on conflict (sheet_id, key) do nothing""",
        values,
    )
    store.execute(
        f"""update items set question_id = (select t.id from questions t join questions q
        on q.key = t.key where q.id = items.question_id and t.sheet_id = :sheet)
        where sheet_id = :sheet and question_id in {_FOREIGN}""",
        values,
    )


def _take_back_questions(store: Store, sheet_id: int, items: Sequence[Item]) -> None:
    """Move undone questions back that some items ask, with their splits; the oldest of a key."""
    known = set(store.column("select key from questions where sheet_id = ?", (sheet_id,)))
    asked = {(i.question_key, i.question, i.cluster) for i in items if i.question_key not in known}
    found: dict[str, int] = {}
    for row in store.rows(
        f"""select id, key, text, cluster, sheet_id from questions
        where sheet_id in {_ASIDE} order by id""",
        {"sheet": sheet_id},
    ):
        if (row["key"], row["text"], row["cluster"]) in asked:
            found.setdefault(row["key"], row["id"])
    store.execute(
        f"update questions set sheet_id = :sheet where id in {_AMONG}",
        {"sheet": sheet_id, "ids": json.dumps(list(found.values()))},
    )
    for row in store.rows(f"{_KEEPING} where m.sheet_id = ?", (sheet_id,)):
        _copy_questions(store, row["id"])
