"""Verdicts of all graders on the units of an answer, and annotators' checks of refuted ones.

Never for a grading screen. A check of a refutation (a unit that a judge called contradicted) is a
row of `adjudications` triggered by a judge, without a score: it affects no grade and enters no
reference. The newest check counts; withdrawing it is a row without one.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import now
from concord.messages import Conflict, Problem, joined
from concord.model import Verdict
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT, GIVEN
from concord.store.units.units import NEWEST

# Between which ids a sheet's answers lie, so that an index leads to those of a grader.
ENDS = """(select min(id) from items where sheet_id = :sheet)
    and (select max(id) from items where sheet_id = :sheet)"""


def of_item(store: Store, item_id: int, versions: Sequence[str]) -> list[Row]:
    """Return all current first grades of the units of an item, annotators before judges.

    Grades of those who were merged count as the grader's they were merged into.
    """
    return store.rows(
        f"""select g.unit_id, r.id as grader_id, r.kind, r.name, r.fingerprint, r.simulated,
        g.status, g.score, g.label, g.reason, g.quote, g.marked_passages, g.blind
        from grades g join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        where g.item_id = ? and g.unit_id is not null and g.version in ({marks(versions)})
        and g.repeat = 1 and {CURRENT} and g.status <> 'withdrawn'
        order by r.kind desc, r.name, g.id""",
        (item_id, *versions),
    )


def of_units(store: Store, unit_ids: Sequence[int]) -> list[Row]:
    """Version and grader's kind of every current verdict on some units, or on their pairs."""
    return store.rows(
        f"""select r.kind, g.version from grades g join graders r on r.id = g.grader_id
        join units u on u.id = g.unit_id
        where (u.id in ({marks(unit_ids)}) or u.parent_id in ({marks(unit_ids)}))
        and {CURRENT} and g.status <> 'withdrawn'""",
        (*unit_ids, *unit_ids),
    )


def annotators(store: Store, item_id: int) -> dict[int, tuple[str, bool]]:
    """Return who labelled units of an item: (name, simulated) by grader id."""
    rows = store.rows(
        """select distinct r.id, r.name, r.simulated from grades g
        join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        where g.item_id = ? and g.unit_id is not null and r.kind = 'person' order by r.name""",
        (item_id,),
    )
    return {row["id"]: (row["name"], bool(row["simulated"])) for row in rows}


def verdicts(
    store: Store, grader_id: int, version: str, unit_ids: Sequence[int], repeat: int
) -> dict[int, Verdict]:
    """A grader's current verdicts on units under a criterion version, by unit id.

    Grades of those who were merged into the grader count as the grader's.
    """
    rows = store.rows(
        f"""select g.unit_id, g.score, g.reason, g.quote from grades g
        join graders r on r.id = g.grader_id
        where g.unit_id in ({marks(unit_ids)}) and g.version = ? and g.repeat = ?
        and ? in (r.id, r.merged_into) and g.status = 'scored' and {CURRENT} order by g.id""",
        (*unit_ids, version, repeat, grader_id),
    )
    return {row[0]: Verdict(int(row[1]), row[2], row[3]) for row in rows}


class Labelled(NamedTuple):
    """Labelling progress of units, such as claims, under some criterion versions.

    `units` counts by version the units that annotators labelled, `answers` the answers they belong
    to; `judges` names by version and grader id the judges with verdicts.
    """

    units: dict[str, int]
    answers: int
    annotators: list[str]
    judges: dict[str, dict[int, str]]


