"""Adjudications: final scores where annotators differed, and who is assigned to give them.

They never overwrite a grade, and nothing here reads judges' grades. A repeated adjudication is a
new row, and the newest blind one counts.

Adjudicators are annotators whom a lead assigned contested answers, criterion by criterion; the
newest row of an annotator, answer and criterion decides. What an assignment gives access to is
enforced by the database (`store.permissions`, role `ADJUDICATOR`): no one sees other annotators'
grades of an answer that they graded or are to grade.
"""

import json
from collections.abc import Collection, Iterable
from typing import NamedTuple

from concord.clock import now
from concord.grading import annotators, campaigns, grading_sets
from concord.messages import N_, Conflict, Problem, joined, said
from concord.store import graders, grades
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT

ANNOTATORS, DRAW = "people", "draw"  # as stored
CHANGED = "One of these grades was changed or withdrawn meanwhile. Review the answer again."
OVERLOOKED, RUBRIC = "overlooked", "rubric_unclear"
QUESTION, DEFENSIBLE = "bad_question", "both_defensible"
CAUSES = {
    OVERLOOKED: N_("an annotator overlooked something"),
    RUBRIC: N_("rubric unclear"),
    QUESTION: N_("bad question or context"),
    DEFENSIBLE: N_("both defensible"),
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
        row = store.row(
            """select score, cause, note, grader_id, grade_ids from adjudications where item_id = ?
            and version = ? and unit_id is null and triggered_by in ('people', 'draw')
            order by id desc""",
            (given.item_id, given.version),
        )
        told = (given.score, given.cause, given.note, given.grader_id, json.dumps(given.grade_ids))
        if row and tuple(row) == told:
            return False
        store.insert(
            "adjudications",
            **given._replace(grade_ids=json.dumps(given.grade_ids))._asdict(),
            blind=int(not grades.has_opened(store, given.item_id, given.grader_id)),
            created_at=now(),
        )
    return True


def of_sheet(store: Store, sheet_id: int, versions: Collection[str]) -> list[Row]:
    """Return every adjudication of annotators' grades of a sheet's answers, oldest first.

    Rows of id, item_id, version, score, cause, note, who (the name), grader_id, triggered_by,
    grade_ids (JSON), blind, created_at.
    """
    return store.rows(
        f"""select a.id, a.item_id, a.version, a.score, a.cause, a.note, w.name as who,
        w.id as grader_id, a.triggered_by, a.grade_ids, a.blind, a.created_at
        from adjudications a join items i on i.id = a.item_id
        left join graders t on t.id = a.grader_id
        left join graders w on w.id = coalesce(t.merged_into, t.id) where i.sheet_id = ?
        and a.unit_id is null and a.triggered_by in ('people', 'draw')
        and a.version in ({marks(versions)}) order by a.id""",
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
        f"""select count(*) from grades g join graders r on r.id = g.grader_id
        where g.id in ({marks(given.grade_ids)}) and g.item_id = ? and r.kind = 'person'
        and {CURRENT}""",
        (*given.grade_ids, given.item_id),
    )
    # Checked inside the write: an adjudication of grades that have changed since would decide a
    # difference that is no more.
    if found < len(given.grade_ids):
        raise Conflict(CHANGED)


# Of a row `d`: assigned, and not withdrawn since.
_ASSIGNED = (
    "d.assigned and not exists (select 1 from adjudication_assignments later"
    " where later.grader_id = d.grader_id and later.item_id = d.item_id"
    " and later.version = d.version and later.id > d.id)"
)
# Of a row `d`: its newest adjudication, whoever gave it; whether it has a score, and one by
# the annotator.
_NEWEST = """from adjudications a where a.item_id = d.item_id and a.version = d.version
    and a.unit_id is null and a.triggered_by in ('people', 'draw') order by a.id desc limit 1"""
_DONE = f"coalesce((select a.score is not null {_NEWEST}), 0)"
_OWN = f"(select a.score is not null and a.grader_id = d.grader_id {_NEWEST})"
# Assigned parts on which annotators' scores differ, also those under earlier words that count on:
# annotators who change their grades may leave nothing to adjudicate. Found in one pass, since an
# adjudicator's connection checks every grade that it reads.
_WITH_DIFFERING = f"""with recursive words (version, word) as (select version, version
    from adjudication_assignments
    union select w.version, c.old_version from words w join carried_versions c
    on c.new_version = w.word), differing as (select g.item_id, w.version from grades g
    join words w on w.word = g.version join graders p on p.id = g.grader_id
    where g.item_id in (select item_id from adjudication_assignments) and p.kind = 'person'
    and g.unit_id is null and g.repeat = 1 and g.blind is not 0 and {CURRENT}
    group by g.item_id, w.version having min(g.score) < max(g.score))"""
_DIFFERS = "(d.item_id, d.version) in (select item_id, version from differing)"
# Of a row `d`: the annotator graded the answer, or has it in a queue, since; to them it is closed.
_CLOSED = """exists (select 1 from grades g where g.item_id = d.item_id
    and g.grader_id = d.grader_id and g.status <> 'withdrawn')
    or exists (select 1 from assignments q where q.item_id = d.item_id
      and q.grader_id = d.grader_id)"""


class Part(NamedTuple):
    """A criterion of an answer, by its criterion version."""

    item_id: int
    version: str


class Assigned(NamedTuple):
    """How many answers an annotator adjudicates, and how many are left to adjudicate.

    Both are as the annotator finds them: without answers that closed to them, and without those on
    which annotators differ no more, unless the annotator adjudicated them. What another one
    adjudicated is not left.

    `removed` is true for one who left a set of the sheet and is in none; `paused` is since when.
    """

    annotator: str
    answers: int
    left: int
    removed: bool = False
    paused: str | None = None


def assign(store: Store, parts: Iterable[Part], grader_id: int, by: str) -> list[Part]:
    """Assign parts to an annotator, who sees other annotators' grades of them; return the new ones.

    Left out are those assigned already, and answers that the annotator graded or is to grade.
    """
    store.must_lead()
    with store.write():
        wanted = [*dict.fromkeys(parts)]
        own = _own_answers(store, grader_id)
        new = assignable(store, wanted, grader_id)
        if own.issuperset(one.item_id for one in wanted):
            raise Problem(
                "{name} graded all of these answers, or is to grade them. Choose another "
                "annotator.",
                name=graders.get(store, grader_id).name,
            )
        for one in new:
            _add(store, one, grader_id, True, by)
    return new


def assignable(store: Store, parts: Iterable[Part], grader_id: int) -> list[Part]:
    """Return the parts that `assign` would assign to an annotator."""
    own, known = _own_answers(store, grader_id), {*of_annotator(store, grader_id)}
    return [one for one in parts if one.item_id not in own and one not in known]


def candidates(store: Store, sheet_id: int) -> list[str]:
    """Return the annotators to choose from, by name: neither paused nor removed from the sheet.

    Removed is one who left a set of the sheet and is in none.
    """
    gone = grading_sets.left_sheet(store, sheet_id)
    return [
        one.name
        for one in graders.of_kind(store, "person")
        if not (
            one.simulated or one.is_mean or annotators.paused_since(store, one.id) or one.id in gone
        )
    ]


def withdraw(store: Store, parts: Collection[Part], grader_id: int, by: str) -> list[Part]:
    """Withdraw parts from an annotator, whose adjudications stay; return which were assigned."""
    store.must_lead()
    with store.write():
        held = [one for one in of_annotator(store, grader_id) if one in parts]
        for one in held:
            _add(store, one, grader_id, False, by)
    return held


def of_annotator(store: Store, grader_id: int, sheet_id: int | None = None) -> list[Part]:
    """Return what is assigned to an annotator, in any sheet or in one."""
    rows = store.rows(
        f"""select d.item_id, d.version from adjudication_assignments d
        where d.grader_id = ? and {_ASSIGNED}"""
        + (" and d.item_id in (select id from items where sheet_id = ?)" if sheet_id else "")
        + " order by d.id",
        (grader_id, *((sheet_id,) if sheet_id else ())),
    )
    return [Part(*row) for row in rows]


def left_of(store: Store, grader_id: int, sheet_id: int | None = None) -> int:
    """Return how many answers assigned to an annotator they have still to adjudicate.

    In any sheet on the adjudicator's own connection, which has no answers that closed since; in one
    sheet on a lead's.
    """
    of_lead = f" and not ({_CLOSED}) and i.sheet_id = :sheet" if sheet_id else ""
    return store.value(
        f"{_WITH_DIFFERING} select count(distinct d.item_id) from adjudication_assignments d"
        " join items i on i.id = d.item_id"
        f" where d.grader_id = :grader and {_ASSIGNED} and not {_DONE}"
        f" and {_DIFFERS}{of_lead}",
        {"grader": grader_id, "sheet": sheet_id},
    )


def left_words(answers: int) -> str:
    """Return how many answers are left to adjudicate, in words."""
    what = said("{n:,}", n=answers)
    return said("{name}: {what}", name=said("left to adjudicate"), what=what)


def assigned_of_sheet(
    store: Store, sheet_id: int, versions: Collection[str]
) -> dict[int, Assigned]:
    """Return what is assigned of a sheet, by grader id, in the order of names."""
    rows = store.rows(
        f"{_WITH_DIFFERING} select d.grader_id, d.item_id, d.version, r.name,"
        f" {_DONE} as done, {_OWN} as own, {_DIFFERS} as differs, {_CLOSED} as closed"
        " from adjudication_assignments d join items i on i.id = d.item_id"
        f" join graders r on r.id = d.grader_id where i.sheet_id = ? and {_ASSIGNED}"
        " order by r.name collate nocase, r.id",
        (sheet_id,),
    )
    names = {row["grader_id"]: row["name"] for row in rows if row["version"] in versions}
    own: dict[int, list[Row]] = {grader_id: [] for grader_id in names}
    for row in rows:
        if row["version"] in versions and not row["closed"]:
            own[row["grader_id"]].append(row)
    gone = grading_sets.left_sheet(store, sheet_id)
    return {
        grader_id: Assigned(
            names[grader_id],
            len({row["item_id"] for row in held if row["differs"] or row["own"]}),
            len({row["item_id"] for row in held if row["differs"] and not row["done"]}),
            grader_id in gone,
            annotators.paused_since(store, grader_id),
        )
        for grader_id, held in own.items()
    }


def _own_answers(store: Store, grader_id: int) -> set[int]:
    """The answers that an annotator graded, or has in a queue or in a block to come."""
    own = set(
        store.column(
            """select item_id from grades where grader_id = ?1 and status <> 'withdrawn'
            union select item_id from assignments where grader_id = ?1""",
            (grader_id,),
        )
    )
    for set_id in grading_sets.sets_of(store, grader_id):
        blocks = {*campaigns.blocks_of(store, grading_sets.get(store, set_id), grader_id)}
        rows = store.rows(
            "select item_id, block from grading_set_items where set_id = ?", (set_id,)
        )
        own |= {row["item_id"] for row in rows if row["block"] in blocks}
    return own


def _add(store: Store, part: Part, grader_id: int, assigned: bool, by: str) -> None:
    """Add a row; the audit log has it also where it was made on the command line."""
    values = {"given_by": by, "created_at": now()}
    row_id = store.insert(
        "adjudication_assignments",
        **part._asdict(),
        grader_id=grader_id,
        assigned=int(assigned),
        **values,
    )
    if store.who is None:  # else the database notes it by itself
        of = {"who": by, "what": "insert", "table_name": "adjudication_assignments"}
        store.insert("changes", **of, row_id=row_id, at=now())
