"""Decisions fixed before judges are compared, and interim looks at them.

A decision is never changed: another margin, minimum or reference judge is another decision. It
names its annotators where some have graded, at the latest at the first look; the grades of others
are in another decision. Looks at decisions about one criterion of one sheet with one reference
judge share one alpha budget, so that a new margin does not buy new looks.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from concord.clock import now
from concord.store.database import Row, Store
from concord.store.json_names import renamed
from concord.store.rubrics import rubric_versions


class Decision(NamedTuple):
    """The decision criteria fixed in advance.

    `figure` is the statistic judges are compared in, `margin` the non-inferiority margin to the
    reference judge `against` (as `Grader.label`). `minimum` is what a judge must reach, and
    `failure_recall` its recall of failing answers, `failure_precision` the precision of its failing
    verdicts; None without one. `planned_questions` is None, and `procedure` `simultaneous`, of a
    decision fixed by an earlier version. `annotators` are the ids of those whose grades count; None
    before any has graded.
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
    failure_precision: float | None = None
    planned_questions: int | None = None
    procedure: str = "simultaneous"
    annotators: tuple[int, ...] | None = None


class Look(NamedTuple):
    """One look at a decision: which grades it saw, and what was shown."""

    decision_id: int
    grades_digest: str
    result: dict
    created_at: str


# Columns that have another name than their field: those of the database do not change.
_COLUMNS = {"figure": "metric", "failure_recall": "caught_minimum"}
_FIELDS = {column: field for field, column in _COLUMNS.items()}
_TERMS = ("sheet_id", "rubric_id", "criterion", "metric", "margin", "minimum")
_TERMS += ("caught_minimum", "against", "failure_precision", "procedure")
_SAME = {"margin": "abs({0} - :{0}) < 1e-9"} | dict.fromkeys(
    ("minimum", "caught_minimum", "failure_precision"),
    "abs(coalesce({0}, 0) - coalesce(:{0}, 0)) < 1e-9",
)


def stored(decision: Decision) -> dict[str, Any]:
    """Return a decision by the columns of the database, as `choose --fix --json` prints it."""
    return _by_column(decision._asdict())


def _by_column(terms: Mapping[str, Any]) -> dict[str, Any]:
    return {_COLUMNS.get(field, field): value for field, value in terms.items()}


def fix(store: Store, decision: Decision) -> Decision:
    """Store a new decision, with an id and the time of now."""
    terms = stored(decision)
    annotators = terms.pop("annotators")
    del terms["id"]
    terms |= {"fixed_after_sight": int(decision.fixed_after_sight), "created_at": now()}
    with store.write():
        made = store.insert("decisions", **terms)
        name_annotators(store, made, annotators or ())
        return get(store, made)


def name_annotators(store: Store, decision_id: int, annotators: Collection[int]) -> None:
    """Name whose grades count in a decision that names no annotators yet; no-op without any."""
    if not annotators:
        return
    with store.write():
        store.execute(
            "update decisions set annotators = ? where id = ? and annotators is null",
            (json.dumps(sorted(annotators)), decision_id),
        )


def find(
    store: Store,
    annotators: Collection[int] | None = None,
    planned_questions: int | None = None,
    **terms,
) -> Decision | None:
    """The newest decision with these terms, however they are written; None where none was fixed.

    A minimum of 0 means no minimum. Where `annotators` are given, it names these or none yet; where
    `planned_questions` are, it plans as many.
    """
    # `is` and not `=`, which is never true of a null.
    same = " and ".join(_SAME.get(name, "{0} is :{0}").format(name) for name in _TERMS)
    named = None if annotators is None else json.dumps(sorted(annotators))
    row = store.row(
        f"select * from decisions where {same} and"
        " (:named is null or annotators is null or annotators = :named) and"
        " (:planned is null or planned_questions = :planned) order by id desc",
        _by_column(terms) | {"named": named, "planned": planned_questions},
    )
    return _decision(store, row) if row else None


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
            "select d.* from decisions d left join rubrics r on r.id = d.rubric_id"
            " where d.sheet_id = :sheet and (:criterion is null or d.criterion = :criterion)"
            " and (:rubric is null or r.name = :rubric) order by d.id",
            {"sheet": sheet_id, "criterion": criterion, "rubric": rubric},
        )
    ]


