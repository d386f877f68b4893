"""Units of an item, as one list per kind, of which the newest counts.

A list is stored once and shared by every judge, metric and annotator. An annotator who edits it
makes a new list that supersedes the old one; units that stay keep their ids, and so their grades.
An empty list records that there are no units of the kind, unlike a missing list.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import now
from concord.model import Cell, Unit
from concord.store.database import Row, Store, marks

NEWEST = "not exists (select 1 from decompositions later where later.supersedes = d.id)"


class Decomposition(NamedTuple):
    """One list: its units in order, who made it (None: a rule), and who approved it, by id."""

    id: int
    item_id: int
    kind: str
    units: tuple[Unit, ...]
    decomposer_id: int | None
    approved_by: tuple[int, ...]
    supersedes: int | None


def current(store: Store, item_ids: Sequence[int], kind: str) -> dict[int, Decomposition]:
    """The newest list of a kind, by item id; items that were never cut so are not in it."""
    lists = store.rows(
        f"""select d.* from decompositions d
        where d.item_id in ({marks(item_ids)}) and d.kind = ? and {NEWEST}""",
        (*item_ids, kind),
    )
    return {row["item_id"]: _decomposition(store, row) for row in lists}


def index(store: Store, sheet_id: int, kind: str) -> list[tuple[int, int, bool]]:
    """Return every unit of a kind a sheet ever had: (id, item id, in the newest list).

    In rising order of the ids.
    """
    rows = store.rows(
        f"""select u.id, u.item_id, max(exists (select 1 from decompositions d
        join decomposition_units p on p.decomposition_id = d.id where p.unit_id = u.id
        and {NEWEST})) from units u join items i on i.id = u.item_id
        where i.sheet_id = ? and u.kind = ? group by u.id order by u.id""",
        (sheet_id, kind),
    )
    return [(row[0], row[1], bool(row[2])) for row in rows]


def texts(store: Store, sheet_id: int, kind: str) -> list[str]:
    """The texts of every unit of a kind that a sheet ever had, in the order of `index`."""
    return store.column(
        """select u.text from units u join items i on i.id = u.item_id
        where i.sheet_id = ? and u.kind = ? order by u.id""",
        (sheet_id, kind),
    )


def listed(store: Store, item_ids: Sequence[int], kind: str) -> set[int]:
    """Return those of these items that have a list of a kind."""
    return set(
        store.column(
            f"""select distinct item_id from decompositions
            where item_id in ({marks(item_ids)}) and kind = ?""",
            (*item_ids, kind),
        )
    )


def is_of(store: Store, unit_id: int | None, item_id: int, kind: str) -> bool:
    """True where a unit, of the newest list or an older one, belongs to that item and kind."""
    return store.has(
        "select 1 from units where id = ? and item_id = ? and kind = ?",
        (unit_id, item_id, kind),
    )


def keep(
    store: Store,
    item_id: int,
    kind: str,
    cells: Sequence[Cell],
    decomposer_id: int | None,
) -> Decomposition:
    """Store the first list of a kind; if another process was faster, return and use its list.

    Units with parents follow them: where a parent was edited, the list is replaced, and units in
    both lists keep their ids.
    """
    with store.write():
        # Read under the write lock, so that the first of two processes wins.
        there = current(store, [item_id], kind).get(item_id)
        # A list of units with parents is replaced where it no longer matches the current parents.
        parts = [] if there is None else [Cell(*unit[2:]) for unit in there.units]
        if there and (parts == [*cells] or not any(one.parent for one in [*parts, *cells])):
            return there
        list_id = _new_list(store, item_id, kind, decomposer_id, there and there.id, "")
        kept = {Cell(*unit[2:]): unit.id for unit in there.units} if there else {}
        unit_ids = [
            kept.get(cell) or _new_unit(store, item_id, kind, cell, decomposer_id) for cell in cells
        ]
        fill(store, list_id, unit_ids)
        return current(store, [item_id], kind)[item_id]


def edit(
    store: Store,
    old: Decomposition,
    texts: Sequence[tuple[int | None, str]],
    grader_id: int,
    why: str = "",
) -> Decomposition:
    """Replace the newest list by an annotator's and return it.

    `old` is the list as the annotator saw it. `texts` are in order, each with the unit's old id
    (None for a new unit); an old id whose text is changed becomes a new unit that supersedes it.
    """
    with store.write():
        # The new list supersedes the newest one, which may not be the one the annotator saw.
        newest = current(store, [old.item_id], old.kind)[old.item_id]
        kept = {unit.id: unit for unit in old.units}
        list_id = _new_list(store, old.item_id, old.kind, grader_id, newest.id, why)
        unit_ids = [
            unit_id
            if unit_id in kept and kept[unit_id].text == text
            else _new_unit(store, old.item_id, old.kind, Cell(text, place), grader_id, unit_id)
            for place, (unit_id, text) in enumerate(texts)
        ]
        fill(store, list_id, unit_ids)
        return current(store, [old.item_id], old.kind)[old.item_id]


def approve(store: Store, list_id: int, grader_id: int) -> None:
    """Note that an annotator found a list right; twice is once."""
    with store.write():
        if not store.value(
            "select 1 from decomposition_approvals where decomposition_id = ? and grader_id = ?",
            (list_id, grader_id),
        ):
            store.insert(
                "decomposition_approvals",
                decomposition_id=list_id,
                grader_id=grader_id,
                approved_at=now(),
            )


def fill(store: Store, list_id: int, unit_ids: Sequence[int]) -> None:
    """Put units into a list that has none yet, in their order."""
    rows = [(list_id, place, unit_id) for place, unit_id in enumerate(unit_ids)]
    if rows:
        store.insert_many("decomposition_units", ("decomposition_id", "place", "unit_id"), rows)


def _decomposition(store: Store, row: Row) -> Decomposition:
    units = store.rows(
        """select u.id, u.kind, u.text, u.position, u.parent_id from decomposition_units p
        join units u on u.id = p.unit_id where p.decomposition_id = ? order by p.place""",
        (row["id"],),
    )
    approvals = store.rows(
        """select grader_id from decomposition_approvals where decomposition_id = ?
        order by approved_at, grader_id""",
        (row["id"],),
    )
    return Decomposition(
        row["id"],
        row["item_id"],
        row["kind"],
        tuple(Unit(*unit) for unit in units),
        row["decomposer_id"],
        tuple(approval["grader_id"] for approval in approvals),
        row["supersedes"],
    )


def _new_list(
    store: Store, item_id: int, kind: str, grader_id: int | None, old: int | None, why: str
) -> int:
    return store.insert(
        "decompositions",
        item_id=item_id,
        kind=kind,
        decomposer_id=grader_id,
        supersedes=old,
        why=why,
        created_at=now(),
    )


def _new_unit(
    store: Store,
    item_id: int,
    kind: str,
    cell: Cell,
    grader_id: int | None,
    supersedes: int | None = None,
) -> int:
    return store.insert(
        "units",
        item_id=item_id,
        kind=kind,
        text=cell.text,
        position=cell.position,
        parent_id=cell.parent,
        supersedes=supersedes,
        decomposer_id=grader_id,
        created_at=now(),
    )
