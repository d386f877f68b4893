"""Annotator cards: progress, alerts and signals of each annotator of a sheet; for leads.

Cards are in the order of names, never ranked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from concord.clock import day_of
from concord.grading import adjudications, annotators, assignments, campaigns, grading_sets
from concord.grading.annotators import state_of
from concord.messages import Numeral, Said, joined, said
from concord.reports.cells import written
from concord.reports.document import FLAT, Column, Document, Table, table_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.reliability.annotator_alerts import Measured
from concord.stats.core.minimums import ANSWERS_FLOOR, TIMED_FLOOR
from concord.stats.reliability.annotator_alerts import AGREEMENT, DRIFT, GOLD, REPEATS, Part
from concord.store import graders
from concord.store.database import Store
from concord.store.graders import EXCLUDED, INCLUDED, PENDING, AnnotatorState
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
_TOO_FAST = 0.1  # a share of the answers that is still put down to short ones


@dataclass(frozen=True)
class SetProgress:
    """Progress of an annotator in a grading set: answers done, in total, and the due date.

    `removed` is true for one who was removed from the set; `pace` is their median seconds per
    answer, None before the fifth.
    """

    set: str
    done: int
    total: int
    deadline: str | None
    removed: bool
    pace: float | None


@dataclass(frozen=True)
class AnnotatorCard:
    """The figures of an annotator that a lead needs.

    `state` is whether the grades count on this sheet; `decided` by whom, when and why, None by
    default. `paused` is since when, None while they grade; `to_adjudicate` are the answers of the
    sheet that are assigned to them to adjudicate and still open.
    """

    annotator: str
    grader_id: int
    simulated: bool
    progress: tuple[SetProgress, ...]
    measured: Measured = field(metadata=FLAT)
    paused: str | None
    to_adjudicate: int
    state: str = INCLUDED
    decided: AnnotatorState | None = None

    @property
    def removed(self) -> bool:
        """True for one who was removed from every set they had."""
        return bool(self.progress) and all(one.removed for one in self.progress)


def cards(store: Store, panel: Panel, measured: Mapping[int, Measured]) -> list[AnnotatorCard]:
    """Return a card per annotator who graded the sheet or was given a set of it."""
    progress = _progress(store, panel.sheet.id)
    people = {i: one for i, one in panel.persons.items() if not one.is_mean}
    people |= {one: graders.get(store, one) for one in progress if one not in people}
    return [
        AnnotatorCard(
            annotator=one.name,
            grader_id=one.id,
            simulated=one.simulated,
            progress=tuple(progress.get(one.id, ())),
            state=state_of(one, panel.states),
            decided=panel.states.get(one.id),
            measured=measured.get(one.id, Measured()),
            paused=annotators.paused_since(store, one.id),
            to_adjudicate=adjudications.left_of(store, one.id, panel.sheet.id),
        )
        for one in sorted(people.values(), key=lambda one: (one.name.casefold(), one.id))
    ]


def headline(found: Sequence[AnnotatorCard]) -> Document:
    """Return who needs a look, and what alerts mean or take."""
    names = [_name(one) for one in found if one.measured.has_open]
    tested = any(one.measured.tested for one in found)
    if len(names) == 1:
        text = said("{name} needs a look: an alert is open", name=names[0])
    elif names:
        text = said("{n} annotators need a look: {names}", n=len(names), names=joined(", ", names))
    else:
        text = "No alert is open" if tested else "No alert can be computed yet"
    return Document(text, (_MEANING if tested else _REQUIREMENT,))


def document(card: AnnotatorCard) -> Document:
    """Return a card: what was decided, progress, alerts and notes, and the signals."""
    paused = card.paused and said("Paused since {day}.", day=day_of(card.paused))
    facts = (*standing(card), *map(_done, card.progress), *to_adjudicate(card), paused)
    alerts = (one.sentence for one in card.measured.alerts)
    told = (*filter(None, facts), *alerts, *notes(card))
    return Document(_name(card), told, (signals(card),) if card.measured.signals else ())


def signals(card: AnnotatorCard) -> Table:
    """Return agreement, gold items, hidden repeats and drift, and the speed, with the others'."""
    one = card.measured
    rows = [row for row in one.signals if row.n and row.own is not None]
    seconds = Part(_SECONDS, one.timed, one.seconds, one.others_seconds)
    parts = (
        ("figure", lambda row: _FIGURES.get(row.figure, row.figure)),
        (Column("n", "count"), "n"),
        (Column("annotator", help="annotator alerts"), lambda row: _written(row, row.own)),
        ("others", lambda row: _written(row, row.others)),
    )
    return table_of("signals", [*rows, *([seconds] if one.seconds else [])], parts)


