"""Additions to sheets: what a file would change in a sheet, and storing what it adds."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from concord.clock import now
from concord.messages import said
from concord.model import EXTRA_FIELDS, Item, Sheet, content_hash
from concord.store import imports, sheets, undone_answers
from concord.store import items as store_items
from concord.store.database import Row, Store, marks
from concord.text.normal_form import normalised, text_hash

# Answers that are stored at once.
_BATCH = 500
# What items have in place of their texts where a file repeats stored ones, which may be all of it.
_TEXTS = {"contexts": (), "answer": "", "reference": (), "reference_contexts": (), "turns": None}


class Difference(NamedTuple):
    """A row that contradicts what the sheet already holds."""

    row: int
    column: str
    problem: str


class Comparison(NamedTuple):
    """Effect of an import: rows to add, rows already in the sheet, contradicting rows.

    `extended` are items of the sheet for which the file has extra fields not stored yet
    (`concord.model.EXTRA_FIELDS`). `repeated` are all items that the sheet holds already: id, item
    without answer and contexts, and the extra fields that the file adds. `recognised` are the
    identities of stored answers by those that items without these ids have in the file. `alike` are
    new items with the question and the text of a stored answer under another identity.
    """

    new: Sequence[Item]
    unchanged: int
    conflicts: list[Difference]
    extended: list[Item]
    repeated: Sequence[tuple[int, Item, frozenset[str]]] = ()
    recognised: Mapping[str, str] = MappingProxyType({})
    alike: int = 0


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
    same, recognised, alike = _SameAnswers(store, sheet.id), {}, 0
    new, conflicts, extended, repeated = [], [], [], {}
    for item in items:
        row = known.get(item.identity)
        found = None if row else same.recognised(item)
        stored = known.get(found.identity) if found else None
        if stored and stored["id"] not in repeated:
            recognised[item.identity] = found.identity
            item, row = found, stored
        difference = _difference(item, row, questions.get(item.question_key), bool(stored))
        if row and row["id"] in repeated:
            difference = _twice(item, repeated[row["id"]][1])
        if difference:
            conflicts.append(difference)
        elif row is None:
            alike += same.has(item)
            new.append(item)
        else:
            added = _added_fields(item, row)
            extended += [item] if added else []
            repeated[row["id"]] = (row["id"], item._replace(**_TEXTS), added)
    unchanged = len(repeated) - len(extended)
    rows = tuple(repeated.values())
    return Comparison(new, unchanged, conflicts, extended, rows, recognised, alike)


def add(
    store: Store,
    name: str,
    items: Sequence[Item],
    source_name: str,
    sha256: str,
    column_map: dict,
    encoding: str | None = None,
    counts: dict | None = None,
    extended: Sequence[Item] = (),
    repeated: Sequence[tuple[int, Item, frozenset[str]]] = (),
) -> Sheet:
    """Store new items in a sheet, created where it is new; all or nothing.

    Existing items in `extended` get only their missing extra fields. Items that undoing an import
    took out come back with their grades where their content is the same.
    """
    store.write_much()
    with store.write():
        # Looked up under the write lock: two imports may create the same sheet at once.
        sheet_id = _made(store, name, source_name, sha256, column_map)
        returned = undone_answers.take_back(store, sheet_id, items)
        back = {item.identity for item in returned.values()}
        new = (item for item in items if item.identity not in back) if back else iter(items)
        given = (source_name, sha256, column_map, encoding, counts or {})
        number = imports.log(store, sheet_id, imports.SHEET, *given)
        while batch := list(islice(new, _BATCH)):
            imports.trace_new(store, number, store_items.add(store, sheet_id, batch), batch)
        store_items.extend(store, sheet_id, extended)
        imports.trace_stored(store, number, returned, repeated)
    return sheets.find(store, name)


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
    found = EXTRA_FIELDS & item.metadata.keys()
    return found - json.loads(known["metadata"]).keys() if found else found


def _twice(item: Item, other: Item) -> Difference:
    return Difference(
        item.row,
        "id",
        said(
            "{what} is in the file a second time: row {row}, without its ids, has the same texts. "
            "Remove one of the rows, or fill in the ids.",
            what=_name(item),
            row=other.row,
        ),
    )


def _difference(
    item: Item, known: Row | None, question: Row | None, by_text: bool = False
) -> Difference | None:
    # Refused rather than overwritten: grades were given on the stored text.
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
        return Difference(item.row, "answer", _other_content(item, by_text))
    for field in sorted(EXTRA_FIELDS & item.metadata.keys()) if known else ():
        stored = json.loads(known["metadata"])
        # The judge saw the date, so it cannot be added later; the other fields can.
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


def _other_content(item: Item, by_text: bool) -> str:
    if by_text:
        return said(
            "{what} is in the sheet with the same text, but with other contexts, references or "
            "turns, or spelled in another form. Give the columns that are missing. If only grades "
            "are new, import them with `grades`. If it is another answer, give it an id.",
            what=_name(item),
        )
    return said(
        "{what} is in the sheet with another text. Give it another id, or import this file as a "
        "separate sheet.",
        what=_name(item),
    )


def _name(item: Item) -> str:
    if item.own_id is not None:
        return said("Item {id}", id=item.own_id)
    if item.answer_model:
        return said("The answer of {model} to this question", model=item.answer_model)
    return said("The answer of the model to this question")


class _SameAnswers:
    """The stored answers of a sheet by question and text, each in normal form.

    Memory holds a hash and an id per stored answer, and no text; the first question reads them.
    """

    def __init__(self, store: Store, sheet_id: int):
        self._store, self._sheet_id = store, sheet_id

    def recognised(self, item: Item) -> Item | None:
        """Return the item under the ids of the stored answer that it repeats, else None.

        An item without an id of its own repeats a stored answer of the same model if exactly one
        has its text, and if exactly one question of the sheet has the question's text and the ids
        the file gives.
        """
        # An id is the file's own statement that this is another answer.
        if item.own_id is not None:
            return None
        found = [
            row
            for row in self._alike(item)
            if row["answer_model"] == item.answer_model
            and item.question_id in (None, row["q_own"])
            and item.cluster in (None, row["cluster"])
        ]
        if len(found) != 1 or (item.question_id is None and found[0]["questions"] != 1):
            return None
        row = found[0]
        return item._replace(own_id=row["own_id"], question_id=row["q_own"], cluster=row["cluster"])

    def has(self, item: Item) -> bool:
        """True where a stored answer has its question and text; an unnamed model may be any."""
        models = {row["answer_model"] for row in self._alike(item)}
        unnamed = item.answer_model is None or None in models
        return bool(models) and (unnamed or item.answer_model in models)

    def _alike(self, item: Item) -> list[Row]:
        """The stored answers with the question and the text of an item."""
        ids = self._ids.get(_hash(text_hash(item.question), item.answer), ())
        ids = ids if isinstance(ids, tuple) else (ids,)
        wanted = normalised(item.answer)
        return [row for row in self._rows(ids) if normalised(row["answer"]) == wanted]

    def _rows(self, ids: tuple[int, ...]) -> list[Row]:
        return ids and self._store.rows(
            "select i.own_id, i.answer, i.answer_model, q.own_id as q_own, q.cluster,"
            " (select count(*) from questions o where o.text_hash = q.text_hash"
            " and +o.sheet_id = q.sheet_id) as questions"
            f" from items i join questions q on q.id = i.question_id where i.id in ({marks(ids)})",
            ids,
        )

    @cached_property
    def _ids(self) -> dict[int, int | tuple[int, ...]]:
        """The ids of the stored answers by the hash of their texts; most texts have one."""
        found: dict[int, int | tuple[int, ...]] = {}
        for id_, question, answer in self._store.each(
            "select i.id, q.text_hash, i.answer from items i"
            " join questions q on q.id = i.question_id where i.sheet_id = ?",
            (self._sheet_id,),
        ):
            key = _hash(question, answer)
            known = found.get(key)
            if known is None:
                found[key] = id_
            else:
                found[key] = (*(known if isinstance(known, tuple) else (known,)), id_)
        return found


def _hash(question: str, answer: str) -> int:
    """A hash within this process, of a question's hash and an answer."""
    return hash((question, normalised(answer)))
