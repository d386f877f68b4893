"""Regrades: outdated grades, requested again in grading sets of their own.

Such a set contains exactly what is requested: for each annotator their own answers, in a random
order of their own, and only the criterion that was reworded. The old grades stay under their
version.
"""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from concord.clock import now
from concord.grading import grading_sets
from concord.grading.grading_sets import GradingSet, SetParameters
from concord.messages import Problem
from concord.rubrics.edit import with_criterion_alone
from concord.rubrics.model import Rubric
from concord.sampling import sample
from concord.sampling.sample import Draw, SampledAnswer
from concord.store.database import LIVE_ITEM, Row, Store
from concord.store.grades import CURRENT
from concord.store.permissions import CLOSED
from concord.store.rubrics import rubric_versions

AGAIN = "again"


class OutdatedGrade(NamedTuple):
    """An outdated grade: its id, its answer, and its grader."""

    grade_id: int
    item_id: int
    grader_id: int


def ask(
    store: Store,
    sheet_id: int,
    rubric: Rubric,
    criterion: str,
    left: Sequence[OutdatedGrade],
    by: str,
) -> GradingSet:
    """Ask for grades again under a rubric's criterion; a Problem where all were asked for before.

    A grade is asked for once under a version, however often this is called.
    """
    version = rubric.versions()[criterion]
    with store.write():
        asked = requested(store, version)
        left = [one for one in left if one.grade_id not in asked]
        if not left:
            raise Problem(
                "These grades were already requested again and are in the annotators' queues."
            )
        alone = with_criterion_alone(
            rubric, rubric.criterion(criterion).model_copy(update={"weight": Fraction(1)})
        )
        rubric_id = rubric_versions.register(store, alone, AGAIN)
        items = sorted({one.item_id for one in left})
        asked_of = "select id, question_id from items where id in (select value from json_each(?))"
        question = dict(store.rows(asked_of, (json.dumps(items),)))
        whole = len({*question.values()})
        drawn = Draw(
            [SampledAnswer(item, 0, n, 1.0) for n, item in enumerate(items)], {"": (whole, whole)}
        )
        name = _name(store, sheet_id, rubric.criterion(criterion).heading())
        given = SetParameters(name, 1, "whole", max(1, len(items)), 0.0)
        made = grading_sets.keep(store, sheet_id, rubric_id, given, drawn)
        for grader_id in sorted({one.grader_id for one in left}):
            own = [one for one in left if one.grader_id == grader_id]
            grading_sets.join(store, made, grader_id, by)
            _lay(store, made, [(one.item_id, question[one.item_id]) for one in own], grader_id)
            store.insert_many(
                "regrade_requests",
                ("set_id", "grade_id", "item_id", "grader_id", "version", "asked_by", "created_at"),
                [(made.id, *one, version, by, now()) for one in own],
            )
    return made


def requested(store: Store, version: str) -> set[int]:
    """Return the ids of the grades requested again under a version."""
    return set(store.column("select grade_id from regrade_requests where version = ?", (version,)))


def is_one(store: Store, set_id: int) -> bool:
    """True for a grading set of regrades."""
    return store.has("select 1 from regrade_requests where set_id = ?", (set_id,))


def asked_in(store: Store, set_id: int) -> int:
    """Return the number of regrades a grading set requests; 0 for other sets."""
    return store.value(
        f"select count(*) from regrade_requests where set_id = ? and item_id not in {CLOSED}",
        (set_id,),
    )


def side_by_side(store: Store, version: str) -> list[Row]:
    """Return every regraded grade of a version, with the current new one where given.

    Rows of grader (name), simulated, item_id, cluster (text), old_status, old_score, new_status
    (None while not given), new_score; by name.
    """
    return store.rows(
        "select w.name as grader, w.simulated, r.item_id,"
        " coalesce(q.cluster, 'question ' || q.id) as cluster,"
        " o.status as old_status, o.score as old_score,"
        " n.status as new_status, n.score as new_score"
        " from regrade_requests r join grades o on o.id = r.grade_id"
        " join graders p on p.id = r.grader_id"
        " join graders w on w.id = coalesce(p.merged_into, p.id)"
        " join items i on i.id = r.item_id and i.id = o.item_id"
        f" and i.id {LIVE_ITEM} join questions q on q.id = i.question_id"
        " left join grades n on n.id = (select g.id from grades g join graders m"
        "  on m.id = g.grader_id where g.item_id = r.item_id and g.version = r.version"
        "  and coalesce(m.merged_into, m.id) = w.id and g.repeat = 1 and g.unit_id is null"
        f"  and g.status <> 'withdrawn' and {CURRENT})"
        " where r.version = ? order by w.name, r.id",
        (version,),
    )


def _name(store: Store, sheet_id: int, heading: str) -> str:
    taken = {one.name for one in grading_sets.of_sheet(store, sheet_id)}
    first = f"{heading} again"
    names = [first, *(f"{first} {n}" for n in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


def _lay(store: Store, made: GradingSet, own: list[tuple[int, int]], grader_id: int) -> None:
    """Assign one annotator's queue of (item, question), in an order of its own."""
    columns = ("set_id", "item_id", "grader_id", "block", "position", "repeat")
    store.insert_many(
        "assignments",
        (*columns, "inclusion_probability", "created_at"),
        [
            (made.id, item_id, grader_id, 0, place, 1, 1.0, now())
            for place, item_id in enumerate(sample.order(own, made.seed, str(grader_id), 0))
        ],
    )
