"""Annotator cards: progress, alerts and signals of each annotator of a sheet; for leads.

Cards are in the order of names, never ranked.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from concord.clock import day_of
from concord.grading import adjudications, annotators, assignments, campaigns, grading_sets
from concord.grading.annotators import state_of
from concord.messages import joined, said
from concord.reports.cells import written
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.reliability.annotator_alerts import has_open
from concord.stats.core.minimums import ANSWERS_FLOOR
from concord.stats.reliability.annotator_alerts import AGREEMENT, DRIFT, GOLD, REPEATS, Part
from concord.store import graders
from concord.store.database import Store
from concord.store.graders import EXCLUDED, INCLUDED, PENDING
from concord.store.rubrics import rubric_versions

_FIGURES = {
    AGREEMENT: "Agreement with the other annotators, exact",
    GOLD: "Gold items, exact",
    REPEATS: "Hidden repeats, same score",
    DRIFT: "Drift, points",
}
_STANDING = {
    EXCLUDED: "Excluded by {who} on {day}: {why}",
    PENDING: "Pending: fewer than 10 graded answers, which do not count in any figure yet.",
    INCLUDED: "Included by {who} on {day}: {why}",
}
_MEANING = "An alert is a reason to read the answers. It excludes no grade."
_REQUIREMENT = said(
    "Alerts need {n} graded answers of an annotator, shared with two others, or gold items.",
    n=ANSWERS_FLOOR,
)
NO_SIGNS = {"tested": 0, "p": None, "alerts": [], "note": None, "bias": None, "signals": []}
Card = Mapping[str, Any]


def cards(store: Store, panel: Panel, signs: Mapping[int, Mapping[str, Any]]) -> list[Card]:
    """Return a card per annotator who graded the sheet or was given a set of it.

    `signs` are from `annotator_alerts.measured_signs`. `state` is whether the grades count on this
    sheet, `decided` by whom, when and why; `paused` is since when, None while they grade;
    `to_adjudicate` counts the answers of the sheet that they have still to adjudicate.
    """
    progress = _progress(store, panel.sheet.id)
    people = {i: one for i, one in panel.persons.items() if not one.is_mean}
    people |= {one: graders.get(store, one) for one in progress if one not in people}
    return [
        {
            "annotator": one.name,
            "grader_id": one.id,
            "simulated": one.simulated,
            "progress": progress.get(one.id, []),
            **signs.get(one.id, NO_SIGNS),
            "paused": annotators.paused_since(store, one.id),
            "to_adjudicate": adjudications.left_of(store, one.id, panel.sheet.id),
            "state": state_of(one, panel.states),
            "decided": panel.states.get(one.id),
        }
        for one in sorted(people.values(), key=lambda one: (one.name.casefold(), one.id))
    ]


def headline(cards: Sequence[Card]) -> Document:
    """Return who needs a look, and what alerts mean or take."""
    names = [name_of(card) for card in cards if has_open(card)]
    tested = any(card["tested"] for card in cards)
    text = "No alert is open" if tested else "No alert can be computed yet"
    if names:
        text = f"{len(names)} annotators need a look: {', '.join(names)}"
    if len(names) == 1:
        text = f"{names[0]} needs a look: an alert is open"
    return Document(text, (_MEANING if tested else _REQUIREMENT,))


def document(card: Card) -> Document:
    """Return a card: what was decided, progress, alerts and a shift, and the signals."""
    paused = [said("Paused since {day}.", day=day_of(card["paused"]))] if card["paused"] else []
    told = (*standing(card), *map(_done, card["progress"]), *to_adjudicate(card), *paused)
    tables = (signals(card),) if card["signals"] else ()
    return Document(name_of(card), (*told, *sentences(card)), tables)


def name_of(card: Card) -> str:
    """Return the name of the annotator of a card, as it is shown."""
    return named(card["annotator"], card["simulated"])


def sentences(card: Card) -> list[str]:
    """Return the alerts, and a shift of every score, which is none."""
    alerts = [alert.sentence for alert in card["alerts"]]
    return [*alerts, card["note"]["sentence"]] if card["note"] else alerts


def signals(card: Card) -> Table:
    """Return agreement, gold items, hidden repeats and drift, with the others'."""

    def cell(row: Part, value: float | None) -> str | None:
        kind = "difference" if row.figure == DRIFT else "share"
        return None if value is None else written(value, kind)

    parts = (
        ("figure", lambda row: _FIGURES[row.figure]),
        (Column("n", "count"), "n"),
        (Column("annotator", help="annotator alerts"), lambda row: cell(row, row.own)),
        ("others", lambda row: cell(row, row.others)),
    )
    return table_of("signals", [r for r in card["signals"] if r.n and r.own is not None], parts)


def standing(card: Card) -> list[str]:
    """Return whether the grades count where somebody decided, or they do not count yet."""
    one = card["decided"]
    if not one:
        return [_STANDING[PENDING]] if card["state"] == PENDING else []
    words = "Alert accepted by {who} on {day}: {why}"
    words = words if one.accepts_alert else _STANDING[one.state]
    return [said(words, who=one.by, day=day_of(one.at), why=one.why or "no reason given")]


def to_adjudicate(card: Card) -> list[str]:
    """Return how many answers are left to adjudicate; nothing without any."""
    left = card["to_adjudicate"]
    return [adjudications.left_words(left)] if left else []


def due(progress: Mapping[str, Any]) -> list[str]:
    """Return by when a set is due, or was; nothing without a deadline."""
    until = progress["deadline"]
    if not until:
        return []
    late = campaigns.is_past(until) and progress["done"] < progress["total"]
    return [said("was due {day}" if late else "due {day}", day=day_of(until))]


def removed(progress: Mapping[str, Any]) -> str:
    """Return what is left of a set that an annotator was removed from."""
    words = "{name}: removed from the set; {done:,} graded, and kept"
    return said(words, name=progress["set"], done=progress["done"])


def _done(progress: Mapping[str, Any]) -> str:
    if progress["removed"]:
        return removed(progress)
    done = "{set}: {done:,} of {total:,}".format(**progress)
    return joined(", ", [done, *due(progress)])


def _progress(store: Store, sheet_id: int) -> dict[int, list[dict[str, Any]]]:
    """The sets of each annotator who began one, or whom one is open to.

    `removed` from the set or not; `pace` is the median seconds per answer, None before the fifth.
    """
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in grading_sets.of_sheet(store, sheet_id):
        versions = list(rubric_versions.get(store, one.rubric_id).versions().values())
        campaign = campaigns.find(store, one.id)
        for grader_id in assignments.everyone(store, one.id):
            done, total = assignments.done(store, one, grader_id, versions)
            found[grader_id].append(
                {
                    "set": one.name,
                    "done": done,
                    "total": total,
                    "deadline": campaign.deadline if campaign else None,
                    "removed": campaigns.has_left(store, one, grader_id),
                    "pace": assignments.pace(store, grader_id),
                }
            )
    return found
