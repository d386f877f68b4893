"""Graders: annotators, judges and metrics, each under one permanent id, and whose grades count.

States of annotators on a sheet are append-only: the newest row counts; without one they are
included, or pending where they typed their own name. A row says whether an alert on the annotator
was open at that moment: excluding closes it, and including them all the same accepts it.
"""

import json
from typing import NamedTuple

from concord.clock import now
from concord.messages import N_, Problem, joined, said
from concord.model import Grader
from concord.store.database import REQUESTS, Row, Store

# Kind of the mean of several annotators in an import; it is stored as one annotator.
MEAN = "mean"
# Kinds as stored -> as they are called.
KINDS = {"person": N_("annotator"), "judge": N_("judge"), "metric": N_("metric")}
# How many answers an annotator who is not accepted has to grade before their grades count: fewer
# may be a stray key press, which must not change a figure or void a decision.
ENOUGH = 10

_COLUMNS = (
    "id, kind, name, fingerprint, definition, simulated, created_at, accepted = 0 and not exists"
    " (select 1 from graders m join grades g on g.grader_id = m.id"
    " where graders.id in (m.id, m.merged_into) group by g.item_id"
    f" limit 1 offset {ENOUGH - 1}) as pending"
)


def stored_kind(kind: str) -> str:
    """Return the kind under which a grader of an import is stored."""
    return "person" if kind == MEAN else kind


def ensure(
    store: Store,
    kind: str,
    name: str,
    fingerprint: str = "",
    definition: dict | None = None,
    simulated: bool = False,
    accepted: bool = True,
) -> int:
    """The id of that grader, made now where it is new; a merged grader's id is its target's.

    Where it is new and not `accepted`, it is pending until it has graded `ENOUGH` answers. A
    Problem where an annotator takes the name of a mean of annotators.
    """
    name = name.strip()
    if not name:
        raise Problem("The name is empty. Give one.")
    with store.write():
        known = store.row(
            """select coalesce(merged_into, id) as id, json_extract(definition, '$.mean') as mean
            from graders where kind = ? and name = ? and fingerprint = ?""",
            (kind, name, fingerprint),
        )
        if known and kind == "person" and known["mean"] and not (definition or {}).get("mean"):
            raise Problem(
                "“{name}” is the mean of several annotators, as it was imported. Choose another "
                "name.",
                name=name,
            )
        if known:
            return known["id"]
        return store.insert(
            "graders",
            kind=kind,
            name=name,
            fingerprint=fingerprint,
            definition=json.dumps(definition or {}, ensure_ascii=False),
            simulated=int(simulated),
            accepted=int(accepted),
            created_at=now(),
        )


def define(store: Store, grader_id: int, definition: dict) -> None:
    """Replace the stored definition of a grader, next to its name and fingerprint."""
    with store.write():
        # Written only where it differs, so that it does not count as a change of the store.
        store.execute(
            "update graders set definition = :body where id = :id and definition is not :body",
            {"body": json.dumps(definition, ensure_ascii=False), "id": grader_id},
        )


def get(store: Store, grader_id: int) -> Grader:
    """The grader of that id."""
    return _grader(store.row(f"select {_COLUMNS} from graders where id = ?", (grader_id,)))


def find(store: Store, kind: str, name: str) -> Grader | None:
    """A grader by `name` (its newest fingerprint) or `name@fingerprint`; None where unknown."""
    base, _, fingerprint = name.rpartition("@")
    row = store.row(
        f"""select {_COLUMNS} from graders where kind = :kind and merged_into is null
        and (name = :name or (name = :base and fingerprint = :fingerprint))
        order by id desc limit 1""",
        {"kind": kind, "name": name, "base": base, "fingerprint": fingerprint},
    )
    return _grader(row) if row else None


def with_requests(store: Store, digest: str) -> list[int]:
    """Return the ids of the judges that send the requests with that digest."""
    return store.column(
        f"select id from graders g where kind = 'judge' and {REQUESTS.format('g')} = ? order by id",
        (digest,),
    )


def named(store: Store, kind: str, name: str) -> Grader:
    """Return what `find` does; a Problem that lists the known graders where the name is unknown."""
    grader = find(store, kind, name)
    if grader is None:
        raise Problem(
            "There is no {grader} “{name}”. Known: {names}.",
            grader=KINDS[kind],
            name=name,
            names=joined(", ", sorted({g.name for g in of_kind(store, kind)})) or said("none yet"),
        )
    return grader


def annotator(store: Store, name: str) -> Grader | None:
    """Return the annotator of that name, ignoring case and spacing; None where unknown."""
    wanted = find(store, "person", name.strip())
    folded = " ".join(name.split()).casefold()
    others = [g for g in of_kind(store, "person") if g.name.casefold() == folded]
    return wanted or next(iter(others), None)


def ensure_annotator(store: Store, name: str) -> Grader:
    """Return the annotator of that name, created where it is new, not accepted yet."""
    found = annotator(store, name)
    return found or get(store, ensure(store, "person", name, accepted=False))


def of_kind(store: Store, *kinds: str) -> list[Grader]:
    """Return all graders of some kinds, kind by kind, oldest first; merged ones are left out."""
    query = f"select {_COLUMNS} from graders where kind = ? and merged_into is null order by id"
    return [_grader(row) for kind in kinds for row in store.rows(query, (kind,))]