def budget(store: Store, **terms: Any) -> list[Look]:
    """The looks that spend the error of a decision with these terms, oldest first.

    It is shared by all decisions on the same sheet, criterion and reference judge under a rubric of
    the same name.
    """
    # By the name of the rubric: a new version must not buy new looks either.
    return [
        _look(store, row)
        for row in store.rows(
            "select l.* from looks l join decisions d on d.id = l.decision_id"
            " join rubrics r on r.id = d.rubric_id"
            " where d.sheet_id = :sheet_id and d.criterion = :criterion and d.against = :against"
            " and r.name = (select name from rubrics where id = :rubric_id) order by l.id",
            terms,
        )
    ]


def look(store: Store, decision: Decision, grades_digest: str, result: dict) -> None:
    """Store a look; the same grades under the same decision are stored once.

    Where an earlier version stored a look that lacks parts of this one, or where a price was stated
    since, this one is stored too.
    """
    with store.write():
        same = [one for one in looks(store, decision) if one.grades_digest == grades_digest]
        whole = [one for one in same if _parts(one.result) >= _parts(result)]
        if whole and stated_prices(whole[-1].result) == stated_prices(result):
            return
        store.insert(
            "looks",
            decision_id=decision.id,
            grades_digest=grades_digest,
            result=json.dumps(result, ensure_ascii=False),
            created_at=now(),
        )


def _parts(result: Mapping[str, Any]) -> set[str]:
    """Return what a result holds: its keys, and the conditions of each judge."""
    rows = result.get("judges", ())
    named = {f"{one['judge']}: {name}" for one in rows for name in one.get("conditions", ())}
    return {*result, *named}


def stated_prices(result: Mapping[str, Any]) -> dict[str, tuple]:
    """Return the prices in the result of a look that persons stated, by the judge's label."""
    costs = {one["judge"]: one.get("cost") or {} for one in result.get("judges", ())}
    stated = {label: (cost.get("stated_on"), cost.get("per_1000")) for label, cost in costs.items()}
    return {label: cost for label, cost in stated.items() if cost[0]}


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
            "select * from looks where id in (select max(l.id) from looks l join decisions d"
            " on d.id = l.decision_id where d.sheet_id = ? group by d.id) order by id desc",
            (sheet_id,),
        )
    ]


def latest(store: Store, sheet_id: int) -> Look | None:
    """The newest look at any decision on a sheet."""
    row = store.row(
        "select l.* from looks l join decisions d on d.id = l.decision_id where d.sheet_id = ?"
        " order by l.id desc limit 1",
        (sheet_id,),
    )
    return _look(store, row) if row else None


def _decision(store: Store, row: Row) -> Decision:
    fields = {_FIELDS.get(column, column): value for column, value in dict(row).items()}
    fields["fixed_after_sight"] = bool(fields["fixed_after_sight"])
    named = fields["annotators"]
    fields["annotators"] = named and tuple(json.loads(named))
    rubric = rubric_versions.get(store, fields["rubric_id"])
    return Decision(**{**fields, "criterion": rubric.named(fields["criterion"])})


def _look(store: Store, row: Row) -> Look:
    fields = dict(row)
    del fields["id"]
    result = renamed(json.loads(fields["result"]))
    if "metric" in result:  # the name of an earlier version; in other documents it means another
        result["figure"] = result.pop("metric")
    decided = get(store, fields["decision_id"])
    if decided and "criterion" in result:  # with the translations that JSON does not keep
        result["criterion"] = decided.criterion
    return Look(**fields | {"result": result})
