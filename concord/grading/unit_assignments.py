"""Unit queue: a grader's way through a grading set whose steps are the units of its answers.

An answer is handed out once there is a list of its units, and is done when each unit of the newest
list has a grade and, where a model made the list, the list itself was checked.
"""

import json
from collections.abc import Collection
from typing import NamedTuple

from concord.grading.campaign_plan import SINGLE
from concord.store.database import Row, Store
from concord.store.grades import CURRENT
from concord.store.permissions import CLOSED, IS_OPEN
from concord.store.units.list_checks import IS_CHECKED
from concord.store.units.units import NEWEST

_LISTS = (
    "with lists as (select d.id, d.item_id, (select count(distinct p.unit_id)"
    " from decomposition_units p where p.decomposition_id = d.id) as units,"
    f" {IS_CHECKED} as checked from decompositions d where d.kind = :kind and {NEWEST})"
)
_HAS_STEPS = "(l.units > 0 or l.checked)"
_GIVEN = (
    f"g.grader_id = a.grader_id and g.repeat = a.repeat and g.status <> 'withdrawn' and {CURRENT}"
)

_IS_DONE = (
    "(select count(distinct g.unit_id) from grades g join decomposition_units p"
    "  on p.unit_id = g.unit_id and p.decomposition_id = l.id"
    f"  where g.item_id = a.item_id and g.version = :version and {_GIVEN}) = l.units"
    " and (not l.checked or exists (select 1 from list_checks c join grades g"
    f"  on g.id = c.grade_id where c.decomposition_id = l.id and {_GIVEN}))"
)


class DecompositionProgress(NamedTuple):
    """Decomposition progress of a set's answers.

    `ready` have a list of units to grade, `nothing` have no such units, by a rule, and `apart` are
    not decomposed yet.
    """

    ready: int
    nothing: int
    apart: int


def assigned_places(
    store: Store, set_id: int, grader_id: int, kind: str, version: str
) -> list[Row]:
    """Return the assigned places of a grader whose answers can be graded, in order.

    Columns id, item_id, block, position, repeat and whether it is done.
    """
    return store.rows(
        f"{_LISTS} select a.id, a.item_id, a.block, a.position, a.repeat, {_IS_DONE}"
        " from assignments a join lists l on l.item_id = a.item_id"
        f" where a.set_id = :set and a.grader_id = :grader and {_HAS_STEPS} and {IS_OPEN}"
        f" order by a.block = {SINGLE}, a.position",
        {"kind": kind, "version": version, "set": set_id, "grader": grader_id},
    )


def graded(
    store: Store, set_id: int, grader_id: int, kind: str, version: str, blocks: Collection[int]
) -> int:
    """Count the answers of blocks to come whose units a grader has graded already."""
    return store.value(
        f"{_LISTS} select count(*) from (select m.item_id, :grader as grader_id, 1 as repeat"
        "  from grading_set_items m where m.set_id = :set"
        f"  and m.block in (select value from json_each(:blocks)) and m.item_id not in {CLOSED}"
        "  and not exists (select 1 from assignments o where o.set_id = m.set_id"
        "   and o.item_id = m.item_id and o.grader_id = :grader)) a"
        f" join lists l on l.item_id = a.item_id where {_HAS_STEPS} and {_IS_DONE}",
        {
            "kind": kind,
            "version": version,
            "set": set_id,
            "grader": grader_id,
            "blocks": json.dumps(sorted(blocks)),
        },
    )


def decomposition_progress(
    store: Store, set_id: int, kind: str, blocks: Collection[int] | None = None
) -> DecompositionProgress:
    """Count the decomposed answers of a set's blocks (None: of all)."""
    ready, nothing, apart = store.row(
        f"{_LISTS} select coalesce(sum({_HAS_STEPS}), 0), coalesce(sum(not {_HAS_STEPS}), 0),"
        " coalesce(sum(l.id is null), 0) from grading_set_items m"
        " left join lists l on l.item_id = m.item_id where m.set_id = :set"
        f" and m.item_id not in {CLOSED}"
        " and (:blocks is null or m.block in (select value from json_each(:blocks)))",
        {
            "kind": kind,
            "set": set_id,
            "blocks": None if blocks is None else json.dumps(sorted(blocks)),
        },
    )
    return DecompositionProgress(ready, nothing, apart)
