"""Campaign progress: who of a grading set is how far, against the due date and the others."""

from collections.abc import Mapping, Sequence
from typing import Any

from concord.clock import day_of
from concord.grading import adjudications, annotators, assignments, campaigns, grading_sets
from concord.grading.annotators import state_of
from concord.grading.campaigns import LeftBlocks
from concord.grading.grading_sets import GradingSet
from concord.messages import counted, day, joined
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.panel import read
from concord.reports.reliability import annotator_alerts
from concord.stats.reliability.annotator_alerts import AGREEMENT
from concord.store import graders, sheets
from concord.store.database import Store
from concord.store.graders import EXCLUDED, INCLUDED
from concord.store.rubrics import rubric_versions


def signs(store: Store, grading_set: GradingSet) -> dict[int, dict[str, Any]]:
    """Return what the annotators' grades under the set's rubric show, by grader id."""
    sheet = next(one for one in sheets.all_sheets(store) if one.id == grading_set.sheet_id)
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return annotator_alerts.measured_signs(store, read(store, sheet, rubric).choosing())


def rows(
    store: Store, grading_set: GradingSet, measured: Mapping[int, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return each annotator of a set by name; `measured` is from `signs`.

    Blocks count from 1. `ahead` is answers ahead of an even pace to the due date, below 0 behind,
    None without one or in a closed set; `agreement` the share of scores equal to others', `bias`
    points above them; `alerts` the codes of open ones; `state` whether the grades count, and `why`.
    """
    held = campaigns.find(store, grading_set.id)
    closed = grading_sets.closing(store, grading_set.id)
    versions = list(rubric_versions.get(store, grading_set.rubric_id).versions().values())
    states = graders.annotator_states(store, grading_set.sheet_id)
    own: dict[int, list[int]] = {}
    for seat, person in campaigns.taken(store, grading_set.id).items():
        own.setdefault(person, []).append(seat.block + 1)
    found = []
    for person in assignments.everyone(store, grading_set.id):
        who, sign = graders.get(store, person), measured.get(person, {})
        done, of = assignments.done(store, grading_set, person, versions)
        removed, decided = campaigns.has_left(store, grading_set, person), states.get(person)
        equal = [part.own for part in sign.get("signals", ()) if part.figure == AGREEMENT]
        found.append(
            {
                "name": who.name,
                "grader_id": person,
                "blocks": sorted(own.get(person, ())),
                "done": done,
                "of": of,
                "ahead": campaigns.ahead(done, of, held.since, held.deadline)
                if held and not (removed or closed)
                else None,
                "agreement": equal[0] if equal else None,
                "bias": sign.get("bias"),
                "alerts": [one.code for one in sign.get("alerts", ()) if not one.accepted]
                if state_of(who, states) != EXCLUDED
                else [],
                "state": state_of(who, states),
                "why": decided.why if decided else "",
                "removed": removed,
                "paused": annotators.paused_since(store, person),
                "to_adjudicate": adjudications.left_of(store, person, grading_set.sheet_id),
            }
        )
    return sorted(found, key=lambda row: row["name"].casefold())


def progress(store: Store, grading_set: GradingSet, **changed: Any) -> dict[str, Any]:
    """Return the progress of a set, with what was just `changed`: moved, left."""
    held = campaigns.find(store, grading_set.id)
    return {
        "annotators": rows(store, grading_set, signs(store, grading_set)),
        "unassigned": [one + 1 for one in campaigns.unassigned(store, grading_set.id)],
        "until": held.deadline if held else None,
        "closed": grading_sets.closing(store, grading_set.id),
        **changed,
    }


def headline(found: Sequence[Mapping[str, Any]]) -> str:
    """Return how much is done, and who is behind or needs a look."""
    if not found:
        return "Nobody has begun this set or was assigned to it."
    done, of = (sum(row[key] for row in found) for key in ("done", "of"))
    text = f"{done:,} of {of:,} assignments done"
    for names, what in (
        ([row["name"] for row in found if (row["ahead"] or 0) < 0], "behind"),
        ([row["name"] for row in found if row["alerts"]], "to look at"),
    ):
        text += f"; {what}: {', '.join(names)}" if names else ""
    return text


def people(found: Sequence[Mapping[str, Any]]) -> Table:
    """Return the table of a set's annotators, without the columns in which nobody has anything."""
    parts = (
        ("annotator", lambda row: row["name"]),
        ("done", lambda row: f"{row['done']:,} of {row['of']:,}"),
        ("due date", _pace),
        (Column("agreement", "share", "exact"), lambda row: row["agreement"]),
        (Column("bias", "difference", "strictness"), lambda row: row["bias"]),
        (Column("alert", help="annotator alerts"), lambda row: ", ".join(row["alerts"])),
        ("grades count", _state),
        ("blocks", lambda row: _listed(row["blocks"])),
    )
    return table_of("annotators", found, parts, sparse=True)


def _pace(row: Mapping[str, Any]) -> str:
    if row["ahead"] is None:
        return ""
    if row["done"] >= row["of"]:
        return "done"
    ahead = row["ahead"]
    return f"{abs(ahead):,} {'behind' if ahead < 0 else 'ahead'}" if ahead else "on time"


def _state(row: Mapping[str, Any]) -> str:
    """Return whether an annotator's grades count, and what keeps one from grading."""
    state = row["state"] if row["state"] != INCLUDED or row["why"] else ""
    parts = [f"{state}: {row['why']}" if row["why"] else state]
    parts += ["left the set"] if row["removed"] else []
    parts += ["paused since " + day(row["paused"])] if row["paused"] else []
    left = row["to_adjudicate"]
    parts += [counted(left, "answer") + " to adjudicate"] if left else []
    return "; ".join(filter(None, parts))


def assigned(blocks: Sequence[int], to: str) -> str:
    """Return the sentence on who has blocks now, counted from 1."""
    return joined(" ", ["Reassigned:", "block", _listed(sorted(blocks)), to])


def departure(name: str, left: LeftBlocks) -> dict[str, Any]:
    """Return what became of the blocks of an annotator who left, counted from 1.

    `moved` others grade now, `unassigned` none could take; `begun` were not finished, and their
    ungraded answers are unassigned.
    """
    moved = (seat.block for seat in left.given)
    blocks = {"moved": moved, "unassigned": left.unassigned, "begun": left.begun}
    return {"name": name} | {key: sorted(one + 1 for one in of) for key, of in blocks.items()}


def departed(left: Mapping[str, Any]) -> str:
    """Return that an annotator has left a set, and what others grade now."""
    return assigned(left["moved"], "") if left["moved"] else left["name"] + " has left the set."


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of a set's progress and of what was just changed."""
    moved, left, closed = (found[key] for key in ("moved", "left", "closed"))
    facts = [assigned(moved["blocks"], moved["to"])] if moved else []
    facts += [departed(left)] if left else []
    if left and left["begun"]:
        facts.append("Move the blocks that were begun: " + _listed(left["begun"]))
    if found["until"]:
        facts.append("Due on " + day(found["until"]))
    if found["unassigned"]:
        facts.append(f"Blocks with an unassigned place: {_listed(found['unassigned'])}.")
    if closed:
        facts.append("Closed on " + day(closed.since))
    rows = found["annotators"]
    return Document(headline(rows), tuple(facts), (people(rows),))


def reminder(row: Mapping[str, Any], title: str, until: str | None, link: str) -> str:
    """Return a text that reminds an annotator of what is left."""
    left = counted(row["of"] - row["done"], "answer")
    due = f" ({day_of(until)})" if until else ""
    return f"{row['name']}, please grade what is left of “{title}”{due}, {left}: {link}"


def _listed(blocks: Sequence[int]) -> str:
    return ", ".join(map(str, blocks))
