"""Causes that annotators attribute to a disagreement of a judge with an annotator; never a score.

A tag is a row of `adjudications` triggered by a judge, without a score: it enters no consensus and
no statistic. The newest row counts; withdrawing a tag is a row without a cause.
"""

import json
from typing import NamedTuple

import pandas as pd

from concord.clock import now
from concord.grading.adjudications import CHANGED, DEFENSIBLE, QUESTION, RUBRIC, check_cause
from concord.messages import N_, Conflict, Problem
from concord.store.database import Store, marks
from concord.store.grades import CURRENT

JUDGE, PERSON = "judge_wrong", "person_wrong"
CAUSES = {
    JUDGE: N_("judge wrong"),
    PERSON: N_("annotator wrong"),
    RUBRIC: N_("rubric unclear"),
    QUESTION: N_("bad question or context"),
    DEFENSIBLE: N_("both defensible"),
}


class Tag(NamedTuple):
    """The cause of a disagreement between grades of one criterion of one answer.

    `cause` is '' where only a note is kept, or where a tag is withdrawn.
    """

    item_id: int
    version: str
    grade_ids: tuple[int, ...]
    cause: str
    grader_id: int
    note: str = ""


def tag(store: Store, given: Tag) -> bool:
    """Store a tag; False where the newest tag of the same grades is the same already.

    A Problem where the cause is unknown, the grades are no longer the current ones of that answer,
    or the user is no annotator.
    """
    check_cause(given.cause, CAUSES)
    given = given._replace(note=given.note.strip(), grade_ids=tuple(sorted(set(given.grade_ids))))
    with store.write():
        _check(store, given)
        row = store.row(
            """select cause, note from adjudications where item_id = ? and version = ?
            and triggered_by = 'judge' and grade_ids = ? order by id desc""",
            (given.item_id, given.version, json.dumps(given.grade_ids)),
        )
        if tuple(row or ("", "")) == (given.cause, given.note):
            return False
        store.insert(
            "adjudications",
            **given._replace(grade_ids=json.dumps(given.grade_ids))._asdict(),
            triggered_by="judge",
            blind=0,
            created_at=now(),
        )
    return True


def of_sheet(store: Store, sheet_id: int, versions: dict[str, str]) -> pd.DataFrame:
    """Return every tag with those of its grades that are still current, one row per grade.

    Returns:
        Columns tag (its id), item_id, criterion, cause, note, who, created_at, and of the grade:
        kind, grader_id, score; sorted by tag.
    """
    rows = store.rows(
        f"""select a.id, a.item_id, a.version, a.cause, a.note, w.name, a.created_at, r.kind,
        r.id, g.score from adjudications a join items i on i.id = a.item_id
        join json_each(a.grade_ids) e join grades g on g.id = e.value and g.item_id = a.item_id
        join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        left join graders t on t.id = a.grader_id
        left join graders w on w.id = coalesce(t.merged_into, t.id)
        where i.sheet_id = ? and a.triggered_by = 'judge' and a.score is null
        and a.unit_id is null and a.version in ({marks(versions)}) and {CURRENT} order by a.id""",
        (sheet_id, *versions),
    )
    columns = ["tag", "item_id", "criterion", "cause", "note", "who", "created_at"]
    frame = pd.DataFrame(map(tuple, rows), columns=[*columns, "kind", "grader_id", "score"])
    frame["criterion"] = frame["criterion"].map(versions)
    return frame


def newest(store: Store) -> int:
    """Return the id of the newest tag or adjudication; 0 without any."""
    return store.value("select max(id) from adjudications") or 0


def _check(store: Store, given: Tag) -> None:
    found = store.rows(
        f"""select g.id from grades g where g.id in ({marks(given.grade_ids)}) and g.item_id = ?
        and {CURRENT} and g.status = 'scored'""",
        (*given.grade_ids, given.item_id),
    )
    if len(found) < max(2, len(given.grade_ids)):
        raise Conflict(CHANGED)
    kind = store.value("select kind from graders where id = ? and not simulated", [given.grader_id])
    if kind != "person":
        raise Problem("Only an annotator can tag the cause of a disagreement. Enter your own name.")
