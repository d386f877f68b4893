"""Campaign progress: blocks of annotators, what is graded or reassigned, and the frozen rubric."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from concord.clock import day_of
from concord.grading import annotators, assignments, campaigns, regrades
from concord.grading.assignments import SetAnswer
from concord.grading.campaigns import LeftBlocks
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, joined, said
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.planning import pilot
from concord.reports.workflow import regrade
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text.display import end_cut

# Columns of text in the table: a cell cuts what is too long for it through a letter.
_QUESTION, _ANSWER = 25, 47


def freeze(store: Store, grading_set: GradingSet) -> dict[str, Any]:
    """Return the freeze of a set, or what one would change.

    `at` and `by` are None where it is not frozen. `changed` are criteria until the freeze, or until
    now, and `since` those after it, with the `grades` that the new wording leaves behind.
    """
    held = rubric_versions.freeze_of(store, grading_set.id)
    own = newest = rubric_versions.get(store, grading_set.rubric_id)
    if not regrades.is_one(store, grading_set.id):  # such a set has one criterion of a rubric
        _, newest = rubric_versions.named(store, own.name)
    later = rubric_versions.changes(own, newest)
    known = newest.versions()  # a criterion that is there no more has no grades to be given again
    since = {
        name: len(regrade.outstanding(store, newest, name)) if name in known else 0
        for name in (later if held else ())
    }
    return {
        "rubric": own.name,
        "at": held and held.created_at,
        "by": held and held.frozen_by,
        "changed": [*(held.changed if held else later)],
        "since": [{"criterion": name, "grades": n} for name, n in since.items()],
    }


def document(frozen: Mapping[str, Any]) -> Document:
    """Return what is shown of a freeze: what was reworded before, and what later edits leave."""
    headline = said("The rubric {rubric} is not frozen yet.", rubric=frozen["rubric"])
    if frozen["at"]:
        day = day_of(frozen["at"])
        headline = said("Frozen on {day} by {name}.", day=day, name=frozen["by"])
    changed = ", ".join(frozen["changed"])
    parts = (
        ("criterion", lambda one: one["criterion"]),
        (Column("grades to regrade", "count"), lambda one: one["grades"]),
    )
    return Document(
        headline,
        facts=(f"Reworded since the set was made: {changed}.",) if changed else (),
        tables=(table_of("since", frozen["since"], parts, "Reworded since"),),
    )


def progress(
    store: Store, grading_set: GradingSet, piloted: dict | None = None, **changed: Any
) -> dict[str, Any]:
    """Return the assignment of a set, with what was just `changed`: moved, left, assigned.

    Blocks count from 1. Of an annotator: blocks, answers done of those assigned, whether removed
    from the set, and since when paused.
    """
    arranged = campaigns.find(store, grading_set.id)
    versions = list(rubric_versions.get(store, grading_set.rubric_id).versions().values())
    everyone = assignments.everyone(store, grading_set.id) if arranged else ()
    own: dict[int, list[int]] = {person: [] for person in everyone}
    for seat, person in campaigns.taken(store, grading_set.id).items():
        if person is not None:
            own[person].append(seat.block)
    rows = []
    for person, blocks in own.items():
        done, of = assignments.done(store, grading_set, person, versions)
        rows.append(
            {
                "name": graders.get(store, person).name,
                "blocks": _from_one(blocks),
                "done": done,
                "of": of,
                "removed": campaigns.has_left(store, grading_set, person),
                "paused": annotators.paused_since(store, person),
            }
        )
    return {
        "annotators": sorted(rows, key=lambda row: row["name"].casefold()),
        "unassigned": _from_one(campaigns.unassigned(store, grading_set.id)),
        "until": arranged.deadline if arranged else None,
        "frozen": freeze(store, grading_set),
        "pilot": piloted,
        **changed,
    }


def assigned(blocks: Sequence[int], to: str) -> Said:
    """Return the sentence on who has blocks now, counted from 1."""
    return said("Now assigned to {to}: block {blocks}.", blocks=_listed(sorted(blocks)), to=to)


def departure(store: Store, name: str, left: LeftBlocks) -> dict[str, Any]:
    """Return what became of the blocks of an annotator who left, counted from 1.

    `moved` others grade now, `unassigned` none could take; `begun` were not finished, and their
    ungraded answers are unassigned.
    """
    given: dict[str, list[int]] = {}
    for seat, person in left.given.items():
        given.setdefault(graders.get(store, person).name, []).append(seat.block)
    return {
        "name": name,
        "moved": [{"to": to, "blocks": _from_one(blocks)} for to, blocks in given.items()],
        "unassigned": _from_one(left.unassigned),
        "begun": _from_one(left.begun),
    }


def has_left(name: str) -> Said:
    """Return that an annotator has left a set."""
    return said("{name} has left the set.", name=name)


def documents(found: Mapping[str, Any]) -> Iterator[Document]:
    """Yield what is shown: the progress, the freeze where there is any, the pilot if asked for."""
    rows = found["annotators"]
    parts = (
        ("annotator", lambda row: row["name"]),
        (Column("graded", "count"), lambda row: row["done"]),
        (Column("assigned", "count"), lambda row: row["of"]),
        ("blocks", lambda row: _listed(row["blocks"])),
        ("state", _state),
    )
    gone, tables = found["left"], [table_of("annotators", rows, parts, sparse=True)]
    if gone and (gone["moved"] or gone["unassigned"]):
        left = [(_listed(one["blocks"]), one["to"]) for one in gone["moved"]]
        left += [(_listed(gone["unassigned"]), "unassigned")] if gone["unassigned"] else []
        heads = (Column("blocks"), Column("now assigned to"))
        tables.insert(0, Table("left", heads, tuple(left), f"Blocks of {gone['name']}"))
    done, of = (sum(row[key] for row in rows) for key in ("done", "of"))
    headline = said("{done:,} of {of:,} assigned answers are graded.", done=done, of=of)
    yield Document(
        headline if rows else "No block of this set is assigned to an annotator.",
        facts=tuple(_facts(found, done < of)),
        tables=tuple(tables),
    )
    if found["frozen"]["at"] or found["frozen"]["changed"]:
        yield document(found["frozen"])
    if found["pilot"]:
        yield pilot.document(found["pilot"])


def _state(row: Mapping[str, Any]) -> str:
    """Return that an annotator was removed or is paused; '' for one who grades."""
    if row["removed"]:
        return "left the set"
    return said("paused since {day}", day=day_of(row["paused"])) if row["paused"] else ""


def _facts(found: Mapping[str, Any], is_open: bool) -> Iterator[str]:
    """Yield what was just changed, the due date, and what no annotator has."""
    moved, gone, single = found["moved"], found["left"], found["assigned"]
    if moved:
        yield assigned([moved["block"]], moved["to"])
    if moved and moved["graded"]:
        yield said("{n:,} grades of {name} stay.", n=moved["graded"], name=moved["from"])
    if gone:
        yield has_left(gone["name"])
    if gone and gone["begun"]:
        blocks = _listed(gone["begun"])
        yield said("Move the blocks that were begun: {blocks}.", blocks=blocks)
    if single:
        yield said(
            "Answer {item} taken back from {name}."
            if single["taken_back"]
            else "Answer {item} assigned to {name}.",
            **single,
        )
    if found["until"]:
        past = campaigns.is_past(found["until"]) and (found["unassigned"] or is_open)
        day = day_of(found["until"])
        yield said("Overdue since {day}." if past else "Due on {day}.", day=day)
    if found["unassigned"]:
        blocks = _listed(found["unassigned"])
        yield said("Blocks with an unassigned place: {blocks}.", blocks=blocks)


def _from_one(blocks: Sequence[int]) -> list[int]:
    return [block + 1 for block in sorted(blocks)]


def _listed(blocks: Sequence[int]) -> str:
    return joined(", ", map(str, blocks))


def table(found: Sequence[SetAnswer]) -> Table:
    """Return the answers of a set, with who has each and who graded it."""
    parts = (
        ("item", "own_id"),
        (Column("block", "count"), lambda one: one.block + 1),
        ("assigned to", lambda one: joined(", ", one.assigned)),
        ("graded by", lambda one: joined(", ", one.graded)),
        ("question", lambda one: end_cut(one.question, _QUESTION)),
        ("answer", lambda one: end_cut(one.answer, _ANSWER)),
    )
    return table_of("answers", found, parts)