def has_replies(store: Store, grader_id: int) -> bool:
    """True where a judge or metric was run here: at least one reply of its model is stored."""
    return store.has("select 1 from replies where grader_id = ? limit 1", (grader_id,))


def rename(store: Store, grader_id: int, name: str) -> None:
    """Give a grader another name; refused where that name is taken."""
    name = name.strip()
    grader = get(store, grader_id)
    with store.write():
        taken = store.value(
            "select id from graders where kind = ? and name = ? and fingerprint = ? and id <> ?",
            (grader.kind, name, grader.fingerprint, grader_id),
        )
        if not name or taken:
            raise Problem(
                "“{name}” is taken or empty. Choose another name, or merge the two.", name=name
            )
        store.execute("update graders set name = ? where id = ?", (name, grader_id))


def merge(store: Store, source_id: int, target_id: int) -> None:
    """Merge one annotator's grades into another's; refused where both graded the same."""
    source, target = get(store, source_id), get(store, target_id)
    if source_id == target_id or source.kind != target.kind:
        raise Problem("Only two different graders of the same kind can be merged.")
    if source.is_mean != target.is_mean:
        raise Problem("A mean of several annotators and one annotator cannot be merged.")
    with store.write():
        both = store.value(
            """select count(distinct a.item_id) from grades a join grades b on a.item_id = b.item_id
            and a.version = b.version and a.repeat = b.repeat
            where a.grader_id = ? and b.grader_id = ?""",
            (source_id, target_id),
        )
        if both:
            raise Problem(
                "{source} and {target} cannot be merged: both have graded the same answers "
                "({both:,}). Keep them apart, or delete one.",
                source=source.name,
                target=target.name,
                both=both,
            )
        store.execute(
            "update graders set merged_into = ? where id = ? or merged_into = ?",
            (target_id, source_id, source_id),
        )


def delete(store: Store, grader_id: int) -> None:
    """Delete a grader with all its grades, runs and replies.

    A Problem for an annotator who may sign in: a member without a grader could not grade.
    """
    everyone = "(select id from graders where id = :id or merged_into = :id)"
    values = {"id": grader_id}
    with store.write():
        name = store.value(
            f"""select m.name from members m where m.grader_id in {everyone} and (select role
            from member_roles where member_id = m.id order by id desc limit 1) <> 'none'""",
            values,
        )
        if name:
            raise Problem(
                "{name} can still sign in. First set their role to none on the screen Team.",
                name=name,
            )
        # Grades refer to one another (`supersedes`) and to runs: only the commit must be
        # consistent.
        store.execute("pragma defer_foreign_keys = on")
        asked = ("adjudication_assignments", "assignments", "packs", "pauses")
        asked += ("annotator_states", "regrade_requests", "set_graders", "decomposition_approvals")
        for table in ("grades", "replies", "runs", *asked):
            store.execute(f"delete from {table} where grader_id in {everyone}", values)
        # That it happened stays known, by whom not; others' verdicts are on units and their lists.
        noted = ("openings", "adjudications", "comments", "block_moves", "members")
        whose = dict.fromkeys(noted, "grader_id")
        whose |= dict.fromkeys(("units", "decompositions"), "decomposer_id")
        for table, column in whose.items():
            store.execute(
                f"update {table} set {column} = null where {column} in {everyone}", values
            )
        store.execute("delete from graders where id = :id or merged_into = :id", values)


def _grader(row: Row) -> Grader:
    fields = dict(row)
    fields["definition"] = json.loads(fields["definition"])
    for name in ("simulated", "pending"):
        fields[name] = bool(fields[name])
    return Grader(**fields)


INCLUDED, PENDING, EXCLUDED = "included", "pending", "excluded"


class AnnotatorState(NamedTuple):
    """Whether an annotator's grades count, by whose decision, when and why.

    `alert` is true where an alert on the annotator was open when this was decided.
    """

    state: str
    alert: bool
    why: str
    by: str
    at: str

    @property
    def accepts_alert(self) -> bool:
        """True where the annotator was included in spite of an open alert."""
        return self.alert and self.state == INCLUDED


def annotator_states(store: Store, sheet_id: int) -> dict[int, AnnotatorState]:
    """Return the decided states of a sheet's annotators, by grader id."""
    rows = store.rows(
        """select coalesce(g.merged_into, g.id) as grader_id, s.state, s.alert, s.why, s.given_by,
        s.created_at from annotator_states s join graders g on g.id = s.grader_id
        where s.sheet_id = ? order by s.id""",
        (sheet_id,),
    )
    return {row[0]: AnnotatorState(row[1], bool(row[2]), *tuple(row)[3:]) for row in rows}


def decide_annotator(
    store: Store,
    sheet_id: int,
    grader_id: int,
    state: str,
    by: str,
    why: str = "",
    alert: bool = False,
) -> None:
    """Include or exclude an annotator; a Problem where excluding or an open alert has no reason."""
    if not why.strip() and (state == EXCLUDED or alert):
        raise Problem("Say why: the reason is shown wherever the annotator's grades would count.")
    with store.write():
        store.insert(
            "annotator_states",
            sheet_id=sheet_id,
            grader_id=grader_id,
            state=state,
            alert=int(alert),
            why=why.strip(),
            given_by=by,
            created_at=now(),
        )
