"""Rubric freezes: the rubric of a grading set as fixed after training, and what had changed.

A set keeps the rubric content it was created with while the team improves the rubric during the
training round. The freeze gives the set the newest content, once, before any of the set's own
answers is graded.
"""

import json
from typing import NamedTuple, Protocol

from concord.clock import now
from concord.messages import Problem, joined
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

Changed = dict[str, tuple[str | None, str | None]]


class Freeze(NamedTuple):
    """A set's rubric as frozen.

    `changed` has by criterion the version that the set was made with and the frozen one; None for a
    criterion that was not there.
    """

    rubric_id: int
    changed: Changed
    frozen_by: str
    created_at: str


class FreezableSet(Protocol):
    """The fields of a grading set that a freeze needs."""

    id: int
    name: str
    rubric_id: int


def find(store: Store, set_id: int) -> Freeze | None:
    """Return the freeze of a set's rubric; None without one."""
    row = store.row(
        "select rubric_id, changed, frozen_by, created_at from rubric_freezes where set_id = ?"
        " order by id desc",
        (set_id,),
    )
    if row is None:
        return None
    changed = {name: tuple(pair) for name, pair in json.loads(row["changed"]).items()}
    return Freeze(row["rubric_id"], changed, row["frozen_by"], row["created_at"])


def freeze(store: Store, grading_set: FreezableSet, by: str) -> Freeze:
    """Give a set the newest content of its rubric, for good.

    A Problem where it was frozen before, or where words changed after annotators began to grade the
    set's own answers.
    """
    with store.write():
        held = find(store, grading_set.id)
        if held:
            raise Problem(
                "The rubric of “{set}” was frozen on {day} by {name}. After a later edit, request "
                "the grades that are no longer comparable again.",
                set=grading_set.name,
                day=held.created_at[:10],
                name=held.frozen_by,
            )
        old = rubric_versions.get(store, grading_set.rubric_id)
        rubric_id, new = rubric_versions.named(store, old.name)
        new.check_meanings()
        changed = changes(old, new)
        if changed and _graded(store, grading_set, old):
            raise Problem(
                "Annotators have graded “{set}” under an earlier wording of {criteria}. Create a "
                "new grading set and freeze that one first.",
                set=grading_set.name,
                criteria=joined(" and ", changed),
            )
        store.execute(
            "update grading_sets set rubric_id = ? where id = ?", (rubric_id, grading_set.id)
        )
        store.insert(
            "rubric_freezes",
            set_id=grading_set.id,
            rubric_id=rubric_id,
            body=new.body(),
            changed=json.dumps(changed),
            frozen_by=by,
            created_at=now(),
        )
    return find(store, grading_set.id)


def changes(old: Rubric, new: Rubric) -> Changed:
    """Return the criteria whose version differs, with both versions; None for a missing one. Pure.

    Titles, weights and examples are not part of a version, so changing these alone is no change.
    """
    before, after = old.versions(), new.versions()
    return {
        name: (before.get(name), after.get(name))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    }


def words(store: Store, version: str | None) -> dict | None:
    """A criterion version: question, meaning of each score, what is shown; None for none."""
    if version is None:
        return None
    held = json.loads(store.value("select body from criteria where version = ?", (version,)))
    return {
        "question": held["question"],
        "meanings": dict(zip(map(str, held["scale"]), held["meanings"], strict=False)),
        "shown": tuple(held["shown"]),
    }


def _graded(store: Store, grading_set: FreezableSet, rubric: Rubric) -> bool:
    versions = json.dumps(list(rubric.versions().values()))
    return store.has(
        "select 1 from assignments a join grades g on g.item_id = a.item_id"
        " and g.grader_id = a.grader_id where a.set_id = ? and a.block <> -1"
        " and g.version in (select value from json_each(?)) and g.status <> 'withdrawn'",
        (grading_set.id, versions),
    )
