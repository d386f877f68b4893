"""How far a sheet has come: what annotators and judges did with it, and what happened lately."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.sampling import splits
from concord.store.database import Row, Store
from concord.store.grade_table import counting_as
from concord.store.grades import CURRENT
from concord.store.runs import OVER_THE_SHEET


class Graded(NamedTuple):
    """What annotators did: answers with a grade, answers two or more graded, and who they are.

    `simulated` counts those of the annotators who are simulated. Graded answers whose question is
    in the few-shot pool or held out enter no figure: they count in `set_apart` alone.
    """

    answers: int
    overlap: int
    annotators: list[str]
    simulated: int
    set_apart: int


class Judged(NamedTuple):
    """What judges did: who they are, what their replies cost in USD, and how runs stand.

    `unpriced` counts replies whose price is not known, which `cost` leaves out. `unfinished` are
    the judges whose newest run was stopped or failed, with its status and message.
    """

    judges: list[str]
    simulated: int
    cost: float
    unpriced: int
    running: list[str]
    unfinished: list[tuple[str, str, str]]


class Labelled(NamedTuple):
    """What was said of units, such as claims, under some criterion versions.

    `units` counts by version the units that annotators labelled, `answers` those they are of;
    `judges` names by version who gave verdicts beside annotators.
    """

    units: dict[str, int]
    answers: int
    annotators: list[str]
    judges: dict[str, list[str]]


# What is said of units and of lists of them is no grade of a whole answer.
_OF_ANSWERS = "g.unit_id is null and g.id not in (select grade_id from list_checks)"
# Between which ids a sheet's answers lie, so that an index leads to those of a grader.
_ENDS = (
    "(select min(id) from items where sheet_id = :sheet)"
    " and (select max(id) from items where sheet_id = :sheet)"
)
# Grades of a sheet by way of the graders: quick where few of them are wanted.
_BY_GRADER = (
    "from graders r join graders o on r.id = coalesce(o.merged_into, o.id)"
    " cross join grades g on g.grader_id = o.id cross join items i on i.id = g.item_id"
    f" where i.sheet_id = :sheet and {_OF_ANSWERS} and g.status <> 'withdrawn'"
)


def graded(store: Store, sheet_id: int) -> Graded:
    """How far annotators have come with a sheet, under whatever rubric."""
    rows = store.rows(
        f"select r.id, group_concat(g.item_id) as items {_BY_GRADER} and r.kind = 'person'"
        f" and {CURRENT} group by r.id",
        {"sheet": sheet_id},
    )
    items = [np.unique(np.fromstring(row["items"], np.int64, sep=",")) for row in rows]
    every, annotators = np.unique(
        np.concatenate([*items, np.zeros(0, np.int64)]), return_counts=True
    )
    apart = np.isin(every, _set_apart(store, sheet_id))
    annotators = annotators[~apart]
    who = _who(store, sheet_id, "person")
    names = [row["name"] for row in who]
    simulated = sum(row["simulated"] for row in who)
    return Graded(len(annotators), int((annotators > 1).sum()), names, simulated, int(apart.sum()))


def _set_apart(store: Store, sheet_id: int) -> list[int]:
    """The answers to questions that are in the few-shot pool or held out."""
    shut = sorted(splits.leaked(store, sheet_id) | splits.sealed(store, sheet_id))
    found = store.rows(
        "select id from items where question_id in (select value from json_each(?))",
        (json.dumps(shut),),
    )
    return [row["id"] for row in found]


def judged(store: Store, sheet_id: int) -> Judged:
    """How far judges have come with a sheet, under whatever rubric."""
    who = _who(store, sheet_id, "judge")
    spent = store.row(
        "select coalesce(sum(cost), 0) as cost, count(*) - count(cost) as unpriced from replies"
        " where item_id in (select id from items where sheet_id = ?)",
        (sheet_id,),
    )
    runs = store.rows(
        "select g.name, r.status, r.message from runs r join graders g on g.id = r.grader_id"
        " where r.sheet_id = :sheet and r.id = (select max(id) from runs l where"
        f" l.sheet_id = :sheet and l.grader_id = r.grader_id and {OVER_THE_SHEET})"
        " order by r.id desc",
        {"sheet": sheet_id},
    )
    return Judged(
        [row["name"] for row in who],
        sum(row["simulated"] for row in who),
        spent["cost"],
        spent["unpriced"],
        [run["name"] for run in runs if run["status"] == "running"],
        [tuple(run) for run in runs if run["status"] in ("stopped", "failed")],
    )


def labelled(store: Store, sheet_id: int, versions: Sequence[str]) -> Labelled:
    """How far annotators and judges have come with the units of a sheet, under some versions."""
    said = {"sheet": sheet_id, "versions": json.dumps(versions)}
    given = store.rows(
        "select g.version, r.name, g.unit_id, g.item_id from graders r"
        " join graders o on r.id = coalesce(o.merged_into, o.id)"
        " cross join json_each(:versions) v cross join grades g"
        " on g.grader_id = o.id and g.version = v.value cross join items i on i.id = g.item_id"
        f" where r.kind = 'person' and g.item_id between {_ENDS} and i.sheet_id = :sheet"
        " and g.unit_id is not null"
        f" and g.status <> 'withdrawn' and {CURRENT} order by r.id",
        said,
    )
    judged = store.rows(
        "select v.value as version, r.name from json_each(:versions) v cross join graders o"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        " where r.kind <> 'person' and exists (select 1 from grades g"
        " cross join items i on i.id = g.item_id where g.grader_id = o.id and g.version = v.value"
        f" and g.item_id between {_ENDS} and i.sheet_id = :sheet and g.unit_id is not null)"
        " group by v.value, r.name order by min(r.id)",
        said,
    )
    units = Counter(version for version, _ in {(row["version"], row["unit_id"]) for row in given})
    judges: dict[str, list[str]] = {}
    for row in judged:
        judges.setdefault(row["version"], []).append(row["name"])
    return Labelled(
        dict(sorted(units.items())),
        len({row["item_id"] for row in given}),
        list(dict.fromkeys(row["name"] for row in given)),
        judges,
    )


def last_worked_on(store: Store) -> str | None:
    """The name of the sheet that was graded, judged or imported last; None where there is none."""
    return store.value(
        "select s.name from (select i.sheet_id, g.created_at as moment, 2 as rank from grades g"
        " join items i on i.id = g.item_id where g.id = (select max(id) from grades)"
        " union all select sheet_id, started_at, 1 from runs where id = (select max(id) from runs)"
        " union all select id, imported_at, 0 from sheets where id = (select max(id) from sheets)"
        ") join sheets s on s.id = sheet_id order by moment desc, rank desc"
    )


def newest_grade(store: Store) -> int | None:
    """The id of the newest grade of all, which tells whether anything was graded since."""
    return store.value("select max(id) from grades")


def grades_since(store: Store, sheet_id: int, moment: str) -> list[Row]:
    """First grades given since a moment, by kind, name and number of answers; repeats are none."""
    row = store.row(
        "select group_concat(item_id) as items, group_concat(grader_id) as graders from grades g"
        f" where id >= :first and {_OF_ANSWERS} and repeat = 1 and status <> 'withdrawn'"
        " and +item_id in (select id from items where sheet_id = :sheet)",
        {"sheet": sheet_id, "first": _first_since(store, moment)},
    )
    item, own = (np.fromstring(text or "", np.int64, sep=",") for text in row)
    grader = counting_as(store)[own]
    counts = {
        int(one): len(np.unique(item[grader == one])) for one in np.flatnonzero(np.bincount(grader))
    }
    return store.rows(
        "select r.kind, r.name, counts.value as answers from graders r"
        " join json_each(:counts) counts on counts.key = r.id order by r.kind desc, r.name",
        {"counts": json.dumps(counts)},
    )


def imports_since(store: Store, sheet_id: int, moment: str) -> list[Row]:
    """Files taken in since a moment: kind and source name."""
    return store.rows(
        "select kind, source_name from imports where sheet_id = ? and imported_at >= ? order by id",
        (sheet_id, moment),
    )


def runs_since(store: Store, sheet_id: int, moment: str) -> list[Row]:
    """Runs that ended since a moment: judge, status and message."""
    return store.rows(
        "select g.name, r.status, r.message from runs r join graders g on g.id = r.grader_id"
        " where r.sheet_id = ? and r.finished_at >= ? order by r.id",
        (sheet_id, moment),
    )


def _first_since(store: Store, moment: str) -> int:
    """The id of the first grade since a moment; ids grow with time."""
    low, high = 0, (newest_grade(store) or 0) + 1
    while low < high:
        middle = (low + high) // 2
        given = store.value("select created_at from grades where id >= ? order by id", (middle,))
        if given is None or given >= moment:
            high = middle
        else:
            low = middle + 1
    return low


def _who(store: Store, sheet_id: int, kind: str) -> list[Row]:
    """Name and simulated of everyone of a kind who graded a sheet; a name once."""
    return store.rows(
        "select r.name, max(r.simulated) as simulated from graders o"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        " where r.kind = :kind and exists (select 1 from criteria c cross join grades g"
        f" on g.grader_id = o.id and g.version = c.version and g.item_id between {_ENDS}"
        " cross join items i on i.id = g.item_id where i.sheet_id = :sheet"
        f" and {_OF_ANSWERS} and g.status <> 'withdrawn')"
        " group by r.name order by min(r.id)",
        {"sheet": sheet_id, "kind": kind},
    )