def labelled(store: Store, sheet_id: int, versions: Sequence[str]) -> Labelled:
    """Return the labelling progress of a sheet's units under some versions."""
    said = {"sheet": sheet_id, "versions": json.dumps(versions)}
    given = store.rows(
        f"""select g.version, r.name, g.unit_id, g.item_id from graders r
        join graders o on r.id = coalesce(o.merged_into, o.id)
        cross join json_each(:versions) v cross join grades g
        on g.grader_id = o.id and g.version = v.value cross join items i on i.id = g.item_id
        where r.kind = 'person' and g.item_id between {ENDS} and i.sheet_id = :sheet
        and g.unit_id is not null
        and g.status <> 'withdrawn' and {CURRENT} order by r.id""",
        said,
    )
    judged = store.rows(
        f"""select v.value as version, r.id, r.name from json_each(:versions) v cross join graders o
        join graders r on r.id = coalesce(o.merged_into, o.id)
        where r.kind <> 'person' and exists (select 1 from grades g
        cross join items i on i.id = g.item_id where g.grader_id = o.id and g.version = v.value
        and g.item_id between {ENDS} and i.sheet_id = :sheet and g.unit_id is not null
        and g.status in {GIVEN} and {CURRENT})
        group by v.value, r.id order by r.id""",
        said,
    )
    units = Counter(version for version, _ in {(row["version"], row["unit_id"]) for row in given})
    judges: dict[str, dict[int, str]] = {}
    for row in judged:
        judges.setdefault(row["version"], {})[row["id"]] = row["name"]
    return Labelled(
        dict(sorted(units.items())),
        len({row["item_id"] for row in given}),
        list(dict.fromkeys(row["name"] for row in given)),
        judges,
    )


CONFIRMED, OVERTURNED = "confirmed", "overturned"
REVIEWS = (CONFIRMED, OVERTURNED)


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


def refutations(store: Store, sheet_id: int, version: str, score: int) -> list[Refutation]:
    """Return judges' current verdicts with that score on units of the newest lists, oldest first.

    `score` means contradicted under `version`, of a rubric of units.
    """
    rows = store.rows(
        f"""select g.id, i.id, q.id, q.cluster, q.text, i.answer_model, u.id, u.text,
        u.position, r.id, r.name, r.fingerprint, r.simulated, g.reason, g.quote,
        coalesce(a.cause, ''), coalesce(a.note, ''), coalesce(w.name, ''),
        coalesce(a.created_at, '')
        from grades g join items i on i.id = g.item_id join questions q on q.id = i.question_id
        join units u on u.id = g.unit_id join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        left join adjudications a on a.id = (select max(id) from adjudications
          where unit_id = g.unit_id and version = g.version and triggered_by = 'judge'
          and grade_ids = json_array(g.id))
        left join graders t on t.id = a.grader_id
        left join graders w on w.id = coalesce(t.merged_into, t.id)
        where i.sheet_id = ? and g.version = ? and g.score = ? and g.repeat = 1
        and r.kind <> 'person' and {CURRENT} and exists (select 1 from decomposition_units p
        join decompositions d on d.id = p.decomposition_id where p.unit_id = u.id and {NEWEST})
        order by g.id""",
        (sheet_id, version, score),
    )
    return [Refutation(*row) for row in rows]


def review_refutation(
    store: Store, grade_id: int, word: str, grader_id: int, note: str = ""
) -> bool:
    """Keep an annotator's word on a refutation; False where the newest says the same already.

    `word` is confirmed, overturned or '' to take it back. A Problem where it is another, where the
    verdict is no longer current, or where the one who says it is no annotator.
    """
    if word not in ("", *REVIEWS):
        raise Problem(
            "“{word}” is not a review of a “contradicted” verdict. Choose one of: {words}.",
            word=word,
            words=joined(", ", REVIEWS),
        )
    with store.write():
        verdict = store.row(
            f"""select g.item_id, g.unit_id, g.version from grades g join graders r
            on r.id = g.grader_id where g.id = ? and g.unit_id is not null and {CURRENT}
            and g.status = 'scored' and r.kind <> 'person'""",
            (grade_id,),
        )
        if verdict is None:
            raise Conflict(
                "The judge has given another verdict meanwhile, so this one is no longer as it was "
                "shown. Reload the list."
            )
        kind = store.value("select kind from graders where id = ? and not simulated", [grader_id])
        if kind != "person":
            raise Problem(
                "Only an annotator can confirm or overturn a verdict. Give your own name."
            )
        newest = store.row(
            """select cause, note from adjudications where unit_id = ? and triggered_by = 'judge'
            and grade_ids = json_array(?) order by id desc""",
            (verdict["unit_id"], grade_id),
        )
        if tuple(newest or ("", "")) == (word, note.strip()):
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
