"""Rubric freeze: what changed of a set's rubric until it was frozen, and what later edits leave."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from concord.clock import day_of
from concord.grading import regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, joined, said
from concord.reports.document import OPTIONAL, Cell, Column, Document, Table, table_of
from concord.reports.workflow import grades_left, regrade
from concord.rubrics.model import OF_ANSWERS, Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class Wording:
    """A criterion version: question, meaning of each score, what is shown with the answer."""

    question: str
    meanings: Mapping[str, str]
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A criterion that was changed, added (without `old`) or removed (without `new`).

    After a freeze `grades` are those that the new wording leaves behind, also as a `sentence`.
    """

    criterion: str
    old: Wording | None
    new: Wording | None
    grades: int | None = field(default=None, metadata=OPTIONAL)
    sentence: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class Freeze:
    """The freeze of a set's rubric; `at` and `by` are None where it is not frozen.

    `changed` are criteria until the freeze, or until now, and `since` those after it.
    """

    rubric: str
    at: str | None
    by: str | None
    changed: tuple[Change, ...]
    since: tuple[Change, ...]


def freeze(store: Store, grading_set: GradingSet) -> Freeze:
    """Return the freeze of a set, or what one would change."""
    held = rubric_versions.freeze_of(store, grading_set.id)
    own = rubric_versions.get(store, grading_set.rubric_id)
    newest = own
    if not regrades.is_one(store, grading_set.id):  # such a set has one criterion of a rubric
        _, newest = rubric_versions.named(store, own.name)
    later = rubric_versions.changes(own, newest)
    since = []
    for one in _listed(store, later, newest, own) if held else ():
        left = ()
        # A criterion that is there no more has no grades to be given again.
        if one.criterion in newest.versions():
            left = regrade.outstanding(store, newest, one.criterion)
        since.append(replace(one, grades=len(left), sentence=grades_left.sentence(left)))
    return Freeze(
        rubric=own.name,
        at=held and held.created_at,
        by=held and held.frozen_by,
        changed=_listed(store, held.changed if held else later, newest, own),
        since=tuple(since),
    )


def document(found: Freeze) -> Document:
    """Return what is shown of a freeze: every change before it, and what later edits leave."""
    changed = map(Column, (said("criterion"), said("part"), said("before"), said("after")))
    since = (
        (Column(said("criterion")), lambda one: one.criterion),
        (Column(said("grades to regrade"), "count"), lambda one: one.grades),
    )
    same = said(
        "The wording had not changed since the set was made."
        if found.at
        else "The wording has not changed since the set was made."
    )
    return Document(
        said(
            "The rubric {rubric} was frozen on {day} by {name}."
            if found.at
            else "The rubric {rubric} is not frozen yet.",
            rubric=found.rubric,
            day=found.at and day_of(found.at),
            name=found.by,
        ),
        facts=() if found.changed else (same,),
        tables=(
            Table(
                "changed",
                tuple(changed),
                tuple(row for one in found.changed for row in difference(one)),
                said("Changes of the wording"),
            ),
            table_of("since", found.since, since, said("Reworded after the freeze")),
        ),
    )


def difference(one: Change) -> list[tuple[Cell, ...]]:
    """Return the rows of a changed criterion: its name, the part, old and new wording."""
    name, old, new = one.criterion, one.old, one.new
    if old is None or new is None:
        return [(name, said("question"), old and old.question, new and new.question)]
    parts = {said("question"): (old.question, new.question)}
    parts |= {
        score: (old.meanings.get(score), new.meanings.get(score))
        for score in {**old.meanings, **new.meanings}
    }
    parts[said("what is shown with the answer")] = _shown(old), _shown(new)
    changed = [(name, part, *words) for part, words in parts.items() if words[0] != words[1]]
    return changed or [(name, None, None, None)]  # the words for the scores of units


def _shown(wording: Wording) -> Said | None:
    return joined(", ", (OF_ANSWERS.get(part, part) for part in wording.shown)) or None


def _listed(store: Store, changed: rubric_versions.Changed, *rubrics: Rubric) -> tuple[Change, ...]:
    """Return the changes; the first of the rubrics that has a criterion names it."""
    found = []
    for name, versions in changed.items():
        old, new = (rubric_versions.wording_of(store, version) for version in versions)
        title = next((rubric.named(name) for rubric in rubrics if name in rubric.versions()), name)
        found.append(Change(title, old and Wording(**old), new and Wording(**new)))
    return tuple(found)
