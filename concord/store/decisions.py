"""Decisions fixed before judges are compared, interim looks at them, and certificates.

A decision is never changed: another margin, minimum, reference judge or list of annotators is
another decision. Looks at decisions about one criterion with one reference judge share one alpha
budget, so that a new margin does not buy new looks; on sheets that are nearly the same, too.
Certificates are stored unchanged.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from concord.clock import now
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT


class Decision(NamedTuple):
    """The decision criteria fixed in advance.

    `figure` is the statistic judges are compared in, `margin` the non-inferiority margin to the
    reference judge `against` (as `Grader.label`). `minimum` is what a judge must reach, and
    `failure_recall` its recall of failing answers, `failure_precision` the precision of its failing
    verdicts; None without one. `annotators` are the ids of the only ones whose grades count; None
    where all who are included do.
    """

    id: int
    sheet_id: int
    rubric_id: int
    criterion: str
    figure: str
    margin: float
    minimum: float | None
    failure_recall: float | None
    against: str
    fixed_after_sight: bool
    created_at: str
    planned_questions: int
    failure_precision: float | None = None
    annotators: tuple[int, ...] | None = None


class Look(NamedTuple):
    """One look at a decision: which grades it saw, what was shown, and who was included then.

    `annotators` are ids, also of annotators whom the decision does not name.
    """

    decision_id: int
    grades_digest: str
    result: dict
    created_at: str
    annotators: frozenset[int] = frozenset()


_TERMS = ("sheet_id", "rubric_id", "criterion", "figure", "margin", "minimum")
_TERMS += ("failure_recall", "against", "failure_precision", "planned_questions", "annotators")
_SAME = {"margin": "abs({0} - :{0}) < 1e-9"} | dict.fromkeys(
    ("minimum", "failure_recall", "failure_precision"),
    "abs(coalesce({0}, 0) - coalesce(:{0}, 0)) < 1e-9",
)


def fix(store: Store, decision: Decision) -> Decision:
    """Store a new decision, with an id and the time of now; identical terms return the same one.

    Terms are the same however they are written: a minimum of 0 means no minimum.
    """
    with store.write():
        same = find(store, decision)
        if same:
            return same
        terms = _row(decision)
        del terms["id"]
        terms |= {"fixed_after_sight": int(decision.fixed_after_sight), "created_at": now()}
        return get(store, store.insert("decisions", **terms))


def find(store: Store, decision: Decision) -> Decision | None:
    """Return the newest decision with the terms of one that may not be stored; None without."""
    # `is` and not `=`, which is never true of a null.
    same = " and ".join(_SAME.get(name, "{0} is :{0}").format(name) for name in _TERMS)
    row = store.row(f"select * from decisions where {same} order by id desc", _row(decision))
    return _decision(store, row) if row else None


def _row(decision: Decision) -> dict[str, Any]:
    named = decision.annotators
    return decision._asdict() | {"annotators": None if named is None else json.dumps(sorted(named))}


def get(store: Store, decision_id: int) -> Decision | None:
    """The decision of that id."""
    row = store.row("select * from decisions where id = ?", (decision_id,))
    return _decision(store, row) if row else None


def of_sheet(
    store: Store, sheet_id: int, criterion: str | None = None, rubric: str | None = None
) -> list[Decision]:
    """The decisions on a sheet (about one criterion, under a rubric of that name), oldest first."""
    return [
        _decision(store, row)
        for row in store.rows(
            """select d.* from decisions d left join rubrics r on r.id = d.rubric_id
            where d.sheet_id = :sheet and (:criterion is null or d.criterion = :criterion)
            and (:rubric is null or r.name = :rubric) order by d.id""",
            {"sheet": sheet_id, "criterion": criterion, "rubric": rubric},
        )
    ]


def family(store: Store, sheet_id: int, criterion: str) -> tuple[int, ...]:
    """Return the sheets whose decisions on a criterion also bind those on a sheet; itself first.

    They are those that hold half of its answers or more, by content.
    """
    others = store.column(
        "select distinct sheet_id from decisions where criterion = ? and sheet_id <> ?",
        (criterion, sheet_id),
    )
    same = """select 2 * count(*) >= (select count(*) from items where sheet_id = :sheet)
        from items a
        where a.sheet_id = :sheet and exists (select 1 from items b
        where b.content_hash = a.content_hash and b.sheet_id = :other)"""
    alike = [one for one in others if store.value(same, {"sheet": sheet_id, "other": one})]
    return sheet_id, *alike


def first(store: Store, sheet_id: int, criterion: str) -> Decision | None:
    """Return the first decision on a criterion, of a sheet or its `family`; None without one."""
    sheets = family(store, sheet_id, criterion)
    row = store.row(
        f"""select * from decisions where sheet_id in ({marks(sheets)}) and criterion = ?
        order by id""",
        (*sheets, criterion),
    )
    return _decision(store, row) if row else None


def looks_on(store: Store, sheet_id: int, criterion: str, against: str | None = None) -> list[Look]:
    """Return every look at a decision on a criterion, of a sheet and its `family`, oldest first.

    Those with one reference judge, `against`, share one alpha budget.
    """
    sheets = family(store, sheet_id, criterion)
    return [
        _look(store, row)
        for row in store.rows(
            f"""select l.* from looks l join decisions d on d.id = l.decision_id
            where d.sheet_id in ({marks(sheets)}) and d.criterion = ?
            and coalesce(?, d.against) = d.against order by l.id""",
            (*sheets, criterion, against),
        )
    ]


def look(
    store: Store,
    decision: Decision,
    grades_digest: str,
    result: dict,
    annotators: Collection[int] = (),
) -> None:
    """Store a look; the same grades under the same decision are stored once.

    Where a price was stated since, this one is stored too. `annotators` are those included.
    """
    with store.write():
        same = [one for one in looks(store, decision) if one.grades_digest == grades_digest]
        if same and _prices(same[-1].result) == _prices(result):
            return
        store.insert(
            "looks",
            decision_id=decision.id,
            grades_digest=grades_digest,
            result=json.dumps(result, ensure_ascii=False),
            annotators=json.dumps(sorted(annotators)),
            created_at=now(),
        )


def _prices(result: Mapping[str, Any]) -> dict[str, float | None]:
    return {one["judge"]: one["cost_per_1000"] for one in result["judges"]}


def looks(store: Store, decision: Decision) -> list[Look]:
    """The looks at a decision, oldest first."""
    return [
        _look(store, row)
        for row in store.rows(
            "select * from looks where decision_id = ? order by id", (decision.id,)
        )
    ]


def newest_looks(store: Store, sheet_id: int) -> list[Look]:
    """Return the newest interim look at every decision on a sheet that has one, newest first."""
    return [
        _look(store, row)
        for row in store.rows(
            """select * from looks where id in (select max(l.id) from looks l join decisions d
            on d.id = l.decision_id where d.sheet_id = ? group by d.id) order by id desc""",
            (sheet_id,),
        )
    ]


def latest(store: Store, sheet_id: int) -> Look | None:
    """The newest look at any decision on a sheet."""
    return next(iter(newest_looks(store, sheet_id)), None)


def _decision(store: Store, row: Row) -> Decision:
    fields = dict(row)
    fields["fixed_after_sight"] = bool(fields["fixed_after_sight"])
    named = fields["annotators"]
    fields["annotators"] = named and tuple(json.loads(named))
    return Decision(**fields)


def _look(store: Store, row: Row) -> Look:
    fields = dict(row)
    del fields["id"]
    result = json.loads(fields["result"])
    then = store.column(
        """select coalesce(g.merged_into, j.value) from json_each(?) j
        left join graders g on g.id = j.value""",
        (fields["annotators"],),
    )
    return Look(**fields | {"result": result, "annotators": frozenset(then)})


# Tables that a certificate's figures are based on; each is append-only.
_FACTS = (
    *("grades", "adjudications", "question_roles", "carried_versions", "annotator_states"),
    *("decisions", "looks"),
)


def last_rows(store: Store) -> dict[str, int]:
    """The last row of every table that figures rest on: what the database held at a moment."""
    return {table: store.value(f"select coalesce(max(id), 0) from {table}") for table in _FACTS}


def keep_certificate(
    store: Store, body: dict, sheet_id: int, grader_id: int, decision_id: int | None
) -> int:
    """Keep a certificate as JSON with `made_at` and `expires_at`; its id."""
    with store.write():
        return store.insert(
            "certificates",
            decision_id=decision_id,
            sheet_id=sheet_id,
            grader_id=grader_id,
            body=json.dumps(body, ensure_ascii=False),
            created_at=body["made_at"],
            expires_at=body["expires_at"],
        )


def certificates_of_sheet(store: Store, sheet_id: int) -> list[tuple[int, dict]]:
    """Return every certificate of a sheet, newest first: (id, contents)."""
    rows = store.rows(
        "select id, body from certificates where sheet_id = ? order by id desc", (sheet_id,)
    )
    return [(row["id"], json.loads(row["body"])) for row in rows]


def newest_certificate(store: Store, grader_id: int) -> dict | None:
    """Return the contents of a judge's newest certificate; None without one."""
    body = store.value(
        "select body from certificates where grader_id = ? order by id desc limit 1", (grader_id,)
    )
    return json.loads(body) if body else None


