"""Import of grades made elsewhere: the effect as a preview, and storing them."""

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem, on_command_line, said
from concord.model import Distribution, Grade, Grader
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
    """Effect of an import of grades: how many are new, stored already, and of both, renewed.

    `changed` are those that differ from the stored, `conflicts` the same in words. `repeated` are
    the ids of stored grades that are unchanged. `renewed` are grades that replace the grader's own
    from before `Grade.since`.
    """

    new: int
    unchanged: int
    changed: list[Grade]
    conflicts: list[Difference]
    renewed: int
    repeated: Sequence[int] = ()


class _Current(NamedTuple):
    id: int
    status: str
    score: float | None
    created_at: str
    probabilities: tuple[str, float | None] | None


class _Kind(Enum):
    """What a grade of a file is to the stored ones."""

    NEW, SAME, RENEWED, CHANGED = range(4)


def compare(store: Store, rubric: Rubric, grades: Iterable[Grade], ids: Ids) -> Comparison:
    """Tell new grades, those stored already, and those that differ from the stored.

    Args:
        store: The open store.
        rubric: The rubric whose criterion versions the grades are under.
        grades: Valid grades; those of an item that `ids` does not know are new.
        ids: Item ids by the keys of the grades.
    """
    labels = {level.score: str.__str__(level.label) for level in rubric.criteria[0].levels}
    count, changed, conflicts, repeated = Counter(), [], [], array("q")
    for kind, grade, _, known in _sorted(store, rubric, grades, ids):
        count[kind] += 1
        if kind is _Kind.SAME:
            repeated.append(known.id)
        elif kind is _Kind.CHANGED:
            changed.append(grade)
            problem = _sentence(grade, known, labels)
            conflicts.append(Difference(grade.row, grade.column or "score", problem))
    new, renewed = count[_Kind.NEW], count[_Kind.RENEWED]
    return Comparison(new, len(repeated), changed, conflicts, renewed, repeated)


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
    left = {_Kind.SAME} if replacing else {_Kind.SAME, _Kind.CHANGED}
    versions, graders_known = rubric.versions(), {}
    with store.write():
        stamp = now()
        found = _sorted(store, rubric, grades, ids)
        # Compared and stored in turns: the next batch is read once this one is in the database.
        while batch := list(islice(found, _BATCH)):
            _insert(
                store,
                [
                    (
                        grade.distribution,
                        (
                            item_id,
                            grade.unit,
                            versions[grade.criterion],
                            _grader_id(store, grade, graders_known),
                            grade.status,
                            grade.score,
                            grade.label,
                            grade.reason,
                            grade.quote,
                            grade.marked_passages,
                            grade.seconds,
                            grade.rubric_language,
                            grade.repeat,
                            None if grade.blind is None else int(grade.blind),
                            known.id if known else None,
                            why if known else "",
                            stamp,
                        ),
                    )
                    for kind, grade, item_id, known in batch
                    if kind not in left
                ],
            )


def _insert(store: Store, rows: Sequence[tuple[Distribution | None, tuple]]) -> None:
    """Insert grades, each with its distribution where it has one."""
    plain = [values for found, values in rows if found is None]
    store.insert_many("grades", _COLUMNS, plain)
    given = {
        store.insert("grades", **dict(zip(_COLUMNS, values, strict=True))): found
        for found, values in rows
        if found is not None
    }
    if given:
        stored_grades.keep_distributions(store, given)


_COLUMNS = (
    *("item_id", "unit_id", "version", "grader_id", "status", "score", "label", "reason", "quote"),
    *("marked_passages", "seconds", "rubric_language", "repeat", "blind", "supersedes", "why"),
    "created_at",
)


def _sorted(
    store: Store, rubric: Rubric, grades: Iterable[Grade], ids: Ids
) -> Iterator[tuple[_Kind, Grade, int | None, _Current | None]]:
    """Yield each grade with what it is, the id of its item and the stored grade of its slot."""
    stored, rest = _Stored(store, rubric), iter(grades)
    while batch := list(islice(rest, _BATCH)):
        keys = {grade.item_key for grade in batch}
        known_ids = ids(keys)
        of_key = {key: known_ids.get(key) for key in keys}
        current = stored.of(batch, of_key)
        for grade in batch:
            item_id = of_key.get(grade.item_key)
            known = current.get((item_id, *grade.slot[1:]))
            yield _kind(grade, known), grade, item_id, known


