"""Set graders: the members a grading set is open to. Grades of those who left are kept.

Without authentication this does not apply: anyone with the address of a set can grade it.
"""

from concord.clock import now
from concord.grading.grading_sets import GradingSet
from concord.store.database import Row, Store

_NEWEST = (
    "not exists (select 1 from set_graders later where later.set_id = s.set_id"
    " and later.grader_id = s.grader_id and later.id > s.id)"
)


def join(store: Store, grading_set: GradingSet, grader_id: int, by: str, why: str = "") -> None:
    """Open a set to an annotator; nothing where it is open already."""
    _set(store, grading_set, grader_id, True, by, why)


def leave(store: Store, grading_set: GradingSet, grader_id: int, by: str, why: str = "") -> None:
    """Close a set to an annotator, whose grades stay; no effect where closed already."""
    _set(store, grading_set, grader_id, False, by, why)


def of_set(store: Store, set_id: int) -> list[Row]:
    """Return the annotators a set is open to: id, name and since when, by name."""
    return store.rows(
        "select r.id, r.name, s.created_at as since from set_graders s"
        " join graders r on r.id = s.grader_id"
        f" where s.set_id = ? and s.joins and {_NEWEST} order by r.name",
        (set_id,),
    )


def has_left(store: Store, set_id: int, grader_id: int) -> bool:
    """True for an annotator whom a set was open to and is no more."""
    return store.has(
        "select 1 from set_graders s where s.set_id = ? and s.grader_id = ? and not s.joins"
        f" and {_NEWEST}",
        (set_id, grader_id),
    )


def left_sheet(store: Store, sheet_id: int) -> set[int]:
    """Return the annotators who left a set of a sheet and are in none of it."""
    rows = store.column(
        "select s.grader_id from set_graders s join grading_sets g on g.id = s.set_id"
        f" where g.sheet_id = ? and {_NEWEST} group by s.grader_id having not max(s.joins)",
        (sheet_id,),
    )
    return {*rows}


def sets_of(store: Store, grader_id: int) -> list[int]:
    """The sets that are open to an annotator, in the order in which they were opened."""
    return store.column(
        f"select s.set_id from set_graders s where s.grader_id = ? and s.joins and {_NEWEST}"
        " order by s.id",
        (grader_id,),
    )


def _set(store, grading_set, grader_id, joins, by, why) -> None:
    with store.write():
        if (grading_set.id in sets_of(store, grader_id)) != joins:
            store.insert(
                "set_graders",
                set_id=grading_set.id,
                grader_id=grader_id,
                joins=int(joins),
                why=why,
                given_by=by,
                created_at=now(),
            )
