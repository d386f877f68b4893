"""Steps of the grading screen within an answer, and the slot of each.

A slot is a criterion version for a whole answer; a version and a unit for a part of it; a version
and a list of units for a check of the list itself.

Blind like `workspace`: only the grader's own grades are read, and no judge's evidence.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import said
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.units import list_checks, units
from concord.store.units.units import Decomposition

_LIST = "list"


class Slot(NamedTuple):
    """Key of a grade; at most one of `unit_id` and `list_id` is set."""

    version: str
    unit_id: int | None = None
    list_id: int | None = None

    def text(self) -> str:
        """The slot as the screen and the browser hold it; `slot` reads it back."""
        if self.list_id is not None:
            return f"{self.version}/{_LIST}/{self.list_id}"
        return self.version if self.unit_id is None else f"{self.version}/{self.unit_id}"


def slot(text: str) -> Slot:
    """Read a slot that the browser sent; one it never had names no version that counts."""
    version, *rest = text.split("/")
    if len(rest) == 1 and _is_id(rest[0]):
        return Slot(version, unit_id=int(rest[0]))
    if len(rest) == 2 and rest[0] == _LIST and _is_id(rest[1]):
        return Slot(version, list_id=int(rest[1]))
    return Slot(version if not rest else text)


def _is_id(text: str) -> bool:
    """True for a text that can be a row id."""
    return text.isdecimal() and len(text) < 19


class Step(NamedTuple):
    """One unit with its own position, or the list itself: no text, and position -1."""

    slot: str
    text: str
    position: int


class Steps(NamedTuple):
    """The steps of some answers by item id, and each answer's list."""

    of_item: dict[int, list[Step]]
    lists: dict[int, Decomposition]


def of_items(store: Store, rubric: Rubric, item_ids: Sequence[int]) -> Steps:
    """The units of the newest lists, in their order, and last the list where a model made it."""
    [version] = rubric.versions().values()
    lists = units.current(store, list(item_ids), rubric.units)
    checked = list_checks.made_by_model(store, [one.id for one in lists.values()])
    check = list_checks.version(rubric.units)
    found = {}
    for item_id, one in lists.items():
        found[item_id] = [
            Step(Slot(version, unit.id).text(), unit.text, unit.position) for unit in one.units
        ]
        if one.id in checked:
            found[item_id].append(Step(Slot(check, list_id=one.id).text(), "", -1))
    return Steps(found, lists)


def why_not_gradable(store: Store, item_id: int, slot: Slot, rubric: Rubric) -> str:
    """Return why a grade of a unit or a list can never be saved; '' where it can."""
    if slot.list_id is not None:
        is_there = list_checks.is_of(store, slot.list_id, item_id, rubric.units)
        known = slot.version == list_checks.version(rubric.units)
    else:
        is_there = units.is_of(store, slot.unit_id, item_id, rubric.units)
        known = slot.version in rubric.versions().values()
    if not is_there:
        return said("it is not of this answer's {units}", units=said(rubric.plural))
    return "" if known else said("its criterion is not in the rubric of this set")
