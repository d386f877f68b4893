"""Verdicts on units from rows of grades: which unit a file means, by its text, number or id."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell
from concord.importing.scores import bad
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.units.units import NEWEST
from concord.text.normal_form import normalised


class NamedUnit(NamedTuple):
    """A unit of an answer: its number counts from 1; `newest` is whether the newest list has it."""

    id: int
    text: str
    number: int
    newest: bool | int


def named_units(store: Store, sheet_id: int, kind: str) -> dict[int, list[NamedUnit]]:
    """Return every unit of a kind that a sheet ever had, by id of the items that have any."""
    rows = store.rows(
        "select u.item_id, u.id, u.text, u.position + 1 as number, exists (select 1 from"
        " decomposition_units p join decompositions d on d.id = p.decomposition_id"
        f" where p.unit_id = u.id and {NEWEST}) as newest"
        " from units u join items i on i.id = u.item_id"
        " where i.sheet_id = ? and u.kind = ? order by u.id",
        (sheet_id, kind),
    )
    found: dict[int, list[NamedUnit]] = defaultdict(list)
    for item_id, *unit in rows:
        found[item_id].append(NamedUnit(*unit))
    return dict(found)


def has(store: Store, sheet_id: int, rubric: Rubric) -> bool:
    """True where any answer of a sheet was decomposed into units of the rubric's kind."""
    return store.has(
        "select 1 from units u join items i on i.id = u.item_id"
        " where i.sheet_id = ? and u.kind = ? limit 1",
        (sheet_id, rubric.units),
    )


def unit_meant(
    known: Sequence[NamedUnit],
    cell: Cell,
    unit_id: int | None = None,
    number: int | None = None,
    row: int | None = None,
) -> int:
    """The id of the one unit that a row means.

    A text decides before an id does: ids are of one database, texts of the answer. Of several of
    one text its number, else its row in an export, tells it apart; of several others the newest
    list.

    Raises:
        BadCell: None is meant, or several are.
    """
    if not known:
        raise bad("no_units")
    whole = of_cell.text(cell)
    text, meant = whole.strip(), []
    if text:
        meant = [unit for unit in known if unit.text == whole]
        meant = meant or [unit for unit in known if normalised(unit.text) == normalised(text)]
        if meant and unit_id not in (None, *(unit.id for unit in meant)):
            raise bad("another_unit", id=unit_id, given=text)
        meant = meant or [unit for unit in known if str(unit.id) == text.lstrip("0")]
        meant = [unit for unit in meant if number in (None, unit.number)] or meant
        meant = [unit for unit in meant if unit.id in (unit_id, row)] or meant
    elif unit_id is not None:
        meant = [unit for unit in known if unit.id == unit_id]
    elif number is not None:
        meant = [unit for unit in known if unit.newest and unit.number == number]
    newest = [unit for unit in meant if unit.newest]
    for units in (meant, newest):
        if len(units) == 1:
            return units[0].id
    raise bad("several_units" if meant else "no_unit", given=text or str(unit_id or number or ""))
