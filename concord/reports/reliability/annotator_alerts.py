"""Annotator alerts of a sheet: who grades out of line, and what is to be noted; for leads.

`concord.stats.reliability.annotator_alerts` has the test. An alert is open until its annotator is
excluded, or it is accepted with a reason; it excludes nobody by itself. Only leads may read the
scores of gold items, so that others see alerts that rest on the rest.


Speeding: answers graded faster than they can be read. Noted, and never excluded.

Only the answer's own text is compared with the seconds: question and contexts may have been read
with the answer before. Only first grades count, since a repeat may be remembered.

The floor is twice the pace of reading aloud (Trauzettel-Klosinski and Dietz 2012: 68 milliseconds a
letter over 14 alphabetic languages, 255 Chinese characters and 447 Japanese syllables a minute).
For English that is 30 letters a second, 300 words of six letters a minute, where the silent reading
of most adults ends (Brysbaert 2019: 175 to 300 words of non-fiction). Kana and Hangul are taken for
one syllable each.


Grading times: when annotators gave the grades that count, and how many seconds they took.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord.grading import gold_items, grading_sets
from concord.grading.annotators import state_of
from concord.messages import Numeral, Problem, Said, said
from concord.model import BASELINE
from concord.reports.cells import p_value, plain_share, written
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import heading
from concord.reports.reliability.test_retest import again
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import TIMED_FLOOR
from concord.stats.reliability import annotator_alerts as rule
from concord.stats.reliability.annotator_alerts import Given, Part, Tested, copied
from concord.store import grade_table, graders, items
from concord.store.database import Store
from concord.store.graders import EXCLUDED, INCLUDED
from concord.store.permissions import LEAD
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class Moments:
    """Arrays over the items of a panel, NaN where nothing is known; times in seconds since 1970.

    Attributes:
        given: By (criterion, grader id, repeat), when the grade was given.
        seconds: By grader id, how long the first grades of an answer took, over all criteria.
        items: How many items there are.
    """

    given: dict[tuple[str, int, int], np.ndarray]
    seconds: dict[int, np.ndarray]
    items: int

    def of(self, criterion: str, grader_id: int, repeat: int = 1) -> np.ndarray:
        """(N,) when a grader graded a criterion."""
        return self.given.get((criterion, grader_id, repeat), np.full(self.items, np.nan))

    def took(self, grader_id: int) -> np.ndarray:
        """(N,) seconds a grader spent on each answer."""
        return self.seconds.get(grader_id, np.full(self.items, np.nan))


def read(store: Store, panel: Panel) -> Moments:
    """The moments of a panel of whole answers."""
    names = rubric_versions.criteria(store, panel.rubric)
    frame = grade_table.graded_times(store, panel.sheet.id, list(names))
    frame["place"] = np.searchsorted(panel.items["id"], frame["item_id"])
    frame["criterion"] = frame["version"].map(names)
    frame["at"] = _since_1970(frame["given_at"])
    slot = ["criterion", "grader_id", "repeat"]
    newest = frame.drop_duplicates([*slot, "place"], keep="last")
    first = frame[frame["repeat"] == 1]
    took = first.groupby(["grader_id", "place"])["seconds"].sum(min_count=1).reset_index()
    return Moments(
        {key: _spread(panel, rows, "at") for key, rows in newest.groupby(slot)},
        {int(who): _spread(panel, rows, "seconds") for who, rows in took.groupby("grader_id")},
        len(panel.items),
    )


def _since_1970(texts: pd.Series) -> np.ndarray:
    known = pd.to_datetime(texts, utc=True, format="ISO8601")
    return ((known - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)).to_numpy(float)


def _spread(panel: Panel, rows: pd.DataFrame, column: str) -> np.ndarray:
    found = np.full(len(panel.items), np.nan)
    found[rows["place"]] = rows[column]
    return found


COPIED = "copied"


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


@dataclass(frozen=True)
class ShiftNote:
    """By how many points an annotator's scores lie above the others', on n shared answers."""

    n: int
    value: float
    low: float
    high: float
    sentence: str


@dataclass(frozen=True)
class Measured:
    """What an annotator's grades show.

    Attributes:
        p: Of the pooled test of the first `tested` answers; None where there is too little to test.
        signals: Agreement, gold items, hidden repeats and drift over all criteria.
        note: A shift of every score; it is no alert.
        timed: Answers with a time.
        seconds: Median of these; None below ten.
        others_seconds: Median of the other annotators' answers; None below ten.
        too_fast: Answers graded faster than they can be read.
    """

    tested: int = 0
    p: float | None = None
    alerts: tuple[Alert, ...] = ()
    note: ShiftNote | None = None
    signals: tuple[Part, ...] = ()
    timed: int = 0
    seconds: float | None = None
    others_seconds: float | None = None
    too_fast: int = 0

    @property
    def has_open(self) -> bool:
        """True where an alert is open."""
        return any(not one.accepted for one in self.alerts)


def open_alerts(store: Store, panel: Panel) -> tuple[Alert, ...]:
    """Return the open alerts on annotators of a panel; also of one that leaves some out."""
    found = measured_signs(store, panel.choosing()).items()
    return tuple(
        alert
        for i, one in found
        if i in panel.annotators
        for alert in one.alerts
        if not alert.accepted
    )


def measured_signs(store: Store, panel: Panel) -> dict[int, Measured]:
    """Return what each annotator's grades show, by grader id."""
    moments = read(store, panel)
    whole = given(store, panel, moments)
    whole_answers = not (panel.rubric.units or panel.only)
    speeds = speeding_speeds(store, panel, moments) if whole_answers else {}
    rows = zip(
        panel.annotators.items(),
        rule.tests(whole),
        rule.parts(whole),
        rule.shifts(whole),
        strict=True,
    )
    copies, found = _copies(panel), {}
    for (i, person), test, parts, (n, shift) in rows:
        accepted = panel.alert_accepted(i)
        name = named(person.name, person.simulated)
        alerts = [_alert(name, test, accepted)] if test.code else []
        alerts += [_copied(panel, name, *copy, accepted) for copy in copies[i]]
        drift = Part(rule.DRIFT, test.n, test.drift, None)
        note = _note(name, n, shift) if rule.noted(n, shift) else None
        tested = test.n if test.p is not None else 0
        signals = (*parts, drift)
        found[i] = Measured(tested, test.p, tuple(alerts), note, signals, *speeds.get(i, ()))
    return found


