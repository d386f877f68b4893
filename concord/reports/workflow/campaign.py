"""Campaign progress: blocks of annotators, what is graded or reassigned, and the frozen rubric."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from concord.clock import day_of
from concord.grading import annotators, assignments, campaigns, regrades
from concord.grading.assignments import SetAnswer
from concord.grading.campaigns import LeftBlocks
from concord.grading.grading_sets import GradingSet
from concord.reports.document import Column, Document, Table, table_of
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
    headline = f"The rubric {frozen['rubric']} is not frozen yet."
    if frozen["at"]:
        headline = f"Frozen on {day_of(frozen['at'])} by {frozen['by']}."
    changed = ", ".join(frozen["changed"])
    rows = tuple((one["criterion"], one["grades"]) for one in frozen["since"])
    heads = Column("criterion"), Column("grades to regrade", "count")
    return Document(
        headline,
        (f"Reworded since the set was made: {changed}.",) if changed else (),
        (Table("since", heads, rows, "Reworded since"),),
    )


def progress(store: Store, grading_set: GradingSet, **changed: Any) -> dict[str, Any]:
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
        **changed,
    }


def assigned(blocks: Sequence[int], to: str) -> str:
    """Return the sentence on who has blocks now, counted from 1."""
    return f"Now assigned to {to}: block {_listed(sorted(blocks))}."


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


def departed(left: Mapping[str, Any]) -> list[str]:
    """Return that an annotator has left a set, and who has the blocks now, as sentences."""
    given = [assigned(one["blocks"], one["to"]) for one in left["moved"]]
    return [f"{left['name']} has left the set.", *given]


def documents(found: Mapping[str, Any]) -> Iterator[Document]:
    """Yield what is shown: the progress and the freeze where there is any."""
    rows, moved, left = (found[key] for key in ("annotators", "moved", "left"))
    parts = (
        ("annotator", lambda row: row["name"]),
        (Column("graded", "count"), lambda row: row["done"]),
        (Column("assigned", "count"), lambda row: row["of"]),
        ("blocks", lambda row: _listed(row["blocks"])),
        ("state", _state),
    )
    done, of = (sum(row[key] for row in rows) for key in ("done", "of"))
    facts = [assigned([moved["block"]], moved["to"])] if moved else []
    if moved and moved["graded"]:
        facts.append(f"{moved['graded']:,} grades of {moved['from']} stay.")
    facts += departed(left) if left else []
    if left and left["begun"]:
        facts.append(f"Move the blocks that were begun: {_listed(left['begun'])}.")
    if single := found["assigned"]:
        what = "taken back from" if single["taken_back"] else "assigned to"
        facts.append(f"Answer {single['item']} {what} {single['name']}.")
    if found["until"]:
        past = campaigns.is_past(found["until"]) and (found["unassigned"] or done < of)
        facts.append(f"{'Overdue since' if past else 'Due on'} {day_of(found['until'])}.")
    if found["unassigned"]:
        facts.append(f"Blocks with an unassigned place: {_listed(found['unassigned'])}.")
    headline = "No block of this set is assigned to an annotator."
    if rows:
        headline = f"{done:,} of {of:,} assigned answers are graded."
    yield Document(headline, tuple(facts), (table_of("annotators", rows, parts, sparse=True),))
    if found["frozen"]["at"] or found["frozen"]["changed"]:
        yield document(found["frozen"])


def _state(row: Mapping[str, Any]) -> str:
    """Return that an annotator was removed or is paused; '' for one who grades."""
    if row["removed"]:
        return "left the set"
    return f"paused since {day_of(row['paused'])}" if row["paused"] else ""


def _from_one(blocks: Sequence[int]) -> list[int]:
    return [block + 1 for block in sorted(blocks)]


def _listed(blocks: Sequence[int]) -> str:
    return ", ".join(map(str, blocks))


def table(found: Sequence[SetAnswer]) -> Table:
    """Return the answers of a set, with who has each and who graded it."""
    parts = (
        ("item", "own_id"),
        (Column("block", "count"), lambda one: one.block + 1),
        ("assigned to", lambda one: ", ".join(one.assigned)),
        ("graded by", lambda one: ", ".join(one.graded)),
        ("question", lambda one: end_cut(one.question, _QUESTION)),
        ("answer", lambda one: end_cut(one.answer, _ANSWER)),
    )
    return table_of("answers", found, parts)