def blindness(store: Store, item_ids: Collection[int], versions: Mapping[str, str]) -> list[Row]:
    """Count each annotator's current scores of some answers by blindness.

    Returns:
        Rows of name, grades, blind, seeing (given after seeing judges' grades) and unknown.
    """
    return store.rows(
        f"""select r.name, count(*) as grades, sum(g.blind is 1) as blind,
        sum(g.blind is 0) as seeing, sum(g.blind is null) as unknown
        from grades g join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        where g.item_id in (select value from json_each(?)) and r.kind = 'person'
        and g.unit_id is null and g.repeat = 1
        and g.status = 'scored' and g.version in ({marks(versions)}) and {CURRENT}
        group by r.name order by r.name""",
        (json.dumps([*item_ids]), *versions),
    )


def not_known_blind(
    store: Store, sheet_id: int, versions: Collection[str], units: bool = False
) -> list[Row]:
    """The annotators' current scores of which it is unknown whether they were given blind.

    Returns:
        Rows of graded (the id of the answer, or of its unit) and grader.
    """
    graded = "g.unit_id" if units else "g.item_id"
    return store.rows(
        f"""select {graded} as graded, r.id as grader
        from grades g join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        join items i on i.id = g.item_id
        where i.sheet_id = ? and r.kind = 'person' and {graded} is not null
        and g.blind is null and g.repeat = 1
        and g.version in ({marks(versions)}) and {CURRENT}""",
        (sheet_id, *versions),
    )


