"""Undone answers: what undoing an import took out of a sheet, and its way back.

They are kept in a sheet of their own that no list shows, with the grades given on them. Grading
sets that held such answers have a twin there, which keeps their places.
"""

import json
from collections.abc import Collection, Sequence

from concord.model import Item, content_hash
from concord.store import items as store_items
from concord.store.database import Store

# The tables that place answers in grading sets, each with the columns set_id and item_id.
_PLACED = (
    *("grading_set_items", "draw_probabilities", "practice_answers", "gold_answers"),
    *("comments", "regrade_requests"),
)
_KEEPING = "select h.id from sheets h join imports m on m.id = h.undone_import"
_ASIDE = f"({_KEEPING} where m.sheet_id = :sheet)"
# Questions of other sheets that items of a sheet refer to.
_FOREIGN = (
    "(select i.question_id from items i join questions q on q.id = i.question_id"
    " where i.sheet_id = :sheet and q.sheet_id <> :sheet)"
)
_AMONG = "(select value from json_each(:ids))"


def take_out(store: Store, ids: Collection[int], sheet_id: int, aside: int, number: int) -> None:
    """Move answers of a sheet into the sheet `aside` of import `number`; inside `write()`."""
    values = {"ids": json.dumps(list(ids)), "sheet": sheet_id, "aside": aside}
    store.execute(f"update items set sheet_id = :aside where id in {_AMONG}", values)
    settle_questions(store, aside)
    for row in store.rows("select id from grading_sets where sheet_id = :sheet", values):
        _take_out_of_set(store, row["id"], values, number)


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
    values["ids"] = json.dumps(list(found))
    twins = f"select id, kept_for, name from grading_sets where sheet_id in {_ASIDE} order by id"
    for twin in store.rows(twins, values):
        _take_back_into_set(store, twin, values)
    store.execute(
        f"delete from questions where sheet_id in {_ASIDE}"
        " and not exists (select 1 from items i where i.question_id = questions.id)",
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
        f"update questions set sheet_id = :sheet where id in {_FOREIGN} and not exists"
        " (select 1 from items i where i.question_id = questions.id and i.sheet_id <> :sheet)"
        " and not exists (select 1 from questions t where t.sheet_id = :sheet"
        " and t.key = questions.key)",
        {"sheet": sheet_id},
    )
    _copy_questions(store, sheet_id)


def _copy_questions(store: Store, sheet_id: int) -> None:
    """Give a sheet copies, without their splits, of the questions of its items that it lacks."""
    values = {"sheet": sheet_id}
    store.execute(
        "insert into questions (sheet_id, key, own_id, text, text_hash, cluster)"
        " select :sheet, key, own_id, text, text_hash, cluster from questions"
        f" where id in {_FOREIGN} on conflict (sheet_id, key) do nothing",
        values,
    )
    store.execute(
        "update items set question_id = (select t.id from questions t join questions q"
        " on q.key = t.key where q.id = items.question_id and t.sheet_id = :sheet)"
        f" where sheet_id = :sheet and question_id in {_FOREIGN}",
        values,
    )


def _take_back_questions(store: Store, sheet_id: int, items: Sequence[Item]) -> None:
    """Move undone questions back that some items ask, with their splits; the oldest of a key."""
    known = set(store.column("select key from questions where sheet_id = ?", (sheet_id,)))
    asked = {(i.question_key, i.question, i.cluster) for i in items if i.question_key not in known}
    found: dict[str, int] = {}
    for row in store.rows(
        "select id, key, text, cluster, sheet_id from questions"
        f" where sheet_id in {_ASIDE} order by id",
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


def _take_out_of_set(store: Store, set_id: int, values: dict, number: int) -> None:
    """Move a set's places of some answers to a twin; a set of which none is left is emptied."""
    values = values | {"set": set_id}
    placed = " union all ".join(
        f"select 1 from {table} where set_id = :set and item_id in {_AMONG}"
        for table in ("assignments", *_PLACED)
    )
    if not store.value(f"select exists ({placed})", values):
        return
    copied = dict(store.row("select * from grading_sets where id = :set", values))
    del copied["id"]
    kept = {"sheet_id": values["aside"], "kept_for": set_id, "emptied": 0}
    values["twin"] = store.insert("grading_sets", **copied | kept)
    for table in ("assignments", *_PLACED):
        store.execute(
            f"update {table} set set_id = :twin where set_id = :set and item_id in {_AMONG}", values
        )
    store.execute(
        "update grading_sets set emptied = 1, name = name || ' (undone import ' || :number || ')'"
        " where id = :set and not exists (select 1 from grading_set_items where set_id = :set)",
        {"set": set_id, "number": number},
    )


def _take_back_into_set(store: Store, twin, values: dict) -> None:
    """Move a twin's places of some answers back to its set; an empty twin is deleted."""
    values = values | {"twin": twin["id"], "set": twin["kept_for"], "name": twin["name"]}
    for table in _PLACED:
        store.execute(
            f"update {table} set set_id = :set where set_id = :twin and item_id in {_AMONG}", values
        )
    _take_back_queues(store, values)
    store.execute(
        "update grading_sets set emptied = 0, name = case when exists (select 1 from grading_sets o"
        " where o.sheet_id = :sheet and o.name = :name) then name else :name end"
        " where id = :set and emptied"
        " and exists (select 1 from grading_set_items where set_id = :set)",
        values,
    )
    store.execute(
        "delete from grading_sets where id = :twin and not exists"
        " (select 1 from grading_set_items where set_id = :twin)"
        " and not exists (select 1 from assignments where set_id = :twin)",
        values,
    )


def _take_back_queues(store: Store, values: dict) -> None:
    """Move places in queues back: each to where it was, or to the end where that is taken."""
    back = f"set_id = :twin and item_id in {_AMONG}"
    store.execute(f"update or ignore assignments set set_id = :set where {back}", values)
    for row in store.rows(f"select id, grader_id from assignments where {back}", values):
        store.execute(
            "update assignments set set_id = :set, position = (select max(position) + 1 from"
            " assignments where set_id = :set and grader_id = :grader) where id = :id",
            {"set": values["set"], "grader": row["grader_id"], "id": row["id"]},
        )
