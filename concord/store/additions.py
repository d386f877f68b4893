"""Additions to sheets: what a file would change in a sheet, and storing what it adds."""

import json
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from concord.clock import now
from concord.messages import on_command_line, said
from concord.model import EXTRA_FIELDS, BadRow, Item, Sheet, content_hash
from concord.store import import_undo, imports, sheets
from concord.store import items as store_items
from concord.store.database import Row, Store, marks
from concord.store.spool import Selected
from concord.text.normal_form import normalised, text_hash

# Answers that are compared or stored at once.
_BATCH = 500


class Comparison(NamedTuple):
    """Effect of an import: rows to add, rows already in the sheet, contradicting rows.

    `extended` are items of the sheet, with their ids, for which the file has extra fields not
    stored yet (`concord.model.EXTRA_FIELDS`). `repeated` are all items that the sheet holds
    already: id, row of the file, and its extra fields (`imports.extra_fields_json`). `recognised`
    are stored answers that the file has without their ids, by the `digest` of the identity there.
    """

    new: Sequence[Item]
    unchanged: int = 0
    conflicts: Sequence[BadRow] = ()
    extended: Sequence[tuple[int, Item]] = ()
    repeated: Sequence[tuple[int, int, str | None]] = ()
    recognised: Mapping[bytes, int] = MappingProxyType({})


def compare(
    store: Store, name: str, items: Sequence[Item], not_given: Collection[str] = ()
) -> Comparison:
    """Return the effect of importing `items` into the sheet of that name, which may be new.

    `not_given` are fields of `Item` that the file has no column for: the stored values hold.
    Memory holds numbers of each item, and no texts.
    """
    sheet = sheets.find(store, name)
    if sheet is None:
        return Comparison(items)
    same = SameAnswers(store, sheet.id)
    # Of each stored item: its id, the row that repeats it or -1, and which of `kinds` that tells.
    of_sheet = store.each("select id from items where sheet_id = ? order by id", (sheet.id,))
    ids = array("q", (row["id"] for row in of_sheet))
    rows, told, kinds = array("q", [-1]) * len(ids), array("i", [0]) * len(ids), {None: 0}
    # Of each item of the file: whether it is new, and the stored item it extends, or 0.
    new, extends = bytearray(), array("q")
    conflicts: list[BadRow] = []
    recognised: dict[bytes, int] = {}

    def by(column: str, table: str, columns: str, values: list[str]) -> dict[str, Row]:
        """The rows of a table of the sheet by what they hold in a column."""
        found = store.rows(
            f"""select {columns} from {table} where sheet_id = ?
            and {column} in (select value from json_each(?))""",
            (sheet.id, json.dumps(values)),
        )
        return {row[column]: row for row in found}

    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        known = by("identity", "items", _KNOWN, [item.identity for item in batch])
        questions = by("key", "questions", _ASKED, [item.question_key for item in batch])
        for item in batch:
            stored, question = known.get(item.identity), questions.get(item.question_key)
            if stored is None:
                found, row = same.recognised(item) or (item, None)
                if row and rows[bisect_left(ids, row["id"])] < 0:
                    recognised[digest(item.identity)] = row["id"]
                    item, stored, key = found, row, found.question_key
                    question = by("key", "questions", _ASKED, [key]).get(key)
            if stored and not_given and stored["content_hash"] != content_hash(item):
                held = store_items.item(store, stored["id"]).item
                # A conversation as the question gives turns without a column of turns.
                kept = [field for field in not_given if not getattr(item, field)]
                item = item._replace(**{field: getattr(held, field) for field in kept})
            place = bisect_left(ids, stored["id"]) if stored else 0
            new.append(0)
            extends.append(0)
            earlier = rows[place] if stored else -1
            if difference := _difference(item, stored, question, earlier):
                conflicts.append(difference)
            elif stored is None:
                new[-1] = 1
            else:
                if added := EXTRA_FIELDS & item.metadata.keys():
                    added -= json.loads(stored["metadata"]).keys()
                    extends[-1] = stored["id"] if added else 0
                rows[place] = item.row
                said_there = imports.extra_fields_json(item.metadata, added)
                told[place] = kinds.setdefault(said_there, len(kinds))
    extended = Selected(lambda: zip(extends, items, strict=True), bytes(map(bool, extends)))
    names = [*kinds]
    repeated = Selected(
        lambda: ((*one, names[kind]) for *one, kind in zip(ids, rows, told, strict=True)),
        bytes(row >= 0 for row in rows),
    )
    return Comparison(
        Selected(items.__iter__, new),
        len(repeated) - len(extended),
        conflicts,
        extended,
        repeated,
        recognised,
    )


_KNOWN, _ASKED = "id, identity, content_hash, metadata", "key, text_hash, cluster"


def add(
    store: Store,
    name: str,
    items: Sequence[Item],
    source_name: str,
    sha256: str,
    column_map: dict,
    encoding: str | None = None,
    counts: dict | None = None,
    extended: Iterable[tuple[int, Item]] = (),
    repeated: Iterable[tuple[int, int, str | None]] = (),
) -> Sheet:
    """Store new items in a sheet, created where it is new; all or nothing.

    Existing items in `extended` get only their missing extra fields. Items that undoing an import
    took out come back with their grades where their content is the same.
    """
    # Changed pages in memory, up to a limit, so that each is written to the log once.
    store.row("pragma cache_size = -32768")
    with store.write():
        # Looked up under the write lock: two imports may create the same sheet at once.
        sheet_id = _made(store, name, source_name, sha256, column_map)
        returned = import_undo.take_back(store, sheet_id, items)
        back = {item.identity for item in returned.values()}
        new = (item for item in items if item.identity not in back) if back else iter(items)
        given = (source_name, sha256, column_map, encoding, counts or {})
        number = imports.log(store, sheet_id, imports.SHEET, *given)
        while batch := list(islice(new, _BATCH)):
            imports.trace_new(store, number, store_items.add(store, sheet_id, batch), batch)
        store_items.extend(store, extended)
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


