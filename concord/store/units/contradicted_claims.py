"""Refutations: units a judge called contradicted, and annotators' checks of them; never a score.

A check is a row of `adjudications` triggered by a judge, without a score: it affects no grade and
enters no reference. The newest check of a refutation counts; withdrawing it is a row without one.
"""

import json
from typing import NamedTuple

from concord.clock import now
from concord.messages import Conflict, Problem, joined
from concord.store.database import Store
from concord.store.grades import CURRENT
from concord.store.units.units import NEWEST

CONFIRMED, OVERTURNED = "confirmed", "overturned"
WORDS = (CONFIRMED, OVERTURNED)


class Refutation(NamedTuple):
    """A judge's verdict that a unit is contradicted; `word` is '' until someone says something.

    `position` is the unit's own, `grade_id` names the refutation for good.
    """

    grade_id: int
    item_id: int
    question_id: int
    cluster: str | None
    question: str
    answer_model: str | None
    unit_id: int
    unit: str
    position: int
    judge_id: int
    judge: str
    fingerprint: str
    simulated: bool
    reason: str
    quote: str
    word: str
    note: str
    who: str
    when: str


def of_sheet(store: Store, sheet_id: int, version: str, score: int) -> list[Refutation]:
    """Return judges' current verdicts with that score on units of the newest lists, oldest first.

    `score` means contradicted under `version`, of a rubric of units.
    """
    rows = store.rows(
        "select g.id, i.id, q.id, q.cluster, q.text, i.answer_model, u.id, u.text,"
        " u.position, r.id, r.name, r.fingerprint, r.simulated, g.reason, g.quote,"
        " coalesce(a.cause, ''), coalesce(a.note, ''), coalesce(w.name, ''),"
        " coalesce(a.created_at, '')"
        " from grades g join items i on i.id = g.item_id join questions q on q.id = i.question_id"
        " join units u on u.id = g.unit_id join graders o on o.id = g.grader_id"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        " left join adjudications a on a.id = (select max(id) from adjudications"
        "  where unit_id = g.unit_id and version = g.version and triggered_by = 'judge'"
        "  and grade_ids = json_array(g.id))"
        " left join graders t on t.id = a.grader_id"
        " left join graders w on w.id = coalesce(t.merged_into, t.id)"
        " where i.sheet_id = ? and g.version = ? and g.score = ? and g.repeat = 1"
        f" and r.kind <> 'person' and {CURRENT} and exists (select 1 from decomposition_units p"
        f" join decompositions d on d.id = p.decomposition_id where p.unit_id = u.id and {NEWEST})"
        " order by g.id",
        (sheet_id, version, score),
    )
    return [Refutation(*row) for row in rows]


def review(store: Store, grade_id: int, word: str, grader_id: int, note: str = "") -> bool:
    """Keep an annotator's word on a refutation; False where the newest says the same already.

    `word` is confirmed, overturned or '' to take it back. A Problem where it is another, where the
    verdict is no longer current, or where the one who says it is no annotator.
    """
    if word not in ("", *WORDS):
        raise Problem(
            "“{word}” is not a review of a “contradicted” verdict. Choose one of: {words}.",
            word=word,
            words=joined(", ", WORDS),
        )
    with store.write():
        verdict = store.row(
            "select g.item_id, g.unit_id, g.version from grades g join graders r"
            f" on r.id = g.grader_id where g.id = ? and g.unit_id is not null and {CURRENT}"
            " and g.status = 'scored' and r.kind <> 'person'",
            (grade_id,),
        )
        if verdict is None:
            raise Conflict(
                "The judge has given another verdict meanwhile, so this one is no longer as it was "
                "shown. Reload the list."
            )
        _check_person(store, grader_id)
        if _newest_review(store, verdict["unit_id"], grade_id) == (word, note.strip()):
            return False
        store.insert(
            "adjudications",
            item_id=verdict["item_id"],
            unit_id=verdict["unit_id"],
            version=verdict["version"],
            cause=word,
            triggered_by="judge",
            grade_ids=json.dumps([grade_id]),
            blind=0,
            grader_id=grader_id,
            note=note.strip(),
            created_at=now(),
        )
    return True


def _check_person(store: Store, grader_id: int) -> None:
    kind = store.value("select kind from graders where id = ? and not simulated", [grader_id])
    if kind != "person":
        raise Problem("Only an annotator can confirm or overturn a verdict. Give your own name.")


def _newest_review(store: Store, unit_id: int, grade_id: int) -> tuple[str, str]:
    row = store.row(
        "select cause, note from adjudications where unit_id = ? and triggered_by = 'judge'"
        " and grade_ids = json_array(?) order by id desc",
        (unit_id, grade_id),
    )
    return (row["cause"], row["note"]) if row else ("", "")
