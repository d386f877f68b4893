"""Unit steps: what a grading screen goes through within one answer, unit by unit.

Blind as `data.grading` is: only the grader's own grades are read, and no evidence of a judge.
"""

from collections.abc import Sequence
from typing import NamedTuple

from data import list_checks, units
from data.slots import Slot
from data.store import Store
from data.units import Decomposition
from rubrics.model import Rubric
from words.said import said


class Step(NamedTuple):
    """One unit with its own position, or the list itself: no text, and position -1."""

    slot: str
    text: str
    position: int


class Steps(NamedTuple):
    """The steps of some answers by item id, and each answer's list."""

    of_item: dict[int, list[Step]]
    lists: dict[int, Decomposition]


def read(store: Store, rubric: Rubric, item_ids: Sequence[int]) -> Steps:
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


def why_not(store: Store, item_id: int, slot: Slot, rubric: Rubric) -> str:
    """Why a grade of a unit or a list can never be saved; '' where it can."""
    if slot.list_id is not None:
        is_there = list_checks.is_of(store, slot.list_id, item_id, rubric.units)
        known = slot.version == list_checks.version(rubric.units)
    else:
        is_there = units.is_of(store, slot.unit_id, item_id, rubric.units)
        known = slot.version in rubric.versions().values()
    if not is_there:
        return said("it is not of this answer's {units}", units=said(rubric.plural))
    return "" if known else said("its criterion is not in the rubric of this set")