def digest(identity: str) -> bytes:
    """16 bytes for an identity, which may hold a whole question."""
    return blake2b(identity.encode(errors="surrogatepass"), digest_size=16).digest()


def _difference(
    item: Item, known: Row | None, question: Row | None, earlier: int = -1
) -> BadRow | None:
    """Why an item is neither new nor the stored one; `earlier` is the row that repeated it, or -1.

    Refused rather than overwritten: grades were given on the stored text.
    """
    given = sorted(EXTRA_FIELDS & item.metadata.keys()) if known else []
    stored = json.loads(known["metadata"]) if given else {}
    # The judge saw the date, so it cannot be added later; the other fields can.
    unsaid = {field: item.metadata[field] for field in given if field != "judge_date"}
    fields = [f for f in given if stored.get(f, unsaid.get(f)) != item.metadata[f]]
    code, column = "", "id"
    if earlier >= 0:
        code = "item_twice"
    elif question and question["text_hash"] != text_hash(item.question):
        code, column = "another_question", "question"
    elif question and question["cluster"] != item.cluster:
        code, column = "another_cluster", "cluster"
    elif known and known["content_hash"] != content_hash(item):
        code, column = "another_content", "answer"
    elif fields:
        code, column = "another_field", fields[0]
    if not code:
        return None
    name = said("The answer of {model} to this question", model=item.answer_model or "the model")
    values = {
        "what": name if item.own_id is None else said("Item {id}", id=item.own_id),
        "row": earlier,
        "question_id": item.question_id,
        "before": (question and question["cluster"]) or "none",
        "here": item.cluster or "none",
        "field": column,
        "on_command_line": on_command_line("`grades`"),
    }
    return BadRow(item.row, column, said(_DIFFERENCES[code], **values, fault_code=code))


_DIFFERENCES = {
    "item_twice": "{what} is in the file a second time: row {row}, without its ids, has the same "
    "texts. Remove one of the rows, or fill in the ids.",
    "another_question": "Question {question_id} is in the sheet with another text. Give it another "
    "id, or import this file as a separate sheet.",
    "another_cluster": "The cluster of the question is {before} in the sheet and {here} in the "
    "file. Correct one, or import this file as a separate sheet.",
    "another_content": "{what} is in the sheet with another text, spelling, contexts, references "
    "or turns. Leave out the columns that differ, give it another id, or import this file as a "
    "separate sheet; grades alone are imported under Import grades{on_command_line}.",
    "another_field": "{what} is in the sheet with another {field}. Metric values depend on it: "
    "leave the column out, or import this file as a separate sheet.",
}


class SameAnswers:
    """The stored answers of a sheet by question and text, each in normal form.

    Memory holds a hash and an id per stored answer, and no text; the first question reads them.
    """

    def __init__(self, store: Store, sheet_id: int):
        self._store, self._sheet_id = store, sheet_id

    def recognised(self, item: Item) -> tuple[Item, Row] | None:
        """Return the item under the ids of the stored answer that it repeats, and this; else None.

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
        ids = {"own_id": row["own_id"], "question_id": row["q_own"], "cluster": row["cluster"]}
        return item._replace(**ids), row

    def only(self, item: Item, models: Collection[str]) -> int | None:
        """Return the id of the only stored answer with its question and text; None for others.

        Of several, the one with its id counts. `models` are the answering models of the sheet:
        the name of another one may be what a tool calls one of them.
        """
        rows = self._alike(item)
        if item.answer_model in models:
            rows = [row for row in rows if row["answer_model"] in (None, item.answer_model)]
        if item.own_id is not None:
            rows = [row for row in rows if row["own_id"] == item.own_id] or rows
        return rows[0]["id"] if len(rows) == 1 else None

    def _alike(self, item: Item) -> list[Row]:
        """The stored answers with the question and the text of an item."""
        hashes, stored = self._ids
        wanted_hash = _hash(text_hash(item.question), item.answer)
        begin, end = (np.searchsorted(hashes, wanted_hash, side) for side in ("left", "right"))
        ids = tuple(stored[begin:end].tolist())
        wanted = normalised(item.answer)
        return [row for row in self._rows(ids) if normalised(row["answer"]) == wanted]

    def _rows(self, ids: tuple[int, ...]) -> list[Row]:
        return ids and self._store.rows(
            f"""select i.id, i.content_hash, i.metadata, i.own_id, i.answer, i.answer_model,
            q.own_id as q_own, q.cluster,
            (select count(*) from questions o where o.text_hash = q.text_hash
            and +o.sheet_id = q.sheet_id) as questions
            from items i join questions q on q.id = i.question_id where i.id in ({marks(ids)})""",
            ids,
        )

    @cached_property
    def _ids(self) -> tuple[np.ndarray, np.ndarray]:
        """Hashes of the texts of the stored answers in order, and the id of each."""
        hashes, ids = array("q"), array("q")
        for id_, question, answer in self._store.each(
            """select i.id, q.text_hash, i.answer from items i
            join questions q on q.id = i.question_id where i.sheet_id = ?""",
            (self._sheet_id,),
        ):
            hashes.append(_hash(question, answer))
            ids.append(id_)
        order = np.argsort(hashes, kind="stable")
        return np.asarray(hashes)[order], np.asarray(ids)[order]


def _hash(question: str, answer: str) -> int:
    """A hash within this process, of a question's hash and an answer."""
    return hash((question, normalised(answer)))