def held_out_at(store: Store, question_ids: Collection[int]) -> str:
    """The moment since when all of these questions have been held out."""
    return store.value(
        f"""select max(created_at) from question_roles r where role = 'sealed' and id = (select
        max(id) from question_roles l where l.question_id = r.question_id)
        and question_id in ({marks(question_ids)})""",
        list(question_ids),
    )


def replied(
    store: Store,
    sheet_id: int,
    grader_id: int,
    versions: Collection[str],
    last: int | None = None,
    contents: Collection[str] | None = None,
) -> list[Row]:
    """Return the current grades that came of a judge's replies on a sheet.

    `last` is the newest grade to return, and `contents` are hashes; all without them.

    Returns:
        Rows of content_hash, cluster, version, repeat, status and score; a content that several
        items hold has the same rows for each.
    """
    within = "" if contents is None else " and i.content_hash in (select value from json_each(?))"
    return store.rows(
        f"""select distinct i.content_hash, coalesce('c' || q.cluster, 'q' || q.id) as cluster,
        g.version, g.repeat, g.status, g.score from grades g join items i on i.id = g.item_id
        join questions q on q.id = i.question_id where g.grader_id = ?
        and i.sheet_id = ? and g.unit_id is null and {CURRENT}
        and g.version in ({marks(versions)}) and (? is null or g.id <= ?){within}""",
        (
            *(grader_id, sheet_id, *versions, last, last),
            *(() if contents is None else (json.dumps([*contents]),)),
        ),
    )


def clusters(store: Store, sheet_id: int, contents: Collection[str]) -> dict[str, str]:
    """The cluster, else the question, of each content of a sheet; of several the first."""
    rows = store.rows(
        """select i.content_hash, coalesce('c' || q.cluster, 'q' || q.id) as cluster from items i
        join questions q on q.id = i.question_id where i.sheet_id = ?
        and i.content_hash in (select value from json_each(?)) order by i.id desc""",
        (sheet_id, json.dumps([*contents])),
    )
    return dict(rows)


def last_repeat(store: Store, grader_id: int, contents: Collection[str]) -> int:
    """The highest number of a repeat that a judge was asked of any of these contents; 0: none."""
    named = (grader_id, json.dumps([*contents]))
    within = "content_hash in (select value from json_each(?))"
    asked = store.value(
        f"select coalesce(max(repeat), 0) from replies where grader_id = ? and {within}", named
    )
    graded = store.value(
        f"""select coalesce(max(g.repeat), 0) from grades g join items i on i.id = g.item_id
        where g.grader_id = ? and i.{within}""",
        named,
    )
    return max(asked, graded)
