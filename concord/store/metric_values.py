"""Measured: what metrics say of answers, as grades with their parts, flags and units."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.clock import now
from concord.store import grades
from concord.store.database import Row, Store
from concord.store.grades import CURRENT, Press


class Measured(NamedTuple):
    """One number on its way to the disk, and what stands beside it.

    `parts` are other numbers that came with it, `flags` what a reader must know, `units` how many
    parts of the item it rests on, `lists` the ids of the decompositions those are from.
    """

    press: Press
    parts: Mapping[str, float | None] = {}
    flags: Sequence[str] = ()
    units: int = 0
    lists: Sequence[int] = ()


class Standing(NamedTuple):
    """How a number stands: its status, and whether an annotator edited a list it rests on since."""

    status: str
    is_stale: bool


def register(store: Store, name: str, version: str, body: str) -> None:
    """Store a metric as a criterion, where it is new."""
    with store.write():
        store.execute(
            "insert into criteria (version, name, body, created_at) values (?, ?, ?, ?)"
            " on conflict (version) do nothing",
            (version, name, body, now()),
        )


def record(store: Store, found: Sequence[Measured]) -> None:
    """Put numbers on disk, each superseding the one before; durable when it returns.

    Where there was no number before, and there is none again for the same reason, nothing is added.
    """
    with store.write():
        for one in found:
            if _stands(store, one):
                continue
            grades.record(store, [one.press])
            store.insert("measured", grade_id=grades.current_id(store, one.press), **_beside(one))


def _beside(one: Measured) -> dict[str, object]:
    """What stands beside a number, as it is stored."""
    return {
        "parts": json.dumps(dict(one.parts), ensure_ascii=False, allow_nan=False),
        "flags": json.dumps(list(one.flags), ensure_ascii=False),
        "units": one.units,
        "lists": json.dumps(sorted(one.lists)),
    }


def _stands(store: Store, one: Measured) -> bool:
    """Whether the newest row says already why there is no number."""
    beside = _beside(one)
    row = one.press.status != "scored" and store.row(
        f"select g.status, g.reason, {', '.join(f'm.{name}' for name in beside)} from grades g"
        " join measured m on m.grade_id = g.id where g.id = ?",
        (grades.current_id(store, one.press),),
    )
    return bool(row) and tuple(row) == (one.press.status, one.press.reason, *beside.values())


def standing(store: Store, sheet_id: int, grader_id: int) -> dict[tuple[int, str, int], Standing]:
    """How each number of a grader on a sheet stands, by (item, criterion version, repeat)."""
    edited = edited_on(store, sheet_id)
    return {
        (row["item_id"], row["version"], row["repeat"]): Standing(
            row["status"], bool(edited) and not edited.isdisjoint(json.loads(row["lists"]))
        )
        for row in store.rows(
            "select g.item_id, g.version, g.repeat, g.status, m.lists from measured m"
            " join grades g on g.id = m.grade_id join items i on i.id = g.item_id"
            f" where i.sheet_id = ? and g.grader_id = ? and {CURRENT}",
            (sheet_id, grader_id),
        )
    }


def of_sheet(store: Store, sheet_id: int) -> list[Row]:
    """Every current number that metrics give on a sheet, with who gave it, oldest first.

    With the ids of the `lists` that each rests on.
    """
    return store.rows(f"{_NUMBERS} i.sheet_id = ? {_COUNTING}", (sheet_id,))


def of_item(store: Store, item_id: int) -> list[Row]:
    """The same of one item."""
    return store.rows(f"{_NUMBERS} i.id = ? {_COUNTING}", (item_id,))


def edited(store: Store, item_id: int) -> set[int]:
    """The ids of the lists of an item that were edited since."""
    return _superseded(store, "i.id = ?", item_id)


def edited_on(store: Store, sheet_id: int) -> set[int]:
    """The ids of the lists of a sheet that were edited since."""
    return _superseded(store, "i.sheet_id = ?", sheet_id)


def _superseded(store: Store, where: str, value: int) -> set[int]:
    rows = store.rows(
        "select d.supersedes from decompositions d join items i on i.id = d.item_id"
        f" where d.supersedes is not null and {where}",
        (value,),
    )
    return {row["supersedes"] for row in rows}


_NUMBERS = (
    "select g.item_id, i.answer_model, i.question_id, q.cluster, c.name as metric, g.version,"
    " c.body, r.id as grader_id, r.name, r.fingerprint, g.repeat, g.status, g.score, g.reason,"
    " m.parts, m.flags, m.units, m.lists from measured m join grades g on g.id = m.grade_id"
    " join items i on i.id = g.item_id join questions q on q.id = i.question_id"
    " join criteria c on c.version = g.version"
    " join graders o on o.id = g.grader_id"
    " join graders r on r.id = coalesce(o.merged_into, o.id) where"
)
_COUNTING = f"and {CURRENT} and g.status <> 'withdrawn' order by g.id"
