"""Additions of grades made elsewhere: compared with the stored ones, and stored."""

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from typing import Any, NamedTuple

from concord.clock import now
from concord.messages import Problem, said
from concord.model import BadRow, Grade, Grader
from concord.rubrics.model import Rubric
from concord.store import graders, imports
from concord.store import grades as stored_grades
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

# The grades of some items that count now, by some graders under any of their names.
_STANDING = """select g.id, g.item_id, g.unit_id, g.repeat, g.status, g.score, g.created_at,
    g.version,
    coalesce(m.merged_into, m.id) as grader_id, d.probabilities, d.outside
    from (select value as item_id from json_each(:items)) i
    cross join grades g on g.item_id = i.item_id join graders m on m.id = g.grader_id
    left join distributions d on d.grade_id = g.id
    where g.version in (select value from json_each(:versions))
    and (g.unit_id is not null) = :units
    and coalesce(m.merged_into, m.id) in (select value from json_each(:graders))
    and not exists (select 1 from grades later where later.supersedes = g.id)"""
# Grades that are compared or stored at once.
_BATCH = 500

# Item id by key, of the items that grades name by it; None or nothing where there is no such one.
Ids = Callable[[Collection[str]], Mapping[str, int | None]]


KEEP, REPLACE = "keep", "replace"


class Comparison(NamedTuple):
    """Effect of an import of grades: how many are new, and how many replace the grader's own.

    Replaced are, unasked, grades from before `Grade.since` and those whose probabilities were not
    known. `conflicts` are those that differ from the stored; `repeated` are the ids of stored
    grades that are unchanged.
    """

    new: int
    replaced: int
    conflicts: list[BadRow]
    repeated: Sequence[int]


# A grade, what it is to the stored ones (`new`, `same`, `renewed`, `changed`), the id of its item,
# and the stored grade of its slot.
Compared = tuple[Grade, str, int | None, Mapping[str, Any] | None]


def take(
    store: Store,
    rubrics: Sequence[Rubric],
    grades: Collection[Grade],
    ids: Ids,
    replaces: bool = False,
    dry_run: bool = False,
) -> Comparison:
    """Store grades that are not stored already, but for a `dry_run`; all or none.

    Args:
        store: The open store.
        rubrics: The rubrics whose criterion versions the grades are under.
        grades: Valid grades; in a `dry_run` those of an item that `ids` does not know are new.
        ids: Item ids by the keys of the grades.
        replaces: Whether a grade that differs supersedes the stored one of its slot.
        dry_run: Whether they are only compared with the stored.
    """
    count, conflicts, repeated, grader_ids, stamp = Counter(), [], array("q"), {}, now()
    with nullcontext() if dry_run else store.write(), stored_grades.closed_sets_stay(store):
        for rubric in rubrics:
            versions = rubric.versions()
            if not dry_run:
                rubric_versions.register(store, rubric, "import")
            mine = (grade for grade in grades if grade.criterion in versions)
            # Compared and stored in turns: a batch is read once the one before is in the database.
            compared = _compared(store, rubric, mine, ids)
            while batch := list(islice(compared, _BATCH)):
                rows, distributions = [], {}
                place = imports.last_id(store, "grades") + 1
                for grade, is_now, item_id, known in batch:
                    if is_now == "same":
                        repeated.append(known["id"])
                    elif is_now == "changed" and not replaces:
                        conflicts.append(_difference(grade, known))
                    else:
                        count[is_now == "new"] += 1
                        if dry_run:
                            continue
                        if item_id is None:
                            raise Problem("The sheet changed in the meantime. Repeat the import.")
                        grader = grade.grader_kind, grade.grader
                        if grader not in grader_ids:
                            grader_ids[grader] = _grader_id(store, grade)
                        if grade.distribution:
                            distributions[place + len(rows)] = grade.distribution
                        row = (
                            *(getattr(grade, name) for name in _FIELDS),
                            *(item_id, grade.unit, versions[grade.criterion], grader_ids[grader]),
                            *(known and known["id"], "replaced by an import" if known else ""),
                            stamp,
                        )
                        rows.append(row)
                store.insert_many("grades", _COLUMNS, rows)
                stored_grades.keep_distributions(store, distributions)
    return Comparison(count[True], count[False], conflicts, repeated)


def _difference(grade: Grade, known: Mapping[str, Any]) -> BadRow:
    """Say that a grade of a file differs from the stored one."""
    before, here = (
        status if score is None else f"{score:g}"
        for status, score in ((known["status"], known["score"]), (grade.status, grade.score))
    )
    problem = said(
        "{grader} graded {criterion} with {before} in the database and {here} in the file.",
        grader=grade.grader,
        criterion=grade.criterion,
        before=before,
        here=here,
        fault_code="another_grade",
    )
    return BadRow(grade.row, grade.column or "score", problem)


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
                known[kind, name] = _named(store, graders.stored_kind(kind), name)
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


def _named(store: Store, kind: str, name: str) -> Grader | None:
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
    known = _named(store, stored, grade.grader)
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
