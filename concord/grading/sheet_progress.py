"""Progress of a sheet: grading by annotators, judging, and recent activity."""

import json
from typing import NamedTuple

import numpy as np

from concord.grading.annotators import WITHOUT, counting
from concord.sampling import splits
from concord.stats.core.estimate import Reason
from concord.store import graders
from concord.store.database import Row, Store
from concord.store.grade_table import counting_as
from concord.store.grades import CURRENT, GIVEN
from concord.store.rubrics import rubric_versions
from concord.store.runs import OVER_THE_SHEET
from concord.store.units.unit_verdicts import ENDS


class Graded(NamedTuple):
    """Annotators' grading: scored answers, answers scored by two or more, and the annotators.

    Answers that annotators could only not grade count in `unscored` alone.
    `overlap` counts the answers that two or more scored on one criterion of one rubric, as
    inter-annotator agreement does.
    `simulated` counts the simulated annotators, who count until others have graded. Graded
    answers whose question is in the few-shot pool or the held-out test enter no statistics: they
    count in `apart` alone, the number of such answers whether graded or not.
    Nor do grades known to be given after seeing other scores: answers with such grades alone count
    in `not_blind`. Who graded no other answer is not among `annotators`. Nor do grades of an
    annotator who is pending or excluded (`without`): `not_included` counts the answers that no
    other annotator graded.
    """

    answers: int
    overlap: int
    annotators: list[str]
    simulated: int
    apart: int
    not_blind: int
    not_included: int
    without: tuple[str, ...] = ()
    unscored: int = 0


class JudgingProgress(NamedTuple):
    """Judging: the judges, the cost of their replies in USD, and the state of runs.

    `judges` are the names, by grader id, of those that graded a whole answer: neither a judge that
    failed on every answer nor one whose grades were all withdrawn. `unpriced` counts replies of
    unknown price, which `cost` leaves out. `unfinished` are the judges whose newest run was stopped
    or failed, with its status and message.
    """

    judges: dict[int, str]
    simulated: int
    cost: float
    unpriced: int
    running: list[str]
    unfinished: list[tuple[str, str, str]]


_NONE = np.zeros(0, np.int64)
# Verdicts on units, and checks of lists of them, are not grades of a whole answer.
_OF_ANSWERS = "g.unit_id is null and g.id not in (select grade_id from list_checks)"
# Grades of a sheet by way of the graders: quick where few of them are wanted.
_BY_GRADER = f"""from graders r join graders o on r.id = coalesce(o.merged_into, o.id)
    cross join grades g on g.grader_id = o.id cross join items i on i.id = g.item_id
    where i.sheet_id = :sheet and {_OF_ANSWERS} and g.status <> 'withdrawn'"""


def graded(store: Store, sheet_id: int) -> Graded:
    """Return the annotators' progress on a sheet, under whatever rubric."""
    rows = store.rows(
        f"""select r.id, r.name, r.simulated, g.version, group_concat(g.item_id) as items,
        group_concat(g.item_id) filter (where g.blind is not 0) as blind,
        group_concat(g.item_id) filter (where g.blind is not 0 and g.status = 'scored') as scored
        {_BY_GRADER} and r.kind = 'person' and {CURRENT} group by r.id, g.version
        order by r.id""",
        {"sheet": sheet_id},
    )
    rows, left_out = _counting(store, sheet_id, rows)
    closed = _set_apart(store, sheet_id)
    # Parsed by numpy from one text per grader: 100,000 rows as Python objects take seconds.
    items, blind, scored = (_parsed(rows, kind) for kind in ("items", "blind", "scored"))
    open_to = [own[~np.isin(own, closed)] for own in scored]
    counted = np.unique(np.concatenate([*open_to, _NONE]))
    every = np.unique(np.concatenate([*items, _NONE]))
    unscored = np.setdiff1d(np.setdiff1d(np.concatenate([*blind, _NONE]), counted), closed)
    waiting = np.unique(np.concatenate([*_parsed(left_out, "items"), _NONE]))
    apart = np.intersect1d(np.union1d(every, waiting), closed)
    who = {row["id"]: row for row, own in zip(rows, open_to, strict=True) if len(own)}
    by_version: dict[str, dict[int, np.ndarray]] = {}
    for row, own in zip(rows, scored, strict=True):
        by_version.setdefault(row["version"], {})[row["id"]] = own
    return Graded(
        len(counted),
        len(np.setdiff1d(_by_two(store, by_version), closed)),
        [row["name"] for row in who.values()],
        sum(row["simulated"] for row in who.values()),
        len(closed),
        len(np.setdiff1d(every, np.concatenate([counted, apart, unscored]))),
        len(np.setdiff1d(waiting, np.union1d(every, closed))),
        tuple(dict.fromkeys(row["name"] for row in left_out)),
        len(unscored),
    )


