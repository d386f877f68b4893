"""Import of unit lists from the folder of an export, together with the verdicts.

A verdict on a claim means nothing without the list the claim is part of. An export holds both;
lists are imported whole, with every edit, approval and author, for answers whose content is the
same here and which have no list of the kind yet.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet

from concord.clock import now
from concord.importing.readers import safe_reading
from concord.messages import said
from concord.model import Sheet, answer_key, item_key, question_key
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.units import units

VERDICTS = "unit_grades"
# Table of an export -> the columns that are read of it. One without a file held nothing.
_TABLES = {
    "items": "item_id question_id cluster question answer_model content_hash item_row",
    "decompositions": "id item_id kind decomposer_id supersedes why",
    "decomposition_units": "decomposition_id place unit_id",
    "units": "id item_id kind text position parent_id supersedes decomposer_id",
    "graders": "id kind name fingerprint simulated merged_into",
    "decomposition_approvals": "decomposition_id grader_id",
}


def folder_of(file: str | Path) -> Path | None:
    """Return the export folder that contains a file of verdicts; None outside one."""
    path = Path(file)
    whole = path.stem == VERDICTS and (path.parent / "decompositions.parquet").is_file()
    return path.parent if whole else None


def take(store: Store, sheet: Sheet, folder: Path | None) -> dict[str, Any]:
    """Store the lists of a folder for the answers of a sheet that lack them; all or none.

    Returns:
        How many `lists` came in, and of how many `items`.

    Raises:
        Problem: A table of the folder is damaged, or not part of an export.
    """
    if folder is None:
        return {"lists": 0, "items": 0}
    unread = said("The tables beside {file} cannot be read. Export once more.", file=VERDICTS)
    with safe_reading.reading(unread):
        rows = defaultdict(list)
        for name, columns in _TABLES.items():
            if (path := folder / f"{name}.parquet").exists():
                table = pyarrow.parquet.read_table(path, columns=columns.split())
                rows[name] = table.to_pylist()
    with store.write():
        return _taken(store, sheet, rows)


def _taken(store: Store, sheet: Sheet, rows: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    keys = store_items.item_keys(store, sheet.id)
    hashes = {row["id"]: row["content_hash"] for row in store_items.item_index(store, sheet.id)}
    same = {}  # item of the folder -> item here of the same name and content
    for row in rows["items"]:
        question = question_key(row["question_id"], row["question"], row["cluster"])
        by_answer = answer_key(question, row["answer_model"])
        item = keys.get(item_key(row["item_id"]) if row["item_id"] else by_answer)
        if item and hashes[item] == row["content_hash"]:
            same[row["item_row"]] = item
    there, units_there = ({row["id"]: row for row in rows[n]} for n in ("graders", "units"))

    @cache
    def maker(given: int | None) -> int | None:
        """The id here of a grader of the folder, or of the one it was merged into."""
        row = there.get(given)
        if row is None or row["merged_into"]:
            return row and maker(row["merged_into"])
        name = "@".join(filter(None, (row["name"], row["fingerprint"])))
        if known := graders.find(store, row["kind"], name):
            return known.id
        return graders.ensure(store, row["kind"], name, simulated=bool(row["simulated"]))

    lists = [row for row in rows["decompositions"] if row["item_id"] in same]
    kinds = {row["kind"] for row in lists}
    listed = {(item, k) for k in kinds for item in units.listed(store, [*same.values()], k)}
    held = defaultdict(list)
    for row in sorted(rows["decomposition_units"], key=lambda row: row["place"]):
        held[row["decomposition_id"]].append(row["unit_id"])
    list_ids, unit_ids, items = {}, {}, set()
    for row in sorted(lists, key=lambda row: row["id"]):
        item, before, given = same[row["item_id"]], row["supersedes"], held[row["id"]]
        fresh = [units_there[unit] for unit in given if unit not in unit_ids]
        # None whose units hang on units, or that follows a list, that did not come in.
        is_whole = {one["parent_id"] for one in fresh} <= {None, *unit_ids}
        if (item, row["kind"]) in listed or not is_whole or (before and before not in list_ids):
            continue
        list_ids[row["id"]] = store.insert(
            "decompositions",
            item_id=item,
            kind=row["kind"],
            decomposer_id=maker(row["decomposer_id"]),
            supersedes=list_ids.get(before),
            why=row["why"],
            created_at=now(),
        )
        for own in fresh:
            unit_ids[own["id"]] = store.insert(
                "units",
                item_id=same[own["item_id"]],
                parent_id=unit_ids.get(own["parent_id"]),
                supersedes=unit_ids.get(own["supersedes"]),
                decomposer_id=maker(own["decomposer_id"]),
                created_at=now(),
                **{name: own[name] for name in ("kind", "text", "position")},
            )
        units.fill(store, list_ids[row["id"]], [unit_ids[unit] for unit in given])
        items.add(item)
    for row in rows["decomposition_approvals"]:
        if row["decomposition_id"] in list_ids:
            units.approve(store, list_ids[row["decomposition_id"]], maker(row["grader_id"]))
    return {"lists": len(list_ids), "items": len(items)}