def given(store: Store, panel: Panel, moments: Moments) -> Given:
    """Return what the annotators of a panel gave, gold items and hidden repeats included."""
    names = _criteria(panel)
    known, graded = _gold(store, panel)
    rows = []
    for number, person in enumerate(panel.annotators.values()):
        scores, second = np.full((2, len(panel.items), len(names)), np.nan)
        when, later = np.full((2, len(panel.items)), np.nan)
        for column, name in enumerate(names):
            counted, marks = panel.counted(name, person.id), panel.of(name, person.id)
            counted = counted | graded[person.id] & marks.scored
            scores[counted, column] = marks.score[counted]
            repeated = again(panel, person, name)
            item = repeated["item"].to_numpy(int)
            second[item, column] = repeated["score"].to_numpy(float)
            given_at = np.where(counted, moments.of(name, person.id), np.nan)
            when, later = np.fmax(when, given_at), np.fmax(later, moments.of(name, person.id, 2))
        at = np.flatnonzero(~np.isnan(scores).all(axis=1))
        rows.append((np.full(len(at), number), at, when[at], scores[at], second[at], later[at]))
    at = np.flatnonzero(~np.isnan(known).all(axis=1))
    none = np.full(len(at), np.nan)
    rows.append((np.full(len(at), len(rows)), at, none, known[at], 0 * known[at] + np.nan, none))
    columns = (np.concatenate(column) for column in zip(*rows, strict=True))
    scale = panel.rubric.scale
    return Given(*columns, panel.cluster, len(panel.annotators), (scale[0], scale[-1]))


def notes(found: Iterable[Alert]) -> list[Said]:
    """Return the alerts as notes, with what to do at the end; none without alerts."""
    told = [said("Open alert: {sentence}", sentence=one.sentence) for one in found]
    return [*told, REMEDY] if told else []


def _gold(store: Store, panel: Panel) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """(items, criteria) known scores, and by grader id (items,) which were graded as gold items."""
    names, versions = _criteria(panel), panel.rubric.versions()
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


def _copies(panel: Panel) -> dict[int, list[tuple[str, str, int, int]]]:
    """By annotator the criteria and judges whose scores theirs equal, how many, and of how many."""
    found: dict[int, list[tuple[str, str, int, int]]] = {i: [] for i in panel.annotators}
    judges = [i for i, one in panel.judges.items() if one.name != BASELINE]
    for name in _criteria(panel) if judges and found else ():
        ratings = [
            np.where(panel.counted(name, i), panel.of(name, i).score, np.nan)
            for i in panel.annotators
        ]
        marks = [panel.of(name, judge) for judge in judges]
        theirs = [np.where(one.scored, one.score, np.nan) for one in marks]
        rows = copied(np.stack(ratings), np.stack(theirs), panel.cluster, panel.rubric.scale)
        for i, copy in zip(panel.annotators, rows, strict=True):
            if copy:
                judge = panel.labels[judges[copy.judge]]
                found[i].append((name, judge, copy.same, copy.answers))
    return found


