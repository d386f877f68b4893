"""Gold: answers with a known score, mixed into the queues of a grading set.

Nothing that a grader can reach tells them from other answers: they lie among those of a block, and
a grader's connection sees only which are still to be mixed in, never a score (`permissions`).
"""

import random
from collections.abc import Sequence

from concord.clock import now
from concord.grading import gold_answers
from concord.grading.gold_answers import AgreedScore, Purpose
from concord.grading.grading_sets import GradingSet
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT
from concord.store.rubrics import rubric_versions

_SAME = " and later.version = t.version"
_IN = f"t.is_in and {gold_answers.NEWEST.format(table='gold_answers', same=_SAME)}"


def mix_in(store: Store, grading_set: GradingSet, known: Sequence[AgreedScore], by: str) -> None:
    """Mix gold items into a set's queues, or change the scores of some.

    A Problem for an answer that cannot be one (`gold_answers.check`). Assigned parts of a queue are
    unchanged; they appear in later blocks.
    """
    with store.write():
        rubric = gold_answers.check(store, grading_set, known, GOLD.other)
        for one in known:
            version = rubric.versions()[one.criterion]
            _put(store, grading_set, one.item_id, version, one.score, one.reason, True, by)


def take_out(store: Store, grading_set: GradingSet, item_id: int, by: str) -> None:
    """Mix an answer into no more queues and count it no more; its grades stay."""
    with store.write():
        for row in _rows(store, grading_set.id):
            if row["item_id"] == item_id:
                _put(store, grading_set, item_id, row["version"], row["score"], "", False, by)


def chosen(store: Store, grading_set: GradingSet) -> list[AgreedScore]:
    """Return the scores of a set's gold items under the current wording, oldest first."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    criteria = {version: name for name, version in rubric.versions().items()}
    return [
        AgreedScore(row["item_id"], criteria[row["version"]], int(row["score"]), row["why"])
        for row in _rows(store, grading_set.id)
        if row["version"] in criteria
    ]


GOLD = Purpose("practice_answers", mix_in, take_out, chosen)


def not_yet_queued(store: Store, set_id: int, grader_id: int) -> list[int]:
    """Return the gold items not yet in an annotator's queue."""
    return store.column(
        f"select distinct t.item_id from gold_answers t where t.set_id = ? and {_IN}"
        " and not exists (select 1 from assignments a where a.set_id = t.set_id"
        " and a.item_id = t.item_id and a.grader_id = ?) order by t.item_id",
        (set_id, grader_id),
    )


def due(left: Sequence[int], blocks_left: int, seed: int, grader: str) -> list[int]:
    """Return the gold items for the next block: an even part of those left, by seed. Pure.

    `blocks_left` are the annotator's blocks still to come, the next one included; `grader` makes
    the order differ between annotators.
    """
    if not left or blocks_left < 1:
        return []
    ordered = list(left)
    random.Random(f"gold {seed} {grader}").shuffle(ordered)
    return ordered[: -(-len(ordered) // blocks_left)]


def scores(store: Store, set_id: int, versions: Sequence[str]) -> dict[tuple[int, str], float]:
    """The known score by answer and criterion version, of the versions that annotators grade by."""
    return {
        (row["item_id"], row["version"]): row["score"]
        for row in _rows(store, set_id)
        if row["version"] in versions
    }


def of_answers(store: Store, item_ids: Sequence[int]) -> dict[tuple[int, str], float]:
    """The known score by answer and criterion version, of whatever set; the newest of several."""
    rows = store.rows(
        "select t.item_id, t.version, t.score from gold_answers t"
        f" where t.item_id in ({marks(item_ids)}) and {_IN} order by t.id",
        tuple(item_ids),
    )
    return {(row["item_id"], row["version"]): row["score"] for row in rows}


def answers(store: Store, set_id: int) -> set[int]:
    """Return the gold items of a set, whatever the wording their scores are given under."""
    return {row["item_id"] for row in _rows(store, set_id)}


def outdated(store: Store, set_id: int, versions: Sequence[str]) -> int:
    """Return the number of gold items without a gold score under one of these versions."""
    held: dict[int, set[str]] = {}
    for row in _rows(store, set_id):
        held.setdefault(row["item_id"], set()).add(row["version"])
    return sum(not set(versions) <= own for own in held.values())


def current_grades(store: Store, set_id: int, versions: Sequence[str]) -> list[Row]:
    """The current first grades of a set's gold items by annotators who have them in their queues.

    Rows of item_id, question_id, version, annotator, name, status and score, by name.
    """
    items = [*answers(store, set_id)]
    return store.rows(
        "select g.item_id, i.question_id, g.version, p.id as person, p.name, g.status, g.score"
        " from grades g join items i on i.id = g.item_id join graders r on r.id = g.grader_id"
        " join graders p on p.id = coalesce(r.merged_into, r.id) where p.kind = 'person'"
        f" and g.unit_id is null and g.repeat = 1 and g.item_id in ({marks(items)})"
        f" and g.version in ({marks(versions)}) and g.status <> 'withdrawn' and {CURRENT}"
        " and exists (select 1 from assignments a where a.set_id = ? and a.item_id = g.item_id"
        "  and a.grader_id = g.grader_id) order by p.name, g.item_id",
        (*items, *versions, set_id),
    )


def _rows(store: Store, set_id: int) -> list[Row]:
    return store.rows(
        "select t.item_id, t.version, t.score, t.why from gold_answers t"
        f" where t.set_id = ? and {_IN} order by t.id",
        (set_id,),
    )


def _put(store, grading_set, item_id, version, score, why, is_in, by) -> None:
    store.insert(
        "gold_answers",
        set_id=grading_set.id,
        item_id=item_id,
        version=version,
        score=score,
        why=why.strip(),
        is_in=int(is_in),
        given_by=by,
        created_at=now(),
    )
