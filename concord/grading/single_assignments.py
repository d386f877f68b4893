"""Answers of a campaign assigned one by one, beyond the blocks that annotators follow.

A lead picks them, so they are no random part of the set: where grades are weighted they count like
those of a file, with complete blocks only (`sampled_grades`). Each is in the audit log, also where
it was made on the command line: no other table says who chose it.
"""

from typing import NamedTuple

from concord.clock import now
from concord.grading import campaigns, grading_sets, set_graders
from concord.grading.campaign_plan import SINGLE
from concord.grading.campaigns import HAS_GRADE
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem
from concord.store import graders, items
from concord.store.database import Row, Store
from concord.store.permissions import CLOSED


class SetAnswer(NamedTuple):
    """An answer of a set by its name, and the annotators it is assigned to, by name.

    `single` are those it was assigned to one by one, by id; `graded` those who have graded it.
    """

    id: int
    own_id: str
    block: int
    question: str
    answer: str
    assigned: tuple[str, ...]
    graded: tuple[str, ...]
    single: dict[int, str]


def of_set(store: Store, grading_set: GradingSet) -> list[SetAnswer]:
    """Return the answers to grade of a set in the order of its blocks."""
    names = {one.id: one.name for one in graders.of_kind(store, "person")}
    here = {row["id"] for row in set_graders.of_set(store, grading_set.id)}
    in_block: dict[int, set[int]] = {}
    for seat, person in campaigns.taken(store, grading_set.id).items():
        if person in here:
            in_block.setdefault(seat.block, set()).add(person)
    single: dict[int, set[int]] = {}
    for row in _singles(store, grading_set.id):
        single.setdefault(row["item_id"], set()).add(row["grader_id"])
    graded: dict[int, set[int]] = {}
    for row in store.rows(
        "select distinct g.item_id, g.grader_id from grades g join grading_set_items m"
        " on m.item_id = g.item_id and m.set_id = ? join graders r on r.id = g.grader_id"
        " where r.kind = 'person' and g.status <> 'withdrawn'",
        (grading_set.id,),
    ):
        graded.setdefault(row["item_id"], set()).add(row["grader_id"])

    def named(people: set[int]) -> tuple[str, ...]:
        return tuple(sorted((names[one] for one in people if one in names), key=str.casefold))

    called = items.answer_names(store, grading_set.sheet_id)
    return [
        SetAnswer(
            row["id"],
            called[row["id"]],
            *row[1:4],
            named(in_block.get(row["block"], set()) | single.get(row["id"], set())),
            named(graded.get(row["id"], set())),
            {one: names[one] for one in single.get(row["id"], set()) if one in names},
        )
        for row in store.rows(
            "select i.id, m.block, q.text, i.answer"
            " from grading_set_items m join items i on i.id = m.item_id"
            " join questions q on q.id = i.question_id where m.set_id = ?"
            f" and m.item_id not in {CLOSED} order by m.block, m.position",
            (grading_set.id,),
        )
    ]


def assign(store: Store, grading_set: GradingSet, item_id: int, grader_id: int, by: str) -> None:
    """Put one answer of a campaign at the end of an annotator's queue."""
    store.must_lead()
    campaigns.must_be_assigned(store, grading_set)
    with store.write():
        row = store.row(
            "select m.block, m.inclusion_probability from grading_set_items m"
            f" where m.set_id = ? and m.item_id = ? and m.item_id not in {CLOSED}",
            (grading_set.id, item_id),
        )
        if row is None:
            raise Problem("This answer is not in the set. Choose one of the list.")
        name = graders.get(store, grader_id).name
        held = "select 1 from assignments where set_id = ? and item_id = ? and grader_id = ?"
        place = grading_set.id, item_id, grader_id
        own = row["block"] in campaigns.blocks_of(store, grading_set, grader_id)
        if own or store.value(held, place):
            raise Problem("{name} has this answer already. Choose another annotator.", name=name)
        set_graders.join(store, grading_set, grader_id, by)
        store.execute(
            "insert into assignments (set_id, item_id, grader_id, block, position, repeat,"
            " inclusion_probability, created_at) values (?, ?, ?, ?, (select"
            " coalesce(max(position), -1) + 1 from assignments where set_id = ? and grader_id = ?),"
            " 1, ?, ?)",
            (*place, SINGLE, place[0], place[2], row["inclusion_probability"], now()),
        )
        _note(store, "insert", place, by)


def assign_to(store: Store, grading_set: GradingSet, item_id: int, name: str, by: str) -> None:
    """Do what `assign` does for an annotator by name, who may be new."""
    store.must_lead()
    with store.write():
        assign(store, grading_set, item_id, campaigns.named(store, name), by)


def take_back(store: Store, grading_set: GradingSet, item_id: int, grader_id: int, by: str) -> None:
    """Take an answer that was assigned one by one out of a queue; a Problem once it is graded."""
    store.must_lead()
    own = "set_id = ? and item_id = ? and grader_id = ? and block = ?"
    place = grading_set.id, item_id, grader_id, SINGLE
    with store.write():
        if store.has(f"select 1 from assignments where {own} and {HAS_GRADE}", place):
            raise Problem(
                "{name} has graded this answer, so it stays in the queue.",
                name=graders.get(store, grader_id).name,
            )
        if not store.has(f"select 1 from assignments where {own}", place):
            raise Problem(
                "{name} was not assigned this answer one by one.",
                name=graders.get(store, grader_id).name,
            )
        _note(store, "delete", place, by)
        store.execute(f"delete from assignments where {own}", place)


def item_named(store: Store, grading_set: GradingSet, name: str) -> int:
    """Return the answer of a set by name; a Problem where none or several have it."""
    found = items.answer_names(store, grading_set.sheet_id).find(name)
    if found not in grading_sets.items(store, grading_set.id):
        raise Problem(
            "“{item}” is not an answer of “{set}”. The card of the set lists its item ids.",
            item=name,
            set=grading_set.name,
        )
    return found


def _note(store: Store, what: str, place: tuple, by: str) -> None:
    """Add a line to the audit log; inside `write()`, while the assignment is there."""
    row_id = store.value(
        "select id from assignments where set_id = ? and item_id = ? and grader_id = ?"
        f" and block = {SINGLE}",
        place[:3],
    )
    of = {"who": by, "what": what, "table_name": "assignments"}
    store.insert("changes", **of, row_id=row_id, at=now())


def _singles(store: Store, set_id: int) -> list[Row]:
    return store.rows(
        "select item_id, grader_id from assignments where set_id = ? and block = ?",
        (set_id, SINGLE),
    )
