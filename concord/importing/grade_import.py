"""Import of grades made elsewhere: the effect as a preview, and storing them."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem, said
from concord.model import Grade, Grader
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.additions import Difference
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

_STANDING = (
    "select g.id, g.item_id, g.unit_id, g.repeat, g.status, g.score, g.created_at from grades g"
    " where g.version = :version and (g.unit_id is not null) = :units and g.grader_id in"
    " (select id from graders where id = :grader or merged_into = :grader)"
    " and not exists (select 1 from grades later where later.supersedes = g.id)"
)


class Comparison(NamedTuple):
    """Effect of an import of grades.

    `repeated` are the ids of stored grades that are unchanged. `renewed` are grades that replace
    the grader's own from before `Grade.since`.
    """

    new: list[Grade]
    unchanged: int
    changed: list[Grade]
    conflicts: list[Difference]
    renewed: list[Grade]
    repeated: Sequence[int] = ()


class _Current(NamedTuple):
    id: int
    status: str
    score: float | None
    created_at: str


def compare(store: Store, rubric: Rubric, grades: list[Grade], keys: dict[str, int]) -> Comparison:
    """Sort grades into new ones, those stored already, and those that differ from the stored.

    Args:
        store: The open store.
        rubric: The rubric whose criterion versions the grades are under.
        grades: Valid grades whose `item_key` is a key of `keys`.
        keys: Item id by item key, as `items.item_keys` gives them.
    """
    current = _current(store, rubric, grades)
    new, changed, renewed, repeated = [], [], [], []
    for grade in grades:
        known = current.get(_slot(grade, keys))
        if known is None or known.status == "withdrawn":
            new.append(grade)
        elif (known.status, known.score) == (grade.status, grade.score):
            repeated.append(known.id)
        elif known.created_at <= grade.since:
            renewed.append(grade)
        else:
            changed.append(grade)
    conflicts = [
        Difference(grade.row, grade.column or "score", _sentence(grade, current, keys, rubric))
        for grade in changed
    ]
    return Comparison(new, len(repeated), changed, conflicts, renewed, repeated)


def add(store: Store, rubric: Rubric, grades: list[Grade], keys: dict[str, int], why: str) -> None:
    """Store grades, each superseding the stored one of its slot where there is one; all or none.

    The rubric must be registered. `why` says why a stored grade was replaced.
    """
    versions = rubric.versions()
    with store.write():
        ids = _grader_ids(store, grades)
        current = _current(store, rubric, grades)
        stamp = now()
        store.insert_many(
            "grades",
            (
                "item_id",
                "unit_id",
                "version",
                "grader_id",
                "status",
                "score",
                "label",
                "reason",
                "quote",
                "seconds",
                "repeat",
                "blind",
                "supersedes",
                "why",
                "created_at",
            ),
            (
                (
                    keys[grade.item_key],
                    grade.unit,
                    versions[grade.criterion],
                    ids[grade.grader_kind, grade.grader],
                    grade.status,
                    grade.score,
                    grade.label,
                    grade.reason,
                    grade.quote,
                    grade.seconds,
                    grade.repeat,
                    None if grade.blind is None else int(grade.blind),
                    known.id if (known := current.get(_slot(grade, keys))) else None,
                    why if known else "",
                    stamp,
                )
                for grade in grades
            ),
        )


def _slot(grade: Grade, keys: dict[str, int]) -> tuple:
    return (keys[grade.item_key], *grade.slot[1:])


def _current(store: Store, rubric: Rubric, grades: list[Grade]) -> dict[tuple, _Current]:
    """Return the stored current grade of every slot of the graders in `grades`.

    Includes grades under a merged name, or under versions that count for the rubric's.
    """
    found = {}
    for kind, name in sorted({(grade.grader_kind, grade.grader) for grade in grades}):
        grader = named(store, graders.stored_kind(kind), name)
        if grader is None:
            continue
        for version, criterion in rubric_versions.criteria(store, rubric).items():
            wanted = {"grader": grader.id, "version": version, "units": bool(rubric.units)}
            for row in store.rows(_STANDING, wanted):
                slot = (row["item_id"], criterion, kind, name, row["repeat"], row["unit_id"])
                found[slot] = _Current(row["id"], row["status"], row["score"], row["created_at"])
    return found


def named(store: Store, kind: str, name: str) -> Grader | None:
    """Return the grader of a name; for a merged one, the grader it was merged into."""
    grader = graders.find(store, kind, name)
    if grader is not None:
        return grader
    into = store.value(
        "select merged_into from graders where kind = ? and name = ? and fingerprint = ''",
        (kind, name.strip()),
    )
    return graders.get(store, into) if into else None


def _grader_ids(store: Store, grades: list[Grade]) -> dict[tuple[str, str], int]:
    """Return the id of every grader; a name with stored grades keeps its fingerprint."""
    simulated = {(grade.grader_kind, grade.grader): grade.simulated for grade in grades}
    ids = {}
    for (kind, name), is_simulated in simulated.items():
        stored, is_mean = graders.stored_kind(kind), kind == graders.MEAN
        known = named(store, stored, name)
        if known:
            _check_mean(known, is_mean)
        if known and known.simulated != is_simulated:
            raise Problem(
                "The {kind} “{name}” is simulated here but not in the file. Give the file's grader "
                "another name."
                if known.simulated
                else "The {kind} “{name}” is real in the database but simulated in the file. Give "
                "the file's grader another name.",
                kind=said(kind),
                name=name,
            )
        definition = {"mean": True} if is_mean else None
        ids[kind, name] = (
            known.id
            if known
            else graders.ensure(store, stored, name, "", definition, simulated=is_simulated)
        )
    return ids


def _check_mean(known: Grader, is_mean: bool) -> None:
    """A Problem where one name is an annotator and the mean of several."""
    if known.is_mean == is_mean:
        return
    raise Problem(
        "“{name}” is the mean of several annotators in the database and one annotator in the file. "
        "Rename one of them, or import both as kind mean."
        if known.is_mean
        else "“{name}” is one annotator in the database and the mean of several in the file. Give "
        "the mean another name.",
        name=known.name,
    )


def _sentence(
    grade: Grade, current: dict[tuple, _Current], keys: dict[str, int], rubric: Rubric
) -> str:
    known = current[_slot(grade, keys)]
    labels = {level.score: level.label for level in rubric.criteria[0].levels}
    before, here = (_said(one.status, one.score, labels) for one in (known, grade))
    return said(
        "{grader} graded {criterion} with {before} in the database and {here} in the file.",
        grader=grade.grader,
        criterion=grade.criterion,
        before=before,
        here=here,
    )


def _said(status: str, score: float | None, labels: dict[int, str]) -> str:
    return status if score is None else labels.get(score) or f"{score:g}"
