"""Units of answers in imports: which one a row of grades means, and the lists of an export.

A verdict on a claim means nothing without the list the claim is part of. An export holds both;
lists are imported whole, with every edit, approval and author, for answers whose content is the
same here and which have no list of the kind yet.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet

from concord.clock import now
from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.cells import Cell
from concord.importing.scores import bad
from concord.messages import said
from concord.model import Sheet, answer_key, item_key, question_key
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.units import units
from concord.store.units.units import NEWEST
from concord.text.normal_form import normalised

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
    text = whole.strip()
    if text:
        same = normalised(text)
        meant = [unit for unit in known if unit.text == whole]
        meant = meant or [unit for unit in known if normalised(unit.text) == same]
        if meant and unit_id not in (None, *(unit.id for unit in meant)):
            raise bad("another_unit", given=text)
        meant = meant or [unit for unit in known if str(unit.id) == text.lstrip("0")]
        meant = [unit for unit in meant if number in (None, unit.number)] or meant
        meant = [unit for unit in meant if unit.id in (unit_id, row)] or meant
        meant = [unit for unit in meant if unit.newest] if len(meant) > 1 else meant
    elif unit_id is not None:
        meant = [unit for unit in known if unit.id == unit_id]
    else:
        meant = [unit for unit in known if unit.newest and unit.number == number]
    if len(meant) == 1:
        return meant[0].id
    raise bad("several_units" if meant else "no_unit", given=text or str(unit_id or number or ""))
