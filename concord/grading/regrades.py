"""Regrades: a grading set that is put under newer words of its rubric, and asks what they outdate.

The set stays, and so do the grades, under their version: each annotator's own answers wait again in
the queue they had, for the reworded criteria alone. `regrade_requests` holds which grades were
outdated when, to compare them with the new ones.
"""

from collections.abc import Mapping
from typing import NamedTuple

from concord.clock import now
from concord.grading import grading_sets
from concord.grading.campaigns import TRAINING
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem
from concord.rubrics.model import Rubric, of_units, validated
from concord.store.database import LIVE_ITEM, Row, Store, marks
from concord.store.grades import CURRENT
from concord.store.permissions import CLOSED
from concord.store.rubrics import rubric_versions


class OutdatedGrade(NamedTuple):
    """A grade to give again: its id, its answer and grader, the version and its criterion."""

    grade_id: int
    item_id: int
    grader_id: int
    version: str
    criterion: str


def reworded(rubric: Rubric, criterion: str, question: str, meanings: Mapping[int, str]) -> Rubric:
    """Return a rubric with other words of a criterion, whose translations go with the old ones."""
    old = rubric.criterion(criterion)
    levels = tuple(one.model_copy(update={"meaning": meanings[one.score]}) for one in old.levels)
    new = old.model_copy(update={"question": question, "levels": levels})
    if rubric.version(new) == rubric.version(old):
        return rubric
    criteria = tuple(new if one is old else one for one in rubric.criteria)
    translations = tuple(
        one.model_copy(update={"criteria": tuple(t for t in one.criteria if t.name != criterion)})
        for one in rubric.translations
    )
    changed = rubric.model_copy(update={"criteria": criteria, "translations": translations})
    return validated(Rubric, changed.model_dump(warnings=False), rubric.name)


def ask_again(store: Store, grading_set: GradingSet, by: str, words: Rubric | None = None) -> int:
    """Put a set under new words of its rubric, or its newest; return the grades to give again.

    A Problem where these are the words that the set has, or where it is closed.
    """
    store.must_lead()
    with store.write():
        if grading_sets.closing(store, grading_set.id):
            raise Problem("“{set}” is closed. Open it again first.", set=grading_set.name)
        if words:
            rubric_id = rubric_versions.register(store, words, "app")
            # Words that were there before must become the newest again, those of a preset too.
            newest = "update rubrics set source = 'app', created_at = ? where id = ?"
            store.execute(newest, (now(), rubric_id))
        rubric_id, new = _newest(store, grading_set)
        if new.versions() == rubric_versions.get(store, grading_set.rubric_id).versions():
            raise Problem(
                "“{set}” is graded by the newest words of {rubric}. Reword a criterion first.",
                set=grading_set.name,
                rubric=new.name,
            )
        new.check_meanings()
        asked = outdated(store, grading_set)
        store.execute(
            "update grading_sets set rubric_id = ? where id = ?", (rubric_id, grading_set.id)
        )
        store.insert_many(
            "regrade_requests",
            ("set_id", "grade_id", "item_id", "grader_id", "version", "asked_by", "created_at"),
            [(grading_set.id, *one[:4], by, now()) for one in asked],
        )
    return len(asked)


def _newest(store: Store, grading_set: GradingSet) -> tuple[int, Rubric]:
    own = rubric_versions.get(store, grading_set.rubric_id).name
    return rubric_versions.named(store, own)


def outdated(store: Store, grading_set: GradingSet) -> list[OutdatedGrade]:
    """Return the first grades of a set's queues that its rubric's newest words leave behind."""
    own, new = rubric_versions.get(store, grading_set.rubric_id), _newest(store, grading_set)[1]
    if own.name in of_units():
        return []
    before, found = own.versions(), []
    for criterion, version in new.versions().items():
        counting = rubric_versions.counting(store, version)
        old = rubric_versions.counting(store, before[criterion]) if criterion in before else ()
        old = [one for one in old if one not in counting]
        rows = store.rows(
            f"""select g.id, g.item_id, g.grader_id from assignments a join grades g
            on g.item_id = a.item_id and g.grader_id = a.grader_id and g.repeat = a.repeat
            join graders r on r.id = g.grader_id
            where a.set_id = ? and a.repeat = 1 and a.block <> {TRAINING} and not r.simulated
            and g.unit_id is null and g.status <> 'withdrawn' and {CURRENT}
            and g.version in ({marks(old)}) and g.item_id not in {CLOSED}
            and not exists (select 1 from regrade_requests q where q.grade_id = g.id
              and q.version = ?) and not exists (select 1 from grades n where n.version = ?
              and n.item_id = g.item_id and n.grader_id = g.grader_id and n.status <> 'withdrawn')
            order by g.id""",
            (grading_set.id, *old, version, version),
        )
        found += [OutdatedGrade(*row, version, criterion) for row in rows]
    return found


def side_by_side(store: Store, version: str) -> list[Row]:
    """Return every regraded grade of a version, with the current new one where given.

    Rows of grader (name), simulated, item_id, cluster (text), old_status, old_score, new_status
    (None while not given), new_score; by name.
    """
    return store.rows(
        f"""select w.name as grader, w.simulated, r.item_id,
        coalesce(q.cluster, 'question ' || q.id) as cluster,
        o.status as old_status, o.score as old_score,
        n.status as new_status, n.score as new_score
        from regrade_requests r join grades o on o.id = r.grade_id
        join graders p on p.id = r.grader_id
        join graders w on w.id = coalesce(p.merged_into, p.id)
        join items i on i.id = r.item_id and i.id = o.item_id
        and i.id {LIVE_ITEM} join questions q on q.id = i.question_id
        left join grades n on n.id = (select g.id from grades g join graders m
          on m.id = g.grader_id where g.item_id = r.item_id and g.version = r.version
          and coalesce(m.merged_into, m.id) = w.id and g.repeat = 1 and g.unit_id is null
          and g.status <> 'withdrawn' and {CURRENT})
        where r.version = ? order by w.name, r.id""",
        (version,),
    )
