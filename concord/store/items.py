"""Contents of sheets in the store: their questions and items."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from concord.definitions import json_text, json_texts
from concord.messages import Problem, joined
from concord.model import (
    EXTRA_FIELDS,
    Context,
    Item,
    ItemKeys,
    answer_key,
    content_hash,
    item_key,
)
from concord.store.database import Row, Store, marks
from concord.text.normal_form import normalised, text_hash

_ITEM = """select i.id, i.sheet_id, i.question_id, i.content_hash, i.own_id, q.own_id as q_own,
    q.cluster, q.text as question, i.contexts, i.answer, i.answer_model, i.reference,
    i.reference_contexts, i.turns, i.synthetic, i.metadata
    from items i join questions q on q.id = i.question_id"""

_NAME = "coalesce(nullif(i.own_id, ''), nullif(q.own_id, ''), 'no. ' || i.id)"
_TOLD = 5  # names in a Problem

# The split of a question `q` under its name of today; `evaluation` where none was assigned.
QUESTION_SPLIT = """coalesce((select case role when 'examples' then 'few-shot' when 'sealed'
    then 'held-out' else role end from question_roles r where r.question_id = q.id
    order by r.id desc limit 1), 'evaluation')"""


class Stored(NamedTuple):
    """An item as stored, with its ids."""

    id: int
    sheet_id: int
    question_id: int
    content_hash: str
    item: Item


def item(store: Store, item_id: int) -> Stored:
    """One item with its question and contexts."""
    row = store.row(f"{_ITEM} where i.id = ?", (item_id,))
    if row is None:
        raise Problem("This answer no longer exists; its sheet was deleted. Choose another.")
    return _stored(row)


def items(store: Store, item_ids: list[int]) -> list[Stored]:
    """Several items, in the order asked for; those deleted since are left out."""
    rows = store.rows(f"{_ITEM} where i.id in ({marks(item_ids)})", item_ids)
    found = {row["id"]: _stored(row) for row in rows}
    return [found[item_id] for item_id in item_ids if item_id in found]


def item_ids(store: Store, sheet_id: int) -> list[int]:
    """The ids of all items of a sheet, in the order of the file."""
    return store.column("select id from items where sheet_id = ? order by id", (sheet_id,))


def item_index(store: Store, sheet_id: int) -> list[Row]:
    """Per item what the reports group by: id, question_id, cluster, answer_model, content_hash."""
    return store.rows(
        """select i.id, i.question_id, q.cluster, i.answer_model, i.content_hash
        from items i join questions q on q.id = i.question_id where i.sheet_id = ? order by i.id""",
        (sheet_id,),
    )


def question_index(store: Store, sheet_id: int) -> list[Row]:
    """Per question of a sheet what ties it to others: id, text_hash, cluster."""
    return store.rows(
        "select id, text_hash, cluster from questions where sheet_id = ? order by id", (sheet_id,)
    )


def grouping(store: Store, sheet_id: int) -> list[list]:
    """The ids, question ids, clusters and answering models of a sheet's items, in any order.

    A list of each, without an object per item: reports read them for a whole sheet.
    """
    lists = ", ".join(
        f"json_group_array({column})"
        for column in ("i.id", "i.question_id", "q.cluster", "i.answer_model")
    )
    row = store.row(
        f"""select {lists} from items i join questions q on q.id = i.question_id
        where i.sheet_id = ?""",
        (sheet_id,),
    )
    return [json.loads(column) for column in row]


def hashes(store: Store, sheet_id: int) -> Iterator[tuple[int, int, str]]:
    """The id, question and content hash of every item of a sheet, in the order of the file."""
    sql = "select id, question_id, content_hash from items where sheet_id = ? order by id"
    yield from store.each(sql, (sheet_id,))


class AnswerNames(dict[int, str]):
    """The names of a sheet's answers, by item id.

    The answer's own id, else its question's, else its number. Where several answers of the sheet
    share it the number follows, as in `q7, no. 12`. No name says which model answered.
    """

    def __init__(self, given: Iterable[tuple[int, str]]):
        self._alike: dict[str, list[int]] = {}
        for item_id, name in given:
            self._alike.setdefault(name, []).append(item_id)
        for name, ids in self._alike.items():
            self.update({i: name if len(ids) == 1 else f"{name}, no. {i}" for i in ids})

    @cached_property
    def ids(self) -> dict[str, int]:
        """The answers by name."""
        return {name: item_id for item_id, name in self.items()}

    @property
    def known(self) -> list[str]:
        """Every name in the order of the file, then those that several answers share."""
        return [*dict.fromkeys([*self.ids, *self._alike])]

    def find(self, name: str) -> int | None:
        """The answer of a name; None without one, a Problem if several answers share it."""
        several = self._alike.get(name, [])
        if name in self.ids or not several:
            return self.ids.get(name)
        raise Problem(
            "“{name}” matches {n} answers. Name one of them: {names}.",
            name=name,
            n=len(several),
            names=joined("; ", (self[one] for one in several[:_TOLD])),
        )


def answer_names(store: Store, sheet_id: int) -> AnswerNames:
    """Return what each answer of a sheet is called, on every screen and in every file."""
    return AnswerNames(
        store.rows(
            f"""select i.id, {_NAME} from items i join questions q on q.id = i.question_id
            where i.sheet_id = ? order by i.id""",
            (sheet_id,),
        )
    )


def names_of(store: Store, sheet_id: int, item_ids: Sequence[int]) -> dict[int, str]:
    """Return the same names of a few answers, quicker where the sheet is large."""
    own = store.rows(
        f"""select i.id, {_NAME} from items i join questions q on q.id = i.question_id
        where i.id in (select value from json_each(?))""",
        (json.dumps([*item_ids]),),
    )
    alike = store.column(
        f"""select {_NAME} as name from items i join questions q on q.id = i.question_id
        where i.sheet_id = ? and name in (select value from json_each(?))
        group by name having count(*) > 1""",
        (sheet_id, json.dumps([name for _, name in own])),
    )
    return {id_: f"{name}, no. {id_}" if name in alike else name for id_, name in own}


def item_names(store: Store, sheet_id: int) -> dict[int, tuple[str, str, str]]:
    """Return the names of each item, its question and its answering model, by item id.

    A question without an id of the sheet's own is named by its number; an unknown model is ''.
    """
    names = answer_names(store, sheet_id)
    rows = store.rows(
        """select i.id, coalesce(q.own_id, q.id), coalesce(i.answer_model, '')
        from items i join questions q on q.id = i.question_id where i.sheet_id = ?""",
        (sheet_id,),
    )
    return {row[0]: (names[row[0]], str(row[1]), row[2]) for row in rows}


def texts(store: Store, sheet_id: int, what: str) -> dict[str, str | int]:
    """The questions, or the first reference answers, of a sheet, each with its cluster.

    `what` is `question` or `reference`; the same text counts once, with the first cluster.
    """
    text = {"question": "q.text", "reference": "json_extract(i.reference, '$[0]')"}[what]
    rows = store.rows(
        f"""select {text} as text, coalesce(q.cluster, q.id) as cluster from items i
        join questions q on q.id = i.question_id where i.sheet_id = ?
        group by q.id order by q.id""",
        (sheet_id,),
    )
    found: dict[str, str | int] = {}
    for row in rows:
        if row["text"]:
            found.setdefault(row["text"], row["cluster"])
    return found


def identities(store: Store, sheet_name: str) -> set[str]:
    """The identity of every item of the sheet of that name; none where there is no such sheet."""
    return set(
        store.column(
            """select identity from items i join sheets s on s.id = i.sheet_id where s.name = ?
            and s.undone_import is null""",
            (sheet_name,),
        )
    )


def item_keys(store: Store, sheet_id: int) -> ItemKeys:
    """Return the keys of a sheet's items; an item's own id counts before a name that is shown."""
    keys: dict[str, int | None] = {}
    identities: dict[str, int] = {}
    names: list[tuple[int, str]] = []
    for row in store.rows(
        f"""select i.id, {_NAME} as name, i.own_id, i.answer_model, q.own_id as q_own, q.cluster,
        q.text as question from items i join questions q on q.id = i.question_id
        where i.sheet_id = ? order by i.id""",
        (sheet_id,),
    ):
        names.append((row["id"], row["name"]))
        bare = Item(
            row["own_id"],
            row["q_own"],
            row["cluster"],
            row["question"],
            (),
            "",
            row["answer_model"],
            (),
            (),
            None,
            False,
            {},
            0,
        )
        identities[bare.identity] = row["id"]
        for key in bare.keys[1:]:
            keys[key] = None if key in keys else row["id"]
    called = AnswerNames(names)
    shown = {item_key(name): called.ids.get(name) for name in called.known}
    return ItemKeys(keys | identities, shown, called.find)


def ids_of(store: Store, sheet_id: int, identities: Collection[str]) -> dict[str, int]:
    """Item id by identity, of the items of a sheet that have one of some identities."""
    sql = "select identity, id from items where sheet_id = ? and identity in"
    given = json.dumps([*identities])
    return dict(store.rows(f"{sql} (select value from json_each(?))", (sheet_id, given)))


def add(store: Store, sheet_id: int, items: Sequence[Item]) -> range:
    """Store new items of a sheet with their questions, and return their ids; inside `write()`."""
    keys = [item.question_key for item in items]
    question_ids = add_questions(store, sheet_id, dict(zip(keys[::-1], items[::-1], strict=True)))
    last = store.value("select coalesce(max(id), 0) from items")
    rows = zip(items, keys, strict=True)
    given = (_row(sheet_id, item, key, question_ids[key]) for item, key in rows)
    store.insert_many("items", _COLUMNS, given)
    store.execute(
        """insert into answer_texts select id, sheet_id, question_id, own_id, answer_model, answer,
        length(answer), metadata from items where id > ?""",
        (last,),
    )
    return range(last + 1, last + 1 + len(items))


def extend(store: Store, items: Iterable[tuple[int, Item]]) -> None:
    """Add missing extra fields of stored items, each with its id; inside `write()`."""
    for id_, one in items:
        known = store.value("select metadata from items where id = ?", (id_,))
        said = {key: one.metadata[key] for key in sorted(EXTRA_FIELDS & one.metadata.keys())}
        metadata = _json(said | json.loads(known))
        store.execute("update items set metadata = ? where id = ?", (metadata, id_))


def move(store: Store, sheet_id: int, items: dict[int, Item]) -> None:
    """Move stored items, by id, into a sheet, with ids and fields as given; inside `write()`."""
    keys = {id_: item.question_key for id_, item in items.items()}
    firsts = {keys[id_]: item for id_, item in reversed(items.items())}
    question_ids = add_questions(store, sheet_id, firsts)
    given = ", ".join(f"{column} = ?" for column in _COLUMNS)
    store.connection.executemany(
        f"update items set {given} where id = ?",
        (
            (*_row(sheet_id, item, keys[id_], question_ids[keys[id_]]), id_)
            for id_, item in items.items()
        ),
    )


def add_questions(store: Store, sheet_id: int, firsts: dict[str, Item]) -> dict[str, int]:
    """Store the questions of items where they are new; return every question's id by its key.

    `firsts` is the first item of each question by the question's key, the last one first.
    """
    rows = [
        (sheet_id, key, item.question_id, item.question, text_hash(item.question), item.cluster)
        for key, item in reversed(firsts.items())
    ]
    store.connection.executemany(
        """insert into questions (sheet_id, key, own_id, text, text_hash, cluster)
        values (?, ?, ?, ?, ?, ?) on conflict (sheet_id, key) do nothing""",
        rows,
    )
    found = store.rows(
        """select key, id from questions where sheet_id = ?
        and key in (select value from json_each(?))""",
        (sheet_id, json.dumps(list(firsts))),
    )
    return dict(found)


_COLUMNS = (
    "sheet_id",
    "question_id",
    "own_id",
    "identity",
    "content_hash",
    "contexts",
    "answer",
    "answer_model",
    "reference",
    "reference_contexts",
    "turns",
    "synthetic",
    "metadata",
)


def _row(sheet_id: int, item: Item, question: str, question_id: int) -> tuple:
    """An item as it is stored, in the order of `_COLUMNS`."""
    own = item.own_id
    return (
        sheet_id,
        question_id,
        own,
        answer_key(question, item.answer_model) if own is None else item_key(own),
        content_hash(item),
        _contexts_json(item.contexts),
        item.answer,
        item.answer_model,
        json_texts(item.reference, ", ") if item.reference else "[]",
        json_texts(item.reference_contexts, ", ") if item.reference_contexts else "[]",
        None if item.turns is None else _json(item.turns),
        int(item.synthetic),
        _json(item.metadata),
    )


@lru_cache(maxsize=1)  # answers to one question mostly follow each other, with the same contexts
def _contexts_json(contexts: tuple[Context, ...]) -> str:
    """Return what `json.dumps` gives for the contexts as dictionaries, in a fifth of the time."""
    texts = [
        f'{{"id": {json_text(id_)}, "doc_id": {json_text(doc_id)}, "text": {json_text(text)}'
        f', "rank": {rank}}}'
        for id_, doc_id, text, rank in contexts
    ]
    return f"[{', '.join(texts)}]"


_ENCODED = json.JSONEncoder(ensure_ascii=False).encode


def _json(value) -> str:
    if value:
        return _ENCODED(value)
    return "{}" if isinstance(value, dict) else "[]"


def _stored(row: Row) -> Stored:
    # By position: a run reads an item for every request.
    id_, sheet_id, question_id, content_hash, *rest = row
    own_id, question_own, cluster, question, contexts, answer, answer_model, *rest = rest
    reference, reference_contexts, turns, synthetic, metadata = rest
    item = Item(
        own_id=own_id,
        question_id=question_own,
        cluster=cluster,
        question=question,
        contexts=tuple(Context(**context) for context in _listed(contexts)),
        answer=answer,
        answer_model=answer_model,
        reference=tuple(_listed(reference)),
        reference_contexts=tuple(_listed(reference_contexts)),
        turns=None if turns is None else tuple(_listed(turns)),
        synthetic=bool(synthetic),
        metadata=json.loads(metadata),
        row=0,
    )
    return Stored(id_, sheet_id, question_id, content_hash, item)


def _listed(text: str) -> list:
    """Return a stored list; most are empty."""
    return [] if text == "[]" else json.loads(text)


def answers(store: Store, sheet_id: int) -> list[str]:
    """Return the texts of a sheet's answers in the order of their ids, as a panel's items have."""
    return store.column("select answer from items where sheet_id = ? order by id", (sheet_id,))


def page(store: Store, sheet_id: int, number: int, size: int) -> list[Stored]:
    """The answers of page `number` (from 1) of a sheet, in the order of the file."""
    return items(
        store,
        store.column(
            "select id from items where sheet_id = ? order by id limit ? offset ?",
            (sheet_id, size, size * (number - 1)),
        ),
    )


def number(store: Store, stored: Stored) -> int:
    """Return the place of an answer in its sheet, from 1."""
    place = (stored.sheet_id, stored.id)
    return store.value("select count(*) from items where sheet_id = ? and id <= ?", place)


def pages(answers: int, size: int) -> int:
    """Return the number of pages of `size` answers; at least one."""
    return max(1, -(-answers // size))


def matching(store: Store, sheet_id: int, words: str) -> set[int]:
    """The ids of the answers whose question, answer or id holds some words.

    Width, case and white space do not count, in any script.
    """
    wanted = normalised(words)
    rows = store.each(
        """select i.id, q.text, i.answer, coalesce(i.own_id, i.id), coalesce(q.own_id, '')
        from items i join questions q on q.id = i.question_id where i.sheet_id = ?""",
        (sheet_id,),
    )
    return {row[0] for row in rows if any(wanted in normalised(str(text)) for text in row[1:])}


ColumnValue = str | int | float | bool | list | dict | None


def column_names(store: Store, sheet_id: int) -> list[str]:
    """Return the sheet's own columns, in alphabetical order."""
    return store.column(
        """select distinct e.key as name from items i, json_each(i.metadata) e
        where i.sheet_id = ? order by 1""",
        (sheet_id,),
    )


def column_values(store: Store, sheet_id: int, column: str) -> dict[int, ColumnValue]:
    """Return the value of one of the sheet's own columns by item id; None without a value."""
    rows = store.rows(
        """select i.id, e.type, e.value from items i
        left join json_each(i.metadata) e on e.key = ? where i.sheet_id = ? order by i.id""",
        (column, sheet_id),
    )
    return {row["id"]: _column_value(row["type"], row["value"]) for row in rows}


def field_values(store: Store, sheet_id: int, field: str) -> dict[int, str | None]:
    """Return a field of every answer by item id: `answer_model`, `cluster` or `synthetic`."""
    column = {"answer_model": "i.answer_model", "cluster": "q.cluster", "synthetic": "i.synthetic"}
    rows = store.rows(
        f"""select i.id, {column[field]} as value from items i
        join questions q on q.id = i.question_id where i.sheet_id = ? order by i.id""",
        (sheet_id,),
    )
    return {row["id"]: row["value"] for row in rows}


def _column_value(kind: str | None, value: str | int | float | None) -> ColumnValue:
    if kind in ("array", "object"):
        return json.loads(value)
    return bool(value) if kind in ("true", "false") else value
