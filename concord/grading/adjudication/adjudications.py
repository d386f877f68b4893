"""Adjudications: final scores where annotators differed; they never overwrite a grade.

Nothing here reads judges' grades. A repeated adjudication is a new row, and the newest blind one
counts.
"""

import json
from collections.abc import Collection
from typing import NamedTuple

from concord.clock import now
from concord.messages import Conflict, Problem, joined, said
from concord.store import grades
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT

ANNOTATORS, DRAW = "people", "draw"  # as stored
OVERLOOKED, RUBRIC = "overlooked", "rubric_unclear"
QUESTION, DEFENSIBLE = "bad_question", "both_defensible"
CAUSES = {
    OVERLOOKED: said("an annotator overlooked something"),
    RUBRIC: said("rubric unclear"),
    QUESTION: said("bad question or context"),
    DEFENSIBLE: said("both defensible"),
}


class Adjudication(NamedTuple):
    """An adjudication of one criterion of one answer.

    A `score` of None withdraws the adjudication. `triggered_by` says that `ANNOTATORS` differed, or
    that it was a random `DRAW`; `grade_ids` are the annotators' grades that the adjudicator saw.
    """

    item_id: int
    version: str
    score: float | None
    triggered_by: str
    grade_ids: tuple[int, ...]
    grader_id: int
    cause: str = ""
    note: str = ""


def record(store: Store, given: Adjudication) -> bool:
    """Store an adjudication; False where this adjudicator's newest one is the same already.

    It is blind unless the adjudicator has opened the judges' grades of the answer. A Problem where
    the score is not on the scale, or a grade was changed or withdrawn since it was shown.
    """
    given = given._replace(note=given.note.strip(), grade_ids=tuple(sorted(set(given.grade_ids))))
    with store.write():
        _check(store, given)
        if _is_repeated(store, given):
            return False
        store.insert(
            "adjudications",
            **given._replace(grade_ids=json.dumps(given.grade_ids))._asdict(),
            blind=int(not grades.has_opened(store, given.item_id, given.grader_id)),
            created_at=now(),
        )
    return True


def of_item(store: Store, item_id: int, versions: dict[str, str]) -> list[Row]:
    """Return every adjudication of annotators' grades of an answer, newest first.

    Rows of criterion, score, cause, note, who, triggered_by, grade_ids (JSON), blind, created_at.
    """
    rows = store.rows(
        "select a.version, a.score, a.cause, a.note, w.name as who, a.triggered_by, a.grade_ids,"
        " a.blind, a.created_at from adjudications a left join graders t on t.id = a.grader_id"
        " left join graders w on w.id = coalesce(t.merged_into, t.id) where a.item_id = ?"
        " and a.unit_id is null and a.triggered_by in ('people', 'draw')"
        f" and a.version in ({marks(versions)}) order by a.id desc",
        (item_id, *versions),
    )
    return rows


def of_sheet(store: Store, sheet_id: int, versions: Collection[str]) -> list[Row]:
    """Return every adjudication of annotators' grades of a sheet's answers, oldest first.

    Rows of id, item_id, version, score, cause, note, who (the name), grader_id, triggered_by,
    grade_ids (JSON), blind, created_at.
    """
    return store.rows(
        "select a.id, a.item_id, a.version, a.score, a.cause, a.note, w.name as who,"
        " w.id as grader_id, a.triggered_by, a.grade_ids, a.blind, a.created_at"
        " from adjudications a join items i on i.id = a.item_id"
        " left join graders t on t.id = a.grader_id"
        " left join graders w on w.id = coalesce(t.merged_into, t.id) where i.sheet_id = ?"
        " and a.unit_id is null and a.triggered_by in ('people', 'draw')"
        f" and a.version in ({marks(versions)}) order by a.id",
        (sheet_id, *versions),
    )


def check_cause(cause: str, known: Collection[str]) -> None:
    """Raise a Problem that names the known causes for any other; '' means no cause."""
    if cause and cause not in known:
        raise Problem(
            "Unknown cause “{cause}”. Choose one of: {causes}.",
            cause=cause,
            causes=joined(", ", known),
        )


def _check(store: Store, given: Adjudication) -> None:
    if given.triggered_by not in (ANNOTATORS, DRAW):
        raise Problem(
            "Only answers on which annotators differ, or a random sample, are adjudicated here."
        )
    check_cause(given.cause, CAUSES)
    scale = store.value(
        "select json_extract(body, '$.scale') from criteria where version = ?", (given.version,)
    )
    if given.score is not None and given.score not in json.loads(scale or "[]"):
        raise Problem(
            "{score:g} is not a score of this scale. Choose one that is.", score=given.score
        )
    found = store.value(
        "select count(*) from grades g join graders r on r.id = g.grader_id"
        f" where g.id in ({marks(given.grade_ids)}) and g.item_id = ? and r.kind = 'person'"
        f" and {CURRENT}",
        (*given.grade_ids, given.item_id),
    )
    # Checked inside the write: an adjudication of grades that have changed since would decide a
    # difference that is no more.
    if found < len(given.grade_ids):
        raise Conflict(
            "One of these grades was changed or withdrawn in the meantime. Review the answer again."
        )


def _is_repeated(store: Store, given: Adjudication) -> bool:
    """True where the newest adjudication by this adjudicator on the same grades is the same."""
    row = store.row(
        "select score, cause, note, grader_id, grade_ids from adjudications where item_id = ?"
        " and version = ? and unit_id is null and triggered_by in ('people', 'draw')"
        " order by id desc",
        (given.item_id, given.version),
    )
    now_said = (given.score, given.cause, given.note, given.grader_id, json.dumps(given.grade_ids))
    return row is not None and tuple(row) == now_said
