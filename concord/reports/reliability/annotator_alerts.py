"""Annotator alerts of a sheet: who grades out of line, and what is to be noted; for leads.

`concord.stats.reliability.annotator_alerts` has the test. An alert is open until its annotator is
excluded, or it is accepted with a reason; it excludes nobody by itself. Only leads may read the
scores of gold items, so that others see alerts that rest on the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from concord.grading import (
    annotators,
    gold_items,
    grading_sets,
)
from concord.grading.annotators import state_of
from concord.messages import Problem, capital, day, said
from concord.model import BASELINE
from concord.reports.cells import p_value, plain_share, written
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import heading, named
from concord.reports.reliability.reliability import again
from concord.stats.reliability import annotator_alerts as rule
from concord.stats.reliability.annotator_alerts import (
    AGREEMENT,
    DRIFT,
    GOLD,
    REPEATS,
    Given,
    Part,
    copied,
)
from concord.store import grade_table, graders
from concord.store.database import Store
from concord.store.graders import EXCLUDED, INCLUDED, PENDING
from concord.store.permissions import LEAD
from concord.store.rubrics import rubric_versions

COPIED = "copied"
EXCLUDE, INCLUDE, ACCEPT = "exclude", "include", "accept"
REMEDY = (
    "Read the answers, then exclude the annotator, or accept the alert with a reason. Until then "
    "no conclusion is drawn and nothing is certified."
)
_SENTENCES = {
    rule.RANDOM: "{annotator} agrees with the others, the gold items and earlier own scores no "
    "better than if {share} of the first {n:,} answers had been scored at random (p: {p}).",
    rule.DRIFT: "From answer {since:,} of the first {n:,} on, {annotator} scores {points} points "
    "{direction} than before, compared with the others (p: {p}).",
    COPIED: "The scores of {annotator} on {criterion} equal those of {judge} on {same:,} of {n:,} "
    "answers. They may be copied.",
}
_SHIFT = (
    "{annotator} scores {points} points {side} the others on average (95% CI {low} to {high}, "
    "{n:,} shared answers). A shift of every score is no alert."
)


@dataclass(frozen=True)
class Alert:
    """One alert on an annotator.

    Attributes:
        code: `random`: as much noise as from scores drawn at random on `random_share` of the
            answers. `drift`: scores changed by `drift` points with answer number `since`. `copied`:
            `same` scores of `criterion` equal those of `judge`.
        n: The answers it rests on: the annotator's first ones, or those shared with the judge.
        p: Of the pooled test, at most `limit`; None of copied scores.
        parts: Agreement, gold items and hidden repeats on these answers.
        accepted: True where a lead accepted it with a reason.
    """

    annotator: str
    code: str
    n: int
    sentence: str
    p: float | None = None
    limit: float | None = None
    random_share: float | None = None
    drift: float | None = None
    since: int | None = None
    parts: tuple[Part, ...] = ()
    judge: str | None = None
    criterion: str | None = None
    same: int | None = None
    accepted: bool = False


def open_alerts(store: Store, panel: Panel) -> tuple[Alert, ...]:
    """Return the open alerts on annotators of a panel; also of one that leaves some out."""
    measured = measured_signs(store, panel.choosing())
    alerts = [alert for i in panel.annotators for alert in measured[i]["alerts"]]
    return tuple(alert for alert in alerts if not alert.accepted)


def has_open(signs: Mapping[str, Any]) -> bool:
    """Return True where an alert on an annotator is open."""
    return any(not alert.accepted for alert in signs["alerts"])


def measured_signs(store: Store, panel: Panel) -> dict[int, dict[str, Any]]:
    """Return what each annotator's grades show, by grader id.

    `p` is that of the pooled test of the first `tested` answers, None where there is too little to
    test; `signals` are agreement, gold items, hidden repeats and drift over all criteria, and
    `bias` is the shift of every score above the others', None where nothing is shared; a `note` on
    one that is shown is no alert.
    """
    whole, copies, signs = given(store, panel), _copies(panel), {}
    rows = zip(
        panel.annotators.items(),
        rule.tests(whole),
        rule.parts(whole),
        rule.shifts(whole),
        strict=True,
    )
    for (i, person), test, parts, (n, shift) in rows:
        name, accepted, alerts = named(person.name, person.simulated), panel.alert_accepted(i), []
        if test.code:
            points = test.drift or 0
            sentence = said(
                _SENTENCES[test.code],
                annotator=name,
                share=plain_share(min(1.0, test.random_share or 0)),
                since=test.since,
                points=f"{abs(points):.2f}",
                direction="higher" if points > 0 else "lower",
                n=test.n,
                p=p_value(test.p),
            )
            figures = test.p, test.limit, test.random_share, test.drift, test.since, test.parts
            whose = name, test.code, test.n, sentence
            alerts.append(Alert(*whose, *figures, accepted=accepted))
        for copy in copies[i]:
            of = copy | {"criterion": heading(panel.rubric, copy["criterion"])}
            sentence = said(_SENTENCES[COPIED], annotator=name, **of)
            alerts.append(Alert(name, COPIED, sentence=sentence, accepted=accepted, **copy))
        note = None
        if rule.noted(n, shift):
            limits = {"n": n, "low": shift.low, "high": shift.high}
            sentence = said(
                _SHIFT,
                annotator=name,
                points=f"{abs(shift.value):.2f}",
                side="above" if shift.value > 0 else "below",
                n=n,
                low=written(shift.low, "difference"),
                high=written(shift.high, "difference"),
            )
            note = limits | {"value": shift.value, "sentence": sentence}
        signs[i] = {
            "tested": test.n if test.p is not None else 0,
            "p": test.p,
            "alerts": alerts,
            "note": note,
            "bias": shift.value,
            "signals": [*parts, Part(rule.DRIFT, test.n, test.drift, None)],
        }
    return signs


def given(store: Store, panel: Panel) -> Given:
    """Return what the annotators of a panel gave, gold items and hidden repeats included."""
    names, times = [one.name for one in panel.rubric.criteria], given_at(store, panel)
    known, graded = _gold(store, panel)
    unknown = np.full(len(panel.items), np.nan)
    rows = []
    for number, person in enumerate(panel.annotators.values()):
        scores, second = np.full((2, len(panel.items), len(names)), np.nan)
        when, later = np.full((2, len(panel.items)), np.nan)
        for column, name in enumerate(names):
            counted, marks = panel.counted(name, person.id), panel.of(name, person.id)
            counted = counted | graded[person.id] & marks.scored
            scores[counted, column] = marks.score[counted]
            repeated = again(panel, person, name)
            second[repeated["item"].to_numpy(int), column] = repeated["score"].to_numpy(float)
            first, repeat = (times.get((name, person.id, n), unknown) for n in (1, 2))
            when = np.fmax(when, np.where(counted, first, np.nan))
            later = np.fmax(later, repeat)
        at = np.flatnonzero(~np.isnan(scores).all(axis=1))
        rows.append((np.full(len(at), number), at, when[at], scores[at], second[at], later[at]))
    at = np.flatnonzero(~np.isnan(known).all(axis=1))
    none = unknown[at]
    rows.append((np.full(len(at), len(rows)), at, none, known[at], 0 * known[at] + np.nan, none))
    columns = (np.concatenate(column) for column in zip(*rows, strict=True))
    scale = panel.rubric.scale
    return Given(*columns, panel.cluster, len(panel.annotators), (scale[0], scale[-1]))


def given_at(store: Store, panel: Panel) -> dict[tuple[str, int, int], np.ndarray]:
    """Return when each grade was given, by criterion, grader id and repeat, for (N,) items.

    In seconds since 1970, NaN where nothing is known.
    """
    names = rubric_versions.criteria(store, panel.rubric)
    frame = grade_table.graded_times(store, panel.sheet.id, list(names))
    known = pd.to_datetime(frame["given_at"], utc=True, format="ISO8601")
    frame["at"] = (known - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    frame["criterion"] = frame["version"].map(names)
    times = {}
    for key, rows in frame.groupby(["criterion", "grader_id", "repeat"]):
        times[key] = moments = np.full(len(panel.items), np.nan)
        # In the order in which they were given, so that the newest stays.
        moments[np.searchsorted(panel.items["id"], rows["item_id"])] = rows["at"]
    return times


def notes(found: Iterable[Alert]) -> list[str]:
    """Return the alerts as notes, with what to do at the end; none without alerts."""
    told = [said("Open alert: {sentence}", sentence=one.sentence) for one in found]
    return [*told, REMEDY] if told else []


def _gold(store: Store, panel: Panel) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """(items, criteria) known scores, and by grader id (items,) which were graded as gold items."""
    names, versions = [one.name for one in panel.rubric.criteria], panel.rubric.versions()
    known = np.full((len(panel.items), len(names)), np.nan)
    graded = {i: np.zeros(len(panel.items), bool) for i in panel.annotators}
    if panel.rubric.units or (store.who and store.who.role != LEAD):
        return known, graded
    place = {item: n for n, item in enumerate(panel.items["id"].tolist())}
    column = {versions[name]: n for n, name in enumerate(names)}
    for one in grading_sets.of_sheet(store, panel.sheet.id):
        if rubric_versions.get(store, one.rubric_id).versions() != versions:
            continue
        for (item, version), score in gold_items.gold_scores(store, one.id, list(column)).items():
            known[place[item], column[version]] = score
        for row in gold_items.current_grades(store, one.id, list(column)):
            if row["person"] in graded:
                graded[row["person"]][place[row["item_id"]]] = True
    return known, graded


def _copies(panel: Panel) -> dict[int, list[dict[str, Any]]]:
    """By annotator the criteria and judges whose scores theirs equal, how many, and of how many."""
    found: dict[int, list[dict[str, Any]]] = {i: [] for i in panel.annotators}
    judges = [i for i, one in panel.judges.items() if one.name != BASELINE]
    for name in [one.name for one in panel.rubric.criteria] if judges and found else ():
        ratings = [
            np.where(panel.counted(name, i), panel.of(name, i).score, np.nan)
            for i in panel.annotators
        ]
        marks = [panel.of(name, judge) for judge in judges]
        theirs = [np.where(one.scored, one.score, np.nan) for one in marks]
        rows = copied(np.stack(ratings), np.stack(theirs), panel.cluster, panel.rubric.scale)
        for i, copy in zip(panel.annotators, rows, strict=True):
            if copy:
                whose = {"criterion": name, "judge": panel.labels[judges[copy.judge]]}
                found[i].append(whose | {"same": copy.same, "n": copy.answers})
    return found


def decide(store: Store, panel: Panel, person: int, action: str, by: str, why: str = "") -> None:
    """Exclude an annotator of a sheet, include them again, or accept the open alert on them.

    Raises:
        Problem: Nothing would change, or the reason is missing.
    """
    grader = panel.persons.get(person)
    if grader is None:
        raise Problem("This annotator has graded nothing here.")
    state = state_of(grader, panel.states)
    if state == (EXCLUDED if action == EXCLUDE else INCLUDED) and action != ACCEPT:
        raise Problem("{name} is {state} already.", name=grader.name, state=state)
    signs = measured_signs(store, panel).get(person)
    alert = signs is not None and has_open(signs)
    if action == ACCEPT and not alert:
        raise Problem("There is no open alert on {name}.", name=grader.name)
    to = EXCLUDED if action == EXCLUDE else INCLUDED
    graders.decide_annotator(store, panel.sheet.id, person, to, by, why, alert)


_FIGURES = {
    AGREEMENT: "Agreement with the other annotators, exact",
    GOLD: "Gold items, exact",
    REPEATS: "Hidden repeats, same score",
    DRIFT: "Drift, points",
}
_PENDING = "Pending: fewer than 10 graded answers, which do not count in any figure yet."
NO_SIGNS = {"tested": 0, "p": None, "alerts": [], "note": None, "bias": None, "signals": []}
Card = Mapping[str, Any]


def cards(store: Store, panel: Panel, signs: Mapping[int, Mapping[str, Any]]) -> list[Card]:
    """Return a card per annotator who graded the sheet.

    `signs` are from `measured_signs`. `state` is whether the grades count on this sheet, `decided`
    by whom, when and why; `paused` is since when, None while they grade.
    """
    return [
        {
            "annotator": one.name,
            "grader_id": one.id,
            "simulated": one.simulated,
            **signs.get(one.id, NO_SIGNS),
            "paused": annotators.paused_since(store, one.id),
            "state": state_of(one, panel.states),
            "decided": panel.states.get(one.id),
        }
        for one in sorted(panel.persons.values(), key=lambda one: (one.name.casefold(), one.id))
        if not one.is_mean
    ]


def headline(cards: Sequence[Card]) -> str:
    """Return who needs a look."""
    names = [name_of(card) for card in cards if has_open(card)]
    if names:
        return "Annotators to look at: " + ", ".join(names)
    if any(card["tested"] for card in cards):
        return "No alert is open"
    return "Too few shared answers to compute alerts"


def document(card: Card) -> Document:
    """Return a card: what was decided, alerts and a shift, and the signals."""
    paused = ["paused since " + day(card["paused"])] if card["paused"] else []
    tables = (signals(card),) if card["signals"] else ()
    return Document(name_of(card), (*standing(card), *paused, *sentences(card)), tables)


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
        return [_PENDING] if card["state"] == PENDING else []
    what = "Alert accepted" if one.accepts_alert else capital(one.state)
    return [f"{what} by {one.by} on {day(one.at)}: {one.why or 'no reason given'}"]
