"""Metric values of answers, stored as grades with parts, flags and units."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.clock import now
from concord.store import grades
from concord.store.database import Row, Store
from concord.store.grades import CURRENT, Press


class NewMetricValue(NamedTuple):
    """A metric value to store, with its by-products.

    `parts` are secondary values, `flags` codes of caveats, `units` the number of units it is based
    on, `lists` the ids of the unit lists those come from.
    """

    press: Press
    parts: Mapping[str, float | None] = {}
    flags: Sequence[str] = ()
    units: int = 0
    lists: Sequence[int] = ()


class MetricValueState(NamedTuple):
    """State of a metric value: its status, and whether a list it is based on was edited since."""

    status: str
    is_stale: bool


def register(store: Store, name: str, version: str, body: str) -> None:
    """Store a metric as a criterion, where it is new."""
    with store.write():
        store.execute(
            """insert into criteria (version, name, body, created_at) values (?, ?, ?, ?)
            on conflict (version) do nothing""",
            (version, name, body, now()),
        )


def record(store: Store, found: Sequence[NewMetricValue]) -> None:
    """Store metric values, each superseding the one before; durable on return.

    Nothing is added where the value was undefined before and still is, for the same reason.
    """
    with store.write():
        for one in found:
            # Each run would otherwise add the same undefined value again.
            if _is_stored(store, one):
                continue
            grades.record(store, [one.press])
            store.insert(
                "measured", grade_id=grades.current_id(store, one.press), **_by_products(one)
            )


def _by_products(one: NewMetricValue) -> dict[str, object]:
    """Return the by-products of a metric value as stored."""
    return {
        "parts": json.dumps(dict(one.parts), ensure_ascii=False, allow_nan=False),
        "flags": json.dumps(list(one.flags), ensure_ascii=False),
        "units": one.units,
        "lists": json.dumps(sorted(one.lists)),
    }


def _is_stored(store: Store, one: NewMetricValue) -> bool:
    """True where the newest row already records the same reason for an undefined value."""
    stored = _by_products(one)
    row = one.press.status != "scored" and store.row(
        f"""select g.status, g.reason, {", ".join(f"m.{name}" for name in stored)} from grades g
        join measured m on m.grade_id = g.id where g.id = ?""",
        (grades.current_id(store, one.press),),
    )
    return bool(row) and tuple(row) == (one.press.status, one.press.reason, *stored.values())


def states(
    store: Store, sheet_id: int, grader_id: int
) -> dict[tuple[int, str, int], MetricValueState]:
    """Return the state of each value of a grader on a sheet by (item, version, repeat)."""
    superseded = edited(store, sheet_id=sheet_id)
    return {
        (row["item_id"], row["version"], row["repeat"]): MetricValueState(
            row["status"], bool(superseded) and not superseded.isdisjoint(json.loads(row["lists"]))
        )
        for row in store.rows(
            f"""select g.item_id, g.version, g.repeat, g.status, m.lists from measured m
            join grades g on g.id = m.grade_id join items i on i.id = g.item_id
            where i.sheet_id = ? and g.grader_id = ? and {CURRENT}""",
            (sheet_id, grader_id),
        )
    }


def of_sheet(store: Store, sheet_id: int) -> list[Row]:
    """Return every current metric value of a sheet with its grader, oldest first.

    With the ids of the `lists` each is based on.
    """
    return store.rows(f"{_NUMBERS} i.sheet_id = ? {_COUNTING}", (sheet_id,))


def of_item(store: Store, item_id: int) -> list[Row]:
    """The same of one item."""
    return store.rows(f"{_NUMBERS} i.id = ? {_COUNTING}", (item_id,))


def edited(store: Store, **of: int) -> set[int]:
    """The ids of the lists that were edited since, of an item (`id`) or of a sheet (`sheet_id`)."""
    [column] = of
    return set(
        store.column(
            f"""select d.supersedes from decompositions d join items i on i.id = d.item_id
            where d.supersedes is not null and i.{column} = :{column}""",
            of,
        )
    )


_NUMBERS = """select g.item_id, i.answer_model, i.question_id, q.cluster, c.name as metric,
    g.version,
    c.body, r.id as grader_id, r.name, r.fingerprint, g.repeat, g.status, g.score, g.reason,
    m.parts, m.flags, m.units, m.lists from measured m join grades g on g.id = m.grade_id
    join items i on i.id = g.item_id join questions q on q.id = i.question_id
    join criteria c on c.version = g.version
    join graders o on o.id = g.grader_id
    join graders r on r.id = coalesce(o.merged_into, o.id) where"""
_COUNTING = f"and {CURRENT} and g.status <> 'withdrawn' order by g.id"
