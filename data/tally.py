"""How far a sheet has come: what people and judges did with it, and what happened lately."""

from typing import NamedTuple

from data.grades import CURRENT
from data.store import Row, Store


class Graded(NamedTuple):
    """What people did: answers with a grade, answers two or more graded, and who they are.

    `simulated` counts those of the people who are simulated.
    """

    answers: int
    overlap: int
    people: list[str]
    simulated: int


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


_OF_SHEET = (
    "from grades g join items i on i.id = g.item_id join graders o on o.id = g.grader_id"
    " join graders r on r.id = coalesce(o.merged_into, o.id)"
    " where i.sheet_id = :sheet and g.unit_id is null and g.status <> 'withdrawn'"
)


def graded(store: Store, sheet_id: int) -> Graded:
    """How far people have come with a sheet, under whatever rubric."""
    counts = store.row(
        "select count(*) as answers, coalesce(sum(people > 1), 0) as overlap from"
        f" (select count(distinct r.id) as people {_OF_SHEET} and r.kind = 'person'"
        f" and {CURRENT} group by g.item_id)",
        {"sheet": sheet_id},
    )
    who = _who(store, sheet_id, "person")
    names = [row["name"] for row in who]
    return Graded(counts["answers"], counts["overlap"], names, sum(r["simulated"] for r in who))


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
        " l.sheet_id = :sheet and l.grader_id = r.grader_id) order by r.id desc",
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


def decided(store: Store, sheet_id: int) -> int:
    """How many decisions were fixed for a sheet."""
    return store.value("select count(*) from decisions where sheet_id = ?", (sheet_id,))


def newest_grade(store: Store) -> int | None:
    """The id of the newest grade of all, which tells whether anything was graded since."""
    return store.value("select max(id) from grades")


def grades_since(store: Store, sheet_id: int, moment: str) -> list[Row]:
    """Grades given since a moment, by kind, name and number of answers."""
    return store.rows(
        f"select r.kind, r.name, count(distinct g.item_id) as answers {_OF_SHEET}"
        " and g.created_at >= :moment group by r.id order by r.kind desc, r.name",
        {"sheet": sheet_id, "moment": moment},
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


def _who(store: Store, sheet_id: int, kind: str) -> list[Row]:
    """Name and simulated of everyone of a kind who graded a sheet; a name once."""
    return store.rows(
        f"select r.name, max(r.simulated) as simulated {_OF_SHEET} and r.kind = :kind"
        " group by r.name order by min(r.id)",
        {"sheet": sheet_id, "kind": kind},
    )
