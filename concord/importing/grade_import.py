"""Import of grades made elsewhere: the effect as a preview, and storing them."""

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from concord.clock import now
from concord.messages import Problem, said
from concord.model import Grade, Grader
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store import grades as stored_grades
from concord.store.additions import Difference
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

# The grades of some items that count now, by some graders under any of their names.
_STANDING = (
    "select g.id, g.item_id, g.unit_id, g.repeat, g.status, g.score, g.created_at, g.version,"
    " coalesce(m.merged_into, m.id) as grader_id, d.probabilities, d.outside"
    " from (select value as item_id from json_each(:items)) i"
    " cross join grades g on g.item_id = i.item_id join graders m on m.id = g.grader_id"
    " left join distributions d on d.grade_id = g.id"
    " where g.version in (select value from json_each(:versions))"
    " and (g.unit_id is not null) = :units"
    " and coalesce(m.merged_into, m.id) in (select value from json_each(:graders))"
    " and not exists (select 1 from grades later where later.supersedes = g.id)"
)
# Grades that are compared or stored at once.
_BATCH = 500

# Item id by key, of the items that grades name by it; None or nothing where there is no such one.
Ids = Callable[[Collection[str]], Mapping[str, int | None]]


class Comparison(NamedTuple):
    """Effect of an import of grades: how many are new, and how many renew the grader's own.

    Renewed are grades from before `Grade.since`, and those whose probabilities were not known.
    `conflicts` are those that differ from the stored; `repeated` are the ids of stored grades that
    are unchanged.
    """

    new: int
    renewed: int
    conflicts: list[Difference]
    repeated: Sequence[int]


# A grade, what it is to the stored ones (`new`, `same`, `renewed`, `changed`), the id of its item,
# and the stored grade of its slot.
Compared = tuple[Grade, str, int | None, Mapping[str, Any] | None]


def compare(store: Store, rubric: Rubric, grades: Iterable[Grade], ids: Ids) -> Comparison:
    """Tell new grades, those stored already, and those that differ from the stored.

    Args:
        store: The open store.
        rubric: The rubric whose criterion versions the grades are under.
        grades: Valid grades; those of an item that `ids` does not know are new.
        ids: Item ids by the keys of the grades.
    """
    labels = {level.score: str.__str__(level.label) for level in rubric.criteria[0].levels}
    count, conflicts, repeated = Counter(), [], array("q")

    def shown(status: str, score: float | None) -> str:
        return status if score is None else labels.get(score) or f"{score:g}"

    for grade, is_now, _, known in _compared(store, rubric, grades, ids):
        count[is_now] += 1
        if is_now == "same":
            repeated.append(known["id"])
        elif is_now == "changed":
            before = shown(known["status"], known["score"])
            conflicts.append(difference(grade, before, shown(grade.status, grade.score)))
    return Comparison(count["new"], count["renewed"], conflicts, repeated)


def difference(grade: Grade, before: str, here: str) -> Difference:
    """Say that a grade of a file differs from the stored one."""
    problem = said(
        "{grader} graded {criterion} with {before} in the database and {here} in the file.",
        grader=grade.grader,
        criterion=grade.criterion,
        before=before,
        here=here,
        fault_code="another_grade",
    )
    return Difference(grade.row, grade.column or "score", problem)


def add(
    store: Store,
    rubric: Rubric,
    grades: Iterable[Grade],
    ids: Ids,
    why: str,
    replacing: bool = True,
) -> None:
    """Store grades that are not stored already; all or none.

    Each supersedes the stored one of its slot; where the two differ only if `replacing`. The rubric
    must be registered. `why` says why a stored grade was replaced. Every grade needs an item.
    """
    versions, grader_ids, stamp = rubric.versions(), {}, now()
    with store.write():
        # Compared and stored in turns: the next batch is read once this one is in the database.
        compared = _compared(store, rubric, grades, ids)
        while batch := list(islice(compared, _BATCH)):
            rows: list[tuple] = []
            for grade, is_now, item_id, known in batch:
                if is_now == "same" or (is_now == "changed" and not replacing):
                    continue
                slot = grade.grader_kind, grade.grader
                if slot not in grader_ids:
                    grader_ids[slot] = _grader_id(store, grade)
                row = (
                    *(getattr(grade, name) for name in _FIELDS),
                    *(item_id, grade.unit, versions[grade.criterion], grader_ids[slot]),
                    *(known and known["id"], why if known else "", stamp),
                )
                rows.append((row, grade.distribution))
            store.insert_many("grades", _COLUMNS, [row for row, given in rows if given is None])
            distributions = {
                store.insert("grades", **dict(zip(_COLUMNS, row, strict=True))): given
                for row, given in rows
                if given is not None
            }
            stored_grades.keep_distributions(store, distributions)


