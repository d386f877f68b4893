"""Unit verdicts of all graders on one answer; never for a grading screen."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from concord.model import Verdict
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT, GIVEN

# Between which ids a sheet's answers lie, so that an index leads to those of a grader.
ENDS = (
    "(select min(id) from items where sheet_id = :sheet)"
    " and (select max(id) from items where sheet_id = :sheet)"
)


def of_item(store: Store, item_id: int, versions: Sequence[str]) -> list[Row]:
    """Return all current first grades of the units of an item, annotators before judges.

    Grades of those who were merged count as the grader's they were merged into.
    """
    return store.rows(
        "select g.unit_id, r.id as grader_id, r.kind, r.name, r.fingerprint, r.simulated,"
        " g.status, g.score, g.label, g.reason, g.quote, g.marked_passages, g.blind"
        " from grades g join graders o on o.id = g.grader_id"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        f" where g.item_id = ? and g.unit_id is not null and g.version in ({marks(versions)})"
        f" and g.repeat = 1 and {CURRENT} and g.status <> 'withdrawn'"
        " order by r.kind desc, r.name, g.id",
        (item_id, *versions),
    )


def of_units(store: Store, unit_ids: Sequence[int]) -> list[Row]:
    """Version and grader's kind of every current verdict on some units, or on their pairs."""
    return store.rows(
        "select r.kind, g.version from grades g join graders r on r.id = g.grader_id"
        " join units u on u.id = g.unit_id"
        f" where (u.id in ({marks(unit_ids)}) or u.parent_id in ({marks(unit_ids)}))"
        f" and {CURRENT} and g.status <> 'withdrawn'",
        (*unit_ids, *unit_ids),
    )


def annotators(store: Store, item_id: int) -> dict[int, tuple[str, bool]]:
    """Return who labelled units of an item: (name, simulated) by grader id."""
    rows = store.rows(
        "select distinct r.id, r.name, r.simulated from grades g"
        " join graders o on o.id = g.grader_id"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        " where g.item_id = ? and g.unit_id is not null and r.kind = 'person' order by r.name",
        (item_id,),
    )
    return {row["id"]: (row["name"], bool(row["simulated"])) for row in rows}


def verdicts(
    store: Store, grader_id: int, version: str, unit_ids: Sequence[int], repeat: int
) -> dict[int, Verdict]:
    """A grader's current verdicts on units under a criterion version, by unit id.

    Grades of those who were merged into the grader count as the grader's.
    """
    rows = store.rows(
        "select g.unit_id, g.score, g.reason, g.quote from grades g"
        " join graders r on r.id = g.grader_id"
        f" where g.unit_id in ({marks(unit_ids)}) and g.version = ? and g.repeat = ?"
        f" and ? in (r.id, r.merged_into) and g.status = 'scored' and {CURRENT} order by g.id",
        (*unit_ids, version, repeat, grader_id),
    )
    return {row[0]: Verdict(int(row[1]), row[2], row[3]) for row in rows}


class Labelled(NamedTuple):
    """Labelling progress of units, such as claims, under some criterion versions.

    `units` counts by version the units that annotators labelled, `answers` the answers they belong
    to; `judges` names by version and grader id the judges with verdicts.
    """

    units: dict[str, int]
    answers: int
    annotators: list[str]
    judges: dict[str, dict[int, str]]


def labelled(store: Store, sheet_id: int, versions: Sequence[str]) -> Labelled:
    """Return the labelling progress of a sheet's units under some versions."""
    said = {"sheet": sheet_id, "versions": json.dumps(versions)}
    given = store.rows(
        "select g.version, r.name, g.unit_id, g.item_id from graders r"
        " join graders o on r.id = coalesce(o.merged_into, o.id)"
        " cross join json_each(:versions) v cross join grades g"
        " on g.grader_id = o.id and g.version = v.value cross join items i on i.id = g.item_id"
        f" where r.kind = 'person' and g.item_id between {ENDS} and i.sheet_id = :sheet"
        " and g.unit_id is not null"
        f" and g.status <> 'withdrawn' and {CURRENT} order by r.id",
        said,
    )
    judged = store.rows(
        "select v.value as version, r.id, r.name from json_each(:versions) v cross join graders o"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        " where r.kind <> 'person' and exists (select 1 from grades g"
        " cross join items i on i.id = g.item_id where g.grader_id = o.id and g.version = v.value"
        f" and g.item_id between {ENDS} and i.sheet_id = :sheet and g.unit_id is not null"
        f" and g.status in {GIVEN} and {CURRENT})"
        " group by v.value, r.id order by r.id",
        said,
    )
    units = Counter(version for version, _ in {(row["version"], row["unit_id"]) for row in given})
    judges: dict[str, dict[int, str]] = {}
    for row in judged:
        judges.setdefault(row["version"], {})[row["id"]] = row["name"]
    return Labelled(
        dict(sorted(units.items())),
        len({row["item_id"] for row in given}),
        list(dict.fromkeys(row["name"] for row in given)),
        judges,
    )
