"""Training round: answers with agreed scores, graded before a grading set's own answers.

The agreed score and reason are adjudications triggered by `practice`, which enter no consensus.
They are shown to an annotator once all criteria of the answer are on disk, with all comments.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import now
from concord.grading import comments, gold_answers
from concord.grading.gold_answers import AgreedScore, Purpose
from concord.grading.grading_sets import GradingSet
from concord.store.database import Row, Store, marks
from concord.store.rubrics import rubric_versions

TRIGGER = "practice"
_NEWEST = gold_answers.NEWEST.format(table="practice_answers", same="")
IN_TRAINING = f"t.is_in and {_NEWEST}"


class Agreed(NamedTuple):
    """The agreed score of one criterion version of an answer, and why."""

    score: float
    reason: str


class Comment(NamedTuple):
    """A comment on an answer of the training round, with its author and time."""

    said_by: str
    text: str
    at: str


class Revealed(NamedTuple):
    """Feedback on a graded training answer: agreed scores by version, and the comments."""

    agreed: dict[str, Agreed]
    comments: list[Comment]


def agree(store: Store, grading_set: GradingSet, known: Sequence[AgreedScore], by: str) -> None:
    """Add answers to the training round, or change their agreed scores; a Problem where invalid.

    `known` has one agreed score per answer and criterion of the set's rubric.
    """
    with store.write():
        rubric = gold_answers.check(store, grading_set, known, TRAINING_ITEMS.other)
        versions = rubric.versions()
        for one in known:
            store.insert(
                "adjudications",
                item_id=one.item_id,
                version=versions[one.criterion],
                score=one.score,
                triggered_by=TRIGGER,
                blind=1,
                note=one.reason.strip(),
                created_at=now(),
            )
        for item_id in dict.fromkeys(one.item_id for one in known):
            _put(store, grading_set, item_id, list(versions.values()), True, by)


def take_out(store: Store, grading_set: GradingSet, item_id: int, by: str) -> None:
    """Remove an answer from the training round; grades and comments stay."""
    with store.write():
        _put(store, grading_set, item_id, [], False, by)


def answers(store: Store, set_id: int, versions: Sequence[str]) -> list[int]:
    """The answers of the training round under some criterion versions, as they were chosen."""
    return store.column(
        "select t.item_id from practice_answers t where t.set_id = ? and t.versions = ?"
        f" and {IN_TRAINING} order by t.id",
        (set_id, json.dumps(list(versions))),
    )


def outdated(store: Store, set_id: int, versions: Sequence[str]) -> list[int]:
    """Return the training answers whose scores were agreed under an earlier wording."""
    return store.column(
        "select t.item_id from practice_answers t where t.set_id = ? and t.versions <> ?"
        f" and {IN_TRAINING} order by t.id",
        (set_id, json.dumps(list(versions))),
    )


def agreed(
    store: Store, item_ids: Sequence[int], versions: Sequence[str]
) -> dict[int, dict[str, Agreed]]:
    """The agreed scores of some answers, by answer and criterion version; the newest counts."""
    rows = store.rows(
        "select a.item_id, a.version, a.score, a.note from adjudications a"
        f" where a.triggered_by = '{TRIGGER}' and a.unit_id is null"
        f" and a.item_id in ({marks(item_ids)}) and a.version in ({marks(versions)}) order by a.id",
        (*item_ids, *versions),
    )
    found: dict[int, dict[str, Agreed]] = {}
    for row in rows:
        found.setdefault(row["item_id"], {})[row["version"]] = Agreed(row["score"], row["note"])
    return found


def chosen(store: Store, grading_set: GradingSet) -> list[AgreedScore]:
    """Return the agreed scores of a set's training items under the current wording."""
    versions = rubric_versions.get(store, grading_set.rubric_id).versions()
    item_ids = answers(store, grading_set.id, list(versions.values()))
    scores = agreed(store, item_ids, list(versions.values()))
    found = [
        (item_id, name, scores[item_id][version])
        for item_id in item_ids
        for name, version in versions.items()
        if version in scores.get(item_id, {})
    ]
    return [AgreedScore(item, name, int(one.score), one.reason) for item, name, one in found]


TRAINING_ITEMS = Purpose("gold_answers", agree, take_out, chosen)


def revealed(
    store: Store, set_id: int, done: Sequence[int], versions: Sequence[str]
) -> dict[int, Revealed]:
    """Return the feedback on training answers that an annotator has graded, by answer."""
    said = _comments(store, set_id, done)
    return {
        item_id: Revealed(scores, said.get(item_id, []))
        for item_id, scores in agreed(store, done, versions).items()
    }


def history(
    store: Store, set_id: int, item_ids: Sequence[int], versions: Sequence[str]
) -> list[Row]:
    """Return every key press of annotators in a set's training round, oldest first.

    Rows of item_id, version, annotator (the merged one where merged), status and score; a changed
    grade has one row per key press.
    """
    return store.rows(
        "select g.item_id, g.version, coalesce(r.merged_into, r.id) as person, g.status, g.score"
        " from grades g join graders r on r.id = g.grader_id where r.kind = 'person'"
        f" and g.unit_id is null and g.repeat = 1 and g.item_id in ({marks(item_ids)})"
        f" and g.version in ({marks(versions)}) and exists (select 1 from assignments a"
        "  where a.set_id = ? and a.item_id = g.item_id and a.grader_id = g.grader_id)"
        " order by g.id",
        (*item_ids, *versions, set_id),
    )


def _put(store, grading_set, item_id: int, versions: list[str], is_in: bool, by: str) -> None:
    store.insert(
        "practice_answers",
        set_id=grading_set.id,
        item_id=item_id,
        versions=json.dumps(versions),
        is_in=int(is_in),
        given_by=by,
        created_at=now(),
    )


def _comments(store: Store, set_id: int, item_ids: Sequence[int]) -> dict[int, list[Comment]]:
    found: dict[int, list[Comment]] = {}
    for row in store.rows(
        "select item_id, said_by, text, created_at from comments where set_id = ?"
        f" and kind = '{comments.TRAINING}' and item_id in ({marks(item_ids)}) order by id",
        (set_id, *item_ids),
    ):
        said = Comment(row["said_by"], row["text"], row["created_at"])
        found.setdefault(row["item_id"], []).append(said)
    return found
