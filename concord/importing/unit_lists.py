"""Import of unit lists from the folder of an export, together with the verdicts.

A verdict on a claim means nothing without the list the claim is part of. An export holds both;
lists are imported whole, with every edit, approval and author, for answers whose content is the
same here and which have no list of the kind yet.
"""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow
import pyarrow.parquet

from concord.clock import now
from concord.messages import Problem, counted
from concord.model import Item, Sheet
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.units import units

VERDICTS = "unit_grades"
BY_RULE = "a rule"
_ITEMS, _LISTS, _PLACES = "items.parquet", "decompositions.parquet", "decomposition_units.parquet"
_UNITS, _GRADERS = "units.parquet", "graders.parquet"
_APPROVALS = "decomposition_approvals.parquet"
_NAMES = ("item_id", "question_id", "cluster")
# File -> the columns that are read of it.
_FILES = {
    _ITEMS: (*_NAMES, "question", "answer_model", "content_hash", "item_row"),
    _LISTS: ("id", "item_id", "kind", "decomposer_id", "supersedes", "why"),
    _PLACES: ("decomposition_id", "place", "unit_id"),
    _UNITS: (
        "id",
        "item_id",
        "kind",
        "text",
        "position",
        "parent_id",
        "supersedes",
        "decomposer_id",
    ),
    _GRADERS: ("id", "kind", "name", "fingerprint", "simulated", "merged_into"),
    _APPROVALS: ("decomposition_id", "grader_id"),
}

Cells = Mapping[str, Any]


class ListCounts(NamedTuple):
    """The lists that came in: how many, of how many answers, and how many each maker made."""

    lists: int
    items: int
    makers: Mapping[str, int]

    def sentence(self) -> str:
        """The same in words; '' where none came in."""
        if not self.lists:
            return ""
        by = ", ".join(f"{maker} ({n:,})" for maker, n in self.makers.items())
        verb = "comes" if self.lists == 1 else "come"
        return (
            f"{counted(self.lists, 'list')} of units {verb} in from the same folder, for "
            f"{counted(self.items, 'answer')} without: by {by}."
        )


NONE = ListCounts(0, 0, {})


def folder_of(file: str | Path) -> Path | None:
    """Return the export folder that contains a file of verdicts; None outside one."""
    path = Path(file)
    whole = path.stem == VERDICTS and (path.parent / _LISTS).is_file()
    return path.parent if whole else None


def take(store: Store, sheet: Sheet, folder: Path) -> ListCounts:
    """Store the lists of a folder for the answers of a sheet that lack them; all or none."""
    with store.write():
        return _Intake(store, sheet, folder).taken()