def _criteria(panel: Panel) -> list[str]:
    """The names of the criteria that were read."""
    return [one.name for one in panel.rubric.criteria if panel.only in (None, one.name)]


REMEDY = (
    "Read the answers, then exclude the annotator, or accept the alert with a reason. Until then "
    "no conclusion is drawn and nothing is certified."
)
_RANDOM = (
    "{annotator} agrees with the others, the gold items and earlier own scores no better than if "
    "{share} of the first {n:,} answers had been scored at random (p = {p})."
)
_DRIFT = (
    "From answer {since:,} of the first {n:,} on, {annotator} scores {points} points {direction} "
    "than before, compared with the others (p = {p})."
)
_SAME = (
    "The scores of {annotator} on {criterion} equal those of {judge} on {same:,} of {n:,} answers. "
    "They may be copied."
)


def _alert(annotator: str, test: Tested, accepted: bool) -> Alert:
    share, points = test.random_share or 0, test.drift or 0
    sentence = said(
        _RANDOM if test.code == rule.RANDOM else _DRIFT,
        annotator=annotator,
        share=plain_share(min(1.0, share)),
        since=test.since,
        points=Numeral(f"{abs(points):.2f}"),
        direction="higher" if points > 0 else "lower",
        n=test.n,
        p=p_value(test.p),
    )
    whose = annotator, test.code, test.n, sentence
    return Alert(
        *whose,
        *(test.p, test.limit, test.random_share, test.drift, test.since, test.parts),
        accepted=accepted,
    )


def _copied(
    panel: Panel, annotator: str, criterion: str, judge: str, same: int, n: int, accepted: bool
) -> Alert:
    title = heading(panel.rubric, criterion)
    words = {"annotator": annotator, "criterion": title, "judge": judge, "same": same, "n": n}
    whole = {"judge": judge, "criterion": criterion, "same": same, "accepted": accepted}
    return Alert(annotator, COPIED, n, said(_SAME, **words), **whole)


def _note(annotator: str, n: int, shift: Estimate) -> ShiftNote:
    sentence = said(
        "{annotator} scores {points} points {side} the others on average (95% CI {low} to {high}, "
        "{n:,} shared answers). A shift of every score is no alert.",
        annotator=annotator,
        points=Numeral(f"{abs(shift.value):.2f}"),
        side="above" if shift.value > 0 else "below",
        low=written(shift.low, "difference"),
        high=written(shift.high, "difference"),
        n=n,
    )
    return ShiftNote(n, shift.value, shift.low, shift.high, sentence)


LETTERS, HAN, SYLLABLES = 30.0, 8.5, 15.0
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SYLLABLES = re.compile(r"[\u3041-\u30ff\uac00-\ud7a3]")
_SPACES = re.compile(r"\s+")


Speed = tuple[int, float | None, float | None, int]


def speeding_speeds(store: Store, panel: Panel, moments: Moments) -> dict[int, Speed]:
    """Return the speed of each annotator, by grader id.

    Answers with a time, their median seconds and the others' (None below ten), and those that were
    graded too fast.
    """
    length = np.array([letters(text) for text in items.answers(store, panel.sheet.id)])
    took = {}
    for person in panel.annotators:
        graded = np.any(
            [panel.of(one.name, person).scored for one in panel.rubric.criteria], axis=0
        )
        took[person] = np.where(graded & panel.open, moments.took(person), np.nan)
    found = {}
    for person, own in took.items():
        others = np.concatenate([each for one, each in took.items() if one != person] or [[]])
        known = ~np.isnan(own)
        too_fast = int((length[known] > LETTERS * own[known]).sum())
        found[person] = int(known.sum()), _median(own), _median(others), too_fast
    return found


def letters(text: str) -> float:
    """Return the number of letters a text counts as; a Chinese one counts three and a half."""
    text = _SPACES.sub(" ", text.strip())
    han, syllables = len(_HAN.findall(text)), len(_SYLLABLES.findall(text))
    plain = len(text) - han - syllables
    return plain + han * LETTERS / HAN + syllables * LETTERS / SYLLABLES


def _median(seconds: np.ndarray) -> float | None:
    known = seconds[~np.isnan(seconds)]
    return float(np.median(known)) if len(known) >= TIMED_FLOOR else None


EXCLUDE, INCLUDE, ACCEPT = "exclude", "include", "accept"


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
    measured = measured_signs(store, panel)
    alert = person in measured and measured[person].has_open
    if action == ACCEPT and not alert:
        raise Problem("There is no open alert on {name}.", name=grader.name)
    to = EXCLUDED if action == EXCLUDE else INCLUDED
    graders.decide_annotator(store, panel.sheet.id, person, to, by, why, alert)