_FIELDS = (
    *("status", "score", "label", "reason", "quote", "marked_passages", "seconds"),
    *("rubric_language", "repeat", "blind"),
)
_COLUMNS = (
    *_FIELDS,
    *("item_id", "unit_id", "version", "grader_id", "supersedes", "why", "created_at"),
)


def _compared(
    store: Store, rubric: Rubric, grades: Iterable[Grade], ids: Ids
) -> Iterator[Compared]:
    """Yield each grade with the stored current one of its slot.

    Stored ones may be under a merged name, or under versions that count for the rubric's.
    """
    criteria, rest = rubric_versions.criteria(store, rubric), iter(grades)
    order = {version: place for place, version in enumerate(criteria)}
    known: dict[tuple[str, str], Grader | None] = {}
    while batch := list(islice(rest, _BATCH)):
        keys = {grade.item_key for grade in batch}
        item_ids = ids(keys)
        names = defaultdict(list)
        for kind, name in {(grade.grader_kind, grade.grader) for grade in batch}:
            if (kind, name) not in known:
                known[kind, name] = named(store, graders.stored_kind(kind), name)
            if grader := known[kind, name]:
                names[grader.id].append((kind, name))
        wanted = {
            "graders": json.dumps([*names]),
            "versions": json.dumps([*criteria]),
            "items": json.dumps([item_ids.get(key) for key in keys]),
            "units": bool(rubric.units),
        }
        rows = store.rows(_STANDING, wanted) if names else []
        current = {
            (row["item_id"], criteria[row["version"]], *name, row["repeat"], row["unit_id"]): row
            for row in sorted(rows, key=lambda row: order[row["version"]])
            for name in names[row["grader_id"]]
        }
        for grade in batch:
            item_id = item_ids.get(grade.item_key)
            row = current.get((item_id, *grade.slot[1:]))
            yield grade, _told(grade, row), item_id, row


def _told(grade: Grade, row: Mapping[str, Any] | None) -> str:
    if row is None or row["status"] == "withdrawn":
        return "new"
    if (row["status"], row["score"]) == (grade.status, grade.score):
        given = grade.distribution
        told = given and (given.as_json(), given.outside)
        if told in (None, (row["probabilities"], row["outside"])):
            return "same"
        if row["probabilities"] is None:  # the same grade, with what was not known of it
            return "renewed"
    return "renewed" if row["created_at"] <= grade.since else "changed"


def named(store: Store, kind: str, name: str) -> Grader | None:
    """Return the grader of a name; for a merged one, the grader it was merged into."""
    if grader := graders.find(store, kind, name):
        return grader
    into = store.value(
        "select merged_into from graders where kind = ? and name = ? and fingerprint = ''",
        (kind, name.strip()),
    )
    return graders.get(store, into) if into else None


def _grader_id(store: Store, grade: Grade) -> int:
    """Return the id of a grade's grader; a name with stored grades keeps its fingerprint."""
    stored, is_mean = graders.stored_kind(grade.grader_kind), grade.grader_kind == graders.MEAN
    known = named(store, stored, grade.grader)
    if known is None:
        definition = {"mean": True} if is_mean else None
        return graders.ensure(
            store, stored, grade.grader, "", definition, simulated=grade.simulated
        )
    for there, here, words in (
        (known.is_mean, is_mean, ("one annotator", "the mean of several annotators")),
        (known.simulated, grade.simulated, ("real", "simulated")),
    ):
        if there != here:
            raise Problem(
                "“{name}” is {there} in the database and {here} in the file. Rename one of them.",
                name=known.name,
                there=words[there],
                here=words[here],
                fault_code="another_kind",
            )
    return known.id