class _Intake:
    """State of the import: the id here of each list, unit and grader of the folder."""

    def __init__(self, store: Store, sheet: Sheet, folder: Path):
        self._store, self._folder = store, folder
        self._here = _same_items(store, sheet, _rows(folder / _ITEMS))
        self._graders = {row["id"]: row for row in _rows(folder / _GRADERS)}
        self._units = {row["id"]: row for row in _rows(folder / _UNITS)}
        self._list_ids: dict[int, int] = {}
        self._unit_ids: dict[int, int] = {}
        self._makers: Counter[str] = Counter()
        self._grader = lru_cache(self._named)

    def taken(self) -> ListCounts:
        lists = [row for row in _rows(self._folder / _LISTS) if row["item_id"] in self._here]
        there = self._there({row["kind"] for row in lists})
        held: dict[int, list[int]] = {}
        for row in sorted(_rows(self._folder / _PLACES), key=lambda row: row["place"]):
            held.setdefault(row["decomposition_id"], []).append(row["unit_id"])
        items = set()
        for row in sorted(lists, key=lambda row: row["id"]):
            place = self._here[row["item_id"]], row["kind"]
            if place not in there and self._take_list(row, held.get(row["id"], [])):
                items.add(place[0])
        self._approve()
        return ListCounts(len(self._list_ids), len(items), dict(self._makers.most_common()))

    def _there(self, kinds: set[str]) -> set[tuple[int, str]]:
        """The answers that have a list of a kind already."""
        ids = list(self._here.values())
        return {(i, kind) for kind in kinds for i in units.listed(self._store, ids, kind)}

    def _take_list(self, row: Cells, held: list[int]) -> bool:
        """One list; not one whose units hang on units, or follow a list, that did not come in."""
        needed = [self._units[one]["parent_id"] for one in held if one not in self._unit_ids]
        if not {one for one in needed if one} <= self._unit_ids.keys():
            return False
        if row["supersedes"] and row["supersedes"] not in self._list_ids:
            return False
        list_id = self._store.insert(
            "decompositions",
            item_id=self._here[row["item_id"]],
            kind=row["kind"],
            decomposer_id=self._grader(row["decomposer_id"]),
            supersedes=self._list_ids.get(row["supersedes"]),
            why=row["why"],
            created_at=now(),
        )
        self._list_ids[row["id"]] = list_id
        self._makers[self._called(row["decomposer_id"])] += 1
        units.fill(self._store, list_id, [self._unit(one) for one in held])
        return True

    def _unit(self, given: int) -> int:
        """The id here of a unit, made now where it is new."""
        if given not in self._unit_ids:
            row = self._units[given]
            self._unit_ids[given] = self._store.insert(
                "units",
                item_id=self._here[row["item_id"]],
                kind=row["kind"],
                text=row["text"],
                position=row["position"],
                parent_id=self._unit_ids.get(row["parent_id"]),
                supersedes=self._unit_ids.get(row["supersedes"]),
                decomposer_id=self._grader(row["decomposer_id"]),
                created_at=now(),
            )
        return self._unit_ids[given]

    def _approve(self) -> None:
        for row in _rows(self._folder / _APPROVALS):
            list_id, who = self._list_ids.get(row["decomposition_id"]), row["grader_id"]
            if list_id:
                units.approve(self._store, list_id, self._grader(who))

    def _named(self, given: int | None) -> int | None:
        """The id here of a grader of the folder, called as in its verdicts."""
        row = self._grader_row(given)
        if row is None:
            return None
        name = self._called(given)
        known = graders.find(self._store, row["kind"], name)
        if known:
            return known.id
        return graders.ensure(self._store, row["kind"], name, simulated=bool(row["simulated"]))

    def _called(self, given: int | None) -> str:
        row = self._grader_row(given)
        if row is None:
            return BY_RULE
        return f"{row['name']}@{row['fingerprint']}" if row["fingerprint"] else row["name"]

    def _grader_row(self, given: int | None) -> Cells | None:
        """Return the row of a grader, or of the one it was merged into."""
        row = self._graders.get(given)
        return self._grader_row(row["merged_into"]) if row and row["merged_into"] else row


def _same_items(store: Store, sheet: Sheet, rows: list[Cells]) -> dict[int, int]:
    """Return the answers of the same name and content here, by id in the folder."""
    keys = store_items.item_keys(store, sheet.id)
    hashes = {row["id"]: row["content_hash"] for row in store_items.item_index(store, sheet.id)}
    found = {row["item_row"]: keys.get(_identity(row)) for row in rows}
    same = {row["item_row"]: row["content_hash"] for row in rows}
    return {row: here for row, here in found.items() if here and hashes[here] == same[row]}


def _identity(row: Cells) -> str:
    named = (row[name] for name in _NAMES)
    rest = (row["question"], (), "", row["answer_model"], (), (), None, False, {}, 0)
    return Item(*named, *rest).identity


def _rows(path: Path) -> list[Cells]:
    """Return the rows of a table of an export; none where it has no file, since it held nothing.

    Raises:
        Problem: The file is damaged, or not part of an export.
    """
    if not path.exists():
        return []
    try:
        return pyarrow.parquet.read_table(path, columns=list(_FILES[path.name])).to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise Problem(
            "{file} cannot be read: {reason} Export once more.",
            file=path.name,
            reason=str(error).splitlines()[0],
        ) from None