def _kind(grade: Grade, known: _Current | None) -> _Kind:
    if known is None or known.status == "withdrawn":
        return _Kind.NEW
    if (known.status, known.score) == (grade.status, grade.score):
        found = grade.distribution
        if found is None or known.probabilities == (found.as_json(), found.outside):
            return _Kind.SAME
        if known.probabilities is None:  # the same grade, with what was not known of it
            return _Kind.RENEWED
    return _Kind.RENEWED if known.created_at <= grade.since else _Kind.CHANGED


class _Stored:
    """The stored grades that count for a rubric, a batch of a file at a time."""

    def __init__(self, store: Store, rubric: Rubric):
        self._store, self._units = store, bool(rubric.units)
        self._criteria = rubric_versions.criteria(store, rubric)
        self._graders: dict[tuple[str, str], int | None] = {}

    def of(self, grades: Sequence[Grade], ids: Mapping[str, int | None]) -> dict[tuple, _Current]:
        """Return the stored current grade of every slot of the graders and items in `grades`.

        Includes grades under a merged name, or under versions that count for the rubric's.
        """
        names = defaultdict(list)
        for kind, name in {(grade.grader_kind, grade.grader) for grade in grades}:
            names[self._grader(kind, name)].append((kind, name))
        names.pop(None, None)
        wanted = {
            "graders": json.dumps([*names]),
            "versions": json.dumps([*self._criteria]),
            "items": json.dumps([*ids.values()]),
            "units": self._units,
        }
        found = {}
        order = {version: place for place, version in enumerate(self._criteria)}
        rows = self._store.rows(_STANDING, wanted) if names else []
        for row in sorted(rows, key=lambda one: order[one["version"]]):
            given = row["probabilities"] and (row["probabilities"], row["outside"])
            current = _Current(row["id"], row["status"], row["score"], row["created_at"], given)
            for kind, name in names[row["grader_id"]]:
                criterion = self._criteria[row["version"]]
                slot = (row["item_id"], criterion, kind, name, row["repeat"], row["unit_id"])
                found[slot] = current
        return found

    def _grader(self, kind: str, name: str) -> int | None:
        if (kind, name) not in self._graders:
            grader = named(self._store, graders.stored_kind(kind), name)
            self._graders[kind, name] = grader.id if grader else None
        return self._graders[kind, name]


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


def _grader_id(store: Store, grade: Grade, found: dict[tuple[str, str], int]) -> int:
    """Return the id of a grade's grader; a name with stored grades keeps its fingerprint.

    `found` are the ids by kind and name so far, to which it is added.
    """
    kind, name = grade.grader_kind, grade.grader
    if (kind, name) in found:
        return found[kind, name]
    stored, is_mean = graders.stored_kind(kind), kind == graders.MEAN
    known = named(store, stored, name)
    if known:
        _check_mean(known, is_mean)
    if known and known.simulated != grade.simulated:
        raise Problem(
            "The {kind} “{name}” is simulated in the database but not in the file. Give the "
            "file's grader another name."
            if known.simulated
            else "The {kind} “{name}” is real in the database but simulated in the file. Give "
            "the file's grader another name.",
            kind=graders.KINDS[stored],
            name=name,
            fault_code="another_kind",
        )
    definition = {"mean": True} if is_mean else None
    found[kind, name] = (
        known.id
        if known
        else graders.ensure(store, stored, name, "", definition, simulated=grade.simulated)
    )
    return found[kind, name]


def _check_mean(known: Grader, is_mean: bool) -> None:
    """A Problem where one name is an annotator and the mean of several."""
    if known.is_mean == is_mean:
        return
    raise Problem(
        "“{name}” is the mean of several annotators in the database and one annotator in the file. "
        "Rename one of them, or import both as the kind “mean of annotators”{on_command_line}."
        if known.is_mean
        else "“{name}” is one annotator in the database and the mean of several in the file. Give "
        "the mean another name.",
        name=known.name,
        on_command_line=on_command_line("mean"),
        fault_code="another_kind",
    )


def _sentence(grade: Grade, known: _Current, labels: dict[int, str]) -> str:
    before, here = (_grade_text(one.status, one.score, labels) for one in (known, grade))
    return said(
        "{grader} graded {criterion} with {before} in the database and {here} in the file.",
        grader=grade.grader,
        criterion=grade.criterion,
        before=before,
        here=here,
        fault_code="another_grade",
    )


def _grade_text(status: str, score: float | None, labels: dict[int, str]) -> str:
    return status if score is None else labels.get(score) or f"{score:g}"
