"""Additions to sheets: what a file would change in a sheet, and storing what it adds."""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from concord.clock import now
from concord.messages import said
from concord.model import BESIDE, Item, Sheet, content_hash
from concord.store import imports, sheets, undone_answers
from concord.store import items as store_items
from concord.store.database import Row, Store
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

    new: Sequence[Item]
    unchanged: int
    conflicts: list[Difference]
    told: list[Item]
    repeated: Sequence[tuple[int, Item, frozenset[str]]] = ()


def compare(store: Store, name: str, items: Sequence[Item]) -> Comparison:
    """Return the effect of importing `items` into the sheet of that name, which may be new."""
    sheet = sheets.find(store, name)
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
    items: Sequence[Item],
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
    store.write_much()
    with store.write():
        # Looked up under the write lock: two imports may create the same sheet at once.
        sheet_id = _made(store, name, source_name, sha256, column_map)
        after = imports.last_id(store, "items")
        returned = undone_answers.take_back(store, sheet_id, items)
        back = {item.identity for item in returned.values()}
        new = [item for item in items if item.identity not in back] if back else items
        lines = array("q")
        store_items.add(store, sheet_id, _noting_rows(new, lines))
        store_items.tell(store, sheet_id, told)
        given = (source_name, sha256, column_map, encoding, counts or {})
        number = imports.log(store, sheet_id, imports.SHEET, *given)
        imports.trace_items(store, number, after, lines, returned, repeated)
    return sheets.find(store, name)


def _noting_rows(items: Iterable[Item], lines: array) -> Iterator[Item]:
    """Pass items on, and note their rows of the file on the way: they are read only once."""
    for item in items:
        lines.append(item.row)
        yield item


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
                "import this file as a separate sheet.",
                question_id=item.question_id,
            ),
        )
    if question and question["cluster"] != item.cluster:
        return Difference(
            item.row,
            "cluster",
            said(
                "The question has cluster {before} in the sheet and {here} in the file. Correct "
                "one, or import this file as a separate sheet.",
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
                "as a separate sheet.",
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
                    "leave the column out, or import this file as a separate sheet.",
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