def standing(card: AnnotatorCard) -> list[Said]:
    """Return whether the grades count where somebody decided, or they do not count yet."""
    one = card.decided
    if not one:
        return [_STANDING[PENDING]] if card.state == PENDING else []
    words = "Alert accepted by {who} on {day}: {why}"
    words = words if one.accepts_alert else _STANDING[one.state]
    return [said(words, who=one.by, day=day_of(one.at), why=one.why or "no reason given")]


def notes(card: AnnotatorCard) -> list[Said]:
    """Return what is no alert: a shift of every score, and answers graded too fast to be read."""
    one = card.measured
    found = [one.note.sentence] if one.note else []
    if one.timed >= TIMED_FLOOR and one.too_fast > _TOO_FAST * one.timed:
        fast = "{fast:,} of {n:,} timed answers were graded faster than they can be read."
        found.append(said(fast, fast=one.too_fast, n=one.timed))
    return found


def to_adjudicate(card: AnnotatorCard) -> list[Said]:
    """Return how many answers are left to adjudicate; nothing without any."""
    return [adjudications.left_words(card.to_adjudicate)] if card.to_adjudicate else []


def due(one: SetProgress) -> list[Said]:
    """Return by when a set is due, or was; nothing without a deadline."""
    if not one.deadline:
        return []
    late = campaigns.is_past(one.deadline) and one.done < one.total
    return [said("was due {day}" if late else "due {day}", day=day_of(one.deadline))]


def alerts_first(cards: Iterable[AnnotatorCard]) -> list[AnnotatorCard]:
    """The cards with an open alert, then the others, each by name."""
    return sorted(cards, key=lambda one: not one.measured.has_open)


_SECONDS = "Seconds per answer (median)"


def _name(card: AnnotatorCard) -> str:
    return named(card.annotator, card.simulated)


def _written(row: Part, value: float | None) -> str | None:
    if value is None:
        return None
    if row.figure == _SECONDS:
        return Numeral(f"{value:.1f}")
    return written(value, "difference" if row.figure == DRIFT else "share")


def _done(one: SetProgress) -> Said:
    if one.removed:
        return said(
            "{name}: removed from the set; {done:,} graded, and kept", name=one.set, done=one.done
        )
    return joined(", ", [f"{one.set}: {one.done:,} of {one.total:,}", *due(one)])


def _progress(store: Store, sheet_id: int) -> dict[int, list[SetProgress]]:
    """The sets of each annotator who began one, or whom one is open to."""
    found: dict[int, list[SetProgress]] = {}
    for one in grading_sets.of_sheet(store, sheet_id):
        versions = list(rubric_versions.get(store, one.rubric_id).versions().values())
        campaign = campaigns.find(store, one.id)
        for grader_id in assignments.everyone(store, one.id):
            done = assignments.done(store, one, grader_id, versions)
            until = campaign.deadline if campaign else None
            gone = campaigns.has_left(store, one, grader_id)
            pace = assignments.pace(store, grader_id)
            found.setdefault(grader_id, []).append(SetProgress(one.name, *done, until, gone, pace))
    return found
