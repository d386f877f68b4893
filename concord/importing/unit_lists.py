"""Import of unit lists from the folder of an export, together with the verdicts.

A verdict on a claim means nothing without the list the claim is part of. An export holds both;
lists are imported whole, with every edit, approval and author, for answers whose content is the
same here and which have no list of the kind yet.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet

from concord.clock import now
from concord.importing.readers import safe_reading
from concord.messages import counted, said
from concord.model import Item, Sheet
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.units import units

VERDICTS = "unit_grades"
BY_RULE = "a rule"
_NAMES = ("item_id", "question_id", "cluster")
# Table of an export -> the columns that are read of it.
_TABLES = {
    "items": (*_NAMES, "question", "answer_model", "content_hash", "item_row"),
    "decompositions": ("id", "item_id", "kind", "decomposer_id", "supersedes", "why"),
    "decomposition_units": ("decomposition_id", "place", "unit_id"),
    "units": (
        "id",
        "item_id",
        "kind",
        "text",
        "position",
        "parent_id",
        "supersedes",
        "decomposer_id",
    ),
    "graders": ("id", "kind", "name", "fingerprint", "simulated", "merged_into"),
    "decomposition_approvals": ("decomposition_id", "grader_id"),
}


class ListCounts(NamedTuple):
    """The lists that came in: how many, of how many answers, and how many each maker made."""

    lists: int
    items: int
    makers: Mapping[str, int]

    def sentence(self) -> str:
        """The same in words; '' where none came in."""
        by = ", ".join(f"{maker} ({n:,})" for maker, n in self.makers.items())
        text = (
            f"{counted(self.lists, 'list')} of units taken from the same folder, for "
            f"{counted(self.items, 'answer')} without: by {by}."
        )
        return text if self.lists else ""


NONE = ListCounts(0, 0, {})


def folder_of(file: str | Path) -> Path | None:
    """Return the export folder that contains a file of verdicts; None outside one."""
    path = Path(file)
    whole = path.stem == VERDICTS and (path.parent / "decompositions.parquet").is_file()
    return path.parent if whole else None


def take(store: Store, sheet: Sheet, folder: Path) -> ListCounts:
    """Store the lists of a folder for the answers of a sheet that lack them; all or none.

    Raises:
        Problem: A table of the folder is damaged, or not part of an export.
    """
    unread = said("The tables beside {file} cannot be read. Export once more.", file=VERDICTS)
    with safe_reading.reading(unread):
        rows = {name: _rows(folder / f"{name}.parquet", _TABLES[name]) for name in _TABLES}
    with store.write():
        return _taken(store, sheet, rows)


def _rows(path: Path, columns: Any) -> list[dict[str, Any]]:
    """Return the rows of a table of an export; none where it has no file, since it held nothing."""
    if not path.exists():
        return []
    return pyarrow.parquet.read_table(path, columns=[*columns]).to_pylist()


def _taken(store: Store, sheet: Sheet, rows: Mapping[str, list[dict[str, Any]]]) -> ListCounts:
    keys = store_items.item_keys(store, sheet.id)
    hashes = {row["id"]: row["content_hash"] for row in store_items.item_index(store, sheet.id)}
    same = {}  # item of the folder -> item here of the same name and content
    for row in rows["items"]:
        rest = (row["question"], (), "", row["answer_model"], (), (), None, False, {}, 0)
        item = keys.get(Item(*(row[name] for name in _NAMES), *rest).identity)
        if item and hashes[item] == row["content_hash"]:
            same[row["item_row"]] = item
    graders_there = {row["id"]: row for row in rows["graders"]}
    units_there = {row["id"]: row for row in rows["units"]}

    @cache
    def maker(given: int | None) -> tuple[int | None, str]:
        """The id here of a grader of the folder, or of the one it was merged into; its name."""
        row = graders_there.get(given)
        if row is None:
            return None, BY_RULE
        if row["merged_into"]:
            return maker(row["merged_into"])
        name, print_ = row["name"], row["fingerprint"]
        name = f"{name}@{print_}" if print_ else name
        known = graders.find(store, row["kind"], name)
        if known:
            return known.id, name
        return graders.ensure(store, row["kind"], name, simulated=bool(row["simulated"])), name

    lists = [row for row in rows["decompositions"] if row["item_id"] in same]
    listed = {
        (item, kind)
        for kind in {row["kind"] for row in lists}
        for item in units.listed(store, [*same.values()], kind)
    }
    held = defaultdict(list)
    for row in sorted(rows["decomposition_units"], key=lambda row: row["place"]):
        held[row["decomposition_id"]].append(row["unit_id"])
    list_ids, unit_ids, of_items, makers = {}, {}, set(), Counter()
    for row in sorted(lists, key=lambda row: row["id"]):
        item, before, given = same[row["item_id"]], row["supersedes"], held[row["id"]]
        fresh = [unit for unit in given if unit not in unit_ids]
        # None whose units hang on units, or that follows a list, that did not come in.
        needed = {units_there[unit]["parent_id"] for unit in fresh} - {None}
        is_whole = needed <= unit_ids.keys() and (not before or before in list_ids)
        if (item, row["kind"]) in listed or not is_whole:
            continue
        made_by, name = maker(row["decomposer_id"])
        list_ids[row["id"]] = store.insert(
            "decompositions",
            item_id=item,
            kind=row["kind"],
            decomposer_id=made_by,
            supersedes=list_ids.get(before),
            why=row["why"],
            created_at=now(),
        )
        for unit in fresh:
            own = units_there[unit]
            unit_ids[unit] = store.insert(
                "units",
                item_id=same[own["item_id"]],
                parent_id=unit_ids.get(own["parent_id"]),
                supersedes=unit_ids.get(own["supersedes"]),
                decomposer_id=maker(own["decomposer_id"])[0],
                created_at=now(),
                **{name: own[name] for name in ("kind", "text", "position")},
            )
        units.fill(store, list_ids[row["id"]], [unit_ids[unit] for unit in given])
        of_items.add(item)
        makers[name] += 1
    for row in rows["decomposition_approvals"]:
        if row["decomposition_id"] in list_ids:
            approver, _ = maker(row["grader_id"])
            units.approve(store, list_ids[row["decomposition_id"]], approver)
    return ListCounts(len(list_ids), len(of_items), dict(makers.most_common()))