def _parsed(rows: list[Row], kind: str) -> list[np.ndarray]:
    """Return the answers of each row once, in order."""
    return [np.unique(np.fromstring(row[kind] or "", np.int64, sep=",")) for row in rows]


def _by_two(store: Store, by_version: dict[str, dict[int, np.ndarray]]) -> np.ndarray:
    """Return the answers that two annotators or more scored on one criterion.

    `by_version` has the answers that each annotator scored under a version of a criterion.
    """
    found = [_NONE]
    for version in by_version:
        by_annotator: dict[int, list[np.ndarray]] = {}
        for counting_too in rubric_versions.counting(store, version):
            for annotator, own in by_version.get(counting_too, {}).items():
                by_annotator.setdefault(annotator, []).append(own)
        once_each = [np.unique(np.concatenate(lists)) for lists in by_annotator.values()]
        answers, times = np.unique(np.concatenate(once_each), return_counts=True)
        found.append(answers[times > 1])
    return np.unique(np.concatenate(found))


def _counting(store: Store, sheet_id: int, rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows of those who count in figures, and of those not included.

    Who counts is decided by those who graded blind. Means of annotators are left out if others
    graded too.
    """
    known = {one.id: one for one in graders.of_kind(store, "person")}
    states = graders.annotator_states(store, sheet_id)
    without = {
        name
        for name, why in counting((known[row["id"]] for row in rows), states)[1].items()
        if why.code in WITHOUT
    }
    here, uncounted = counting((known[row["id"]] for row in rows if row["blind"]), states)
    left_out = [row for row in rows if row["name"] in without]
    kept = [row for row in rows if row["name"] not in without | uncounted.keys()]
    means = [row for row in rows if known[row["id"]].is_mean and row["name"] not in without]
    return kept if here else kept + means, left_out


def annotators(store: Store, sheet_id: int) -> list[str]:
    """Return the names of the annotators who graded whole answers of a sheet."""
    return [row["name"] for row in _who(store, sheet_id, "person")]


def not_included(store: Store, sheet_id: int) -> dict[str, Reason]:
    """Return those among them who are pending or excluded, with the reason, by name."""
    graded_by = {*annotators(store, sheet_id)}
    persons = [one for one in graders.of_kind(store, "person") if one.name in graded_by]
    _, uncounted = counting(persons, graders.annotator_states(store, sheet_id))
    return {name: why for name, why in uncounted.items() if why.code in WITHOUT}


def _set_apart(store: Store, sheet_id: int) -> list[int]:
    """The answers to questions in the few-shot pool or held out, or tied to such."""
    shut = splits.leaked(store, sheet_id) | splits.held_out(store, sheet_id)
    return store.column(
        "select id from items where question_id in (select value from json_each(?)) order by id",
        (json.dumps([*shut]),),
    )


def judged(store: Store, sheet_id: int) -> JudgingProgress:
    """Return the judges' progress on a sheet, under whatever rubric."""
    who = _who(store, sheet_id, "judge")
    spent = store.row(
        """select coalesce(sum(cost), 0) as cost, count(*) - count(cost) as unpriced from replies
        where item_id in (select id from items where sheet_id = ?)""",
        (sheet_id,),
    )
    runs = store.rows(
        f"""select g.name, r.status, r.message from runs r join graders g on g.id = r.grader_id
        where r.sheet_id = :sheet and r.id = (select max(id) from runs l where
        l.sheet_id = :sheet and l.grader_id = r.grader_id and {OVER_THE_SHEET})
        order by r.id desc""",
        {"sheet": sheet_id},
    )
    return JudgingProgress(
        {row["id"]: row["name"] for row in who},
        sum(row["simulated"] for row in who),
        spent["cost"],
        spent["unpriced"],
        [run["name"] for run in runs if run["status"] == "running"],
        [tuple(run) for run in runs if run["status"] in ("stopped", "failed")],
    )


def newest_grade(store: Store) -> int | None:
    """Return the id of the newest grade of all, to detect new grades."""
    return store.value("select max(id) from grades")


def grades_since(store: Store, sheet_id: int, moment: str) -> list[Row]:
    """Return first grades since a moment: kind, simulated, name and answers, without repeats.

    Answers in the few-shot pool or held out do not count, as in `graded`, nor do those on which a
    judge failed: one that only failed has 0. A withdrawn grade does not count. Judges that share a
    name are named by their labels.
    """
    first = store.value("select min(id) from grades where created_at >= ?", (moment,))
    row = store.row(
        f"""select group_concat(item_id) as items, group_concat(grader_id) as graders,
        group_concat(status in {GIVEN}) as given from grades g
        where id >= :first and {_OF_ANSWERS} and repeat = 1 and status <> 'withdrawn'
        and id not in (select supersedes from grades where id >= :first
        and status = 'withdrawn' and supersedes is not null)
        and +item_id in (select id from items where sheet_id = :sheet)""",
        {"sheet": sheet_id, "first": first},
    )
    item, own, given = (np.fromstring(text or "", np.int64, sep=",") for text in row)
    is_open = ~np.isin(item, _set_apart(store, sheet_id))
    item, grader = item[is_open], counting_as(store)[own[is_open]]
    given = given[is_open] > 0
    counts = {
        int(one): len(np.unique(item[given & (grader == one)]))
        for one in np.flatnonzero(np.bincount(grader))
    }
    return store.rows(
        """select r.kind, r.simulated, r.name || iif(r.fingerprint <> '' and count(*) over
        (partition by r.kind, r.name) > 1, '@' || r.fingerprint, '') as name,
        counts.value as answers from graders r
        join json_each(:counts) counts on counts.key = r.id order by r.kind desc, r.name""",
        {"counts": json.dumps(counts)},
    )


def imports_since(store: Store, sheet_id: int, moment: str) -> list[Row]:
    """Files taken in since a moment: kind and source name."""
    return store.rows(
        """select kind, source_name from imports where sheet_id = ? and imported_at >= ?
        and undone_at is null order by id""",
        (sheet_id, moment),
    )


def adjudicated_since(store: Store, sheet_id: int, moment: str) -> int:
    """Answers that were adjudicated since a moment, for annotators or as a random sample."""
    return store.value(
        """select count(distinct item_id) from adjudications where created_at >= ?
        and triggered_by in ('people', 'draw')
        and item_id in (select id from items where sheet_id = ?)""",
        (moment, sheet_id),
    )


def runs_since(store: Store, sheet_id: int, moment: str) -> list[Row]:
    """Runs that ended since a moment: judge, status and message."""
    return store.rows(
        """select g.name, r.status, r.message from runs r join graders g on g.id = r.grader_id
        where r.sheet_id = ? and r.finished_at >= ? order by r.id""",
        (sheet_id, moment),
    )


def asked(store: Store, sheet_id: int) -> set[int]:
    """Return the judges and metrics with a verdict on an answer or a unit, or that failed on it."""
    kinds, given = "r.kind <> 'person'", "g.status <> 'withdrawn'"
    return {row["id"] for row in _with(store, sheet_id, kinds, given)}


def _who(store: Store, sheet_id: int, kind: str) -> list[Row]:
    """Return id, name and simulated of all graders of a kind who graded whole answers."""
    return _with(store, sheet_id, f"r.kind = '{kind}'", f"{_OF_ANSWERS} and g.status in {GIVEN}")


def _with(store: Store, sheet_id: int, graders_of: str, grades_of: str) -> list[Row]:
    """Return id, name and simulated of the graders with a current grade of some kind, in SQL."""
    return store.rows(
        f"""select r.id, r.name, r.simulated from graders o
        join graders r on r.id = coalesce(o.merged_into, o.id)
        where {graders_of} and exists (select 1 from criteria c cross join grades g
        on g.grader_id = o.id and g.version = c.version and g.item_id between {ENDS}
        cross join items i on i.id = g.item_id where i.sheet_id = :sheet
        and {grades_of} and {CURRENT}) group by r.id order by r.id""",
        {"sheet": sheet_id},
    )
