"""Adjudication: the answers on which annotators differ, or a random sample, with their grades.

All of it is a function of a panel that was read through a blind connection
(`permissions.blind`), so judges' grades cannot reach it. Annotators go by letters, in an order
shuffled for every answer.
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from concord.definitions import digest
from concord.grading import adjudications, item_view, keypress
from concord.grading.adjudications import Assigned, Part
from concord.grading.item_view import DisplayedItem
from concord.grading.keypress import Key
from concord.grading.workspace import Saved
from concord.messages import Problem, counted, said
from concord.model import Grader, status_words
from concord.reports.document import INTERNAL, Column, Document, Table, table_of
from concord.reports.document import Part as DocumentPart
from concord.reports.document import listing as listing_document
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.store import grades
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions

DRAWN = 20  # answers of a random draw, to begin with


@dataclass(frozen=True)
class Case:
    """An answer to adjudicate, without annotator, answering model or judge.

    Attributes:
        at: Its id.
        annotators: On how many annotators' scores it rests.
        points_apart: Between its lowest and highest score, by criterion that annotators differ on;
            of a random sample by every criterion, 0 where they agree.
        left: The criteria of `points_apart` that are not adjudicated.
        adjudicated: The adjudicated score of each of `points_apart`; None without one.
        graders: The ids of these annotators.
    """

    at: int
    annotators: int
    points_apart: Mapping[str, int]
    left: tuple[str, ...]
    adjudicated: Mapping[str, float | None]
    graders: frozenset[int] = field(metadata=INTERNAL)


Cases = tuple[Case, ...]
_PARTS: tuple[DocumentPart, ...] = (
    ("--at", lambda one: str(one.at)),
    ("points apart", lambda one: ", ".join(f"{n} {p}" for n, p in one.points_apart.items())),
    (Column("annotators", "count"), "annotators"),
    ("left to adjudicate", lambda one: ", ".join(one.left)),
)


class Voice(NamedTuple):
    """One annotator under a letter, with the grade of each criterion."""

    letter: str
    said: dict[str, Row]


def differing(panel: Panel, without: int | None = None) -> Cases:
    """The answers to which two annotators who count gave different scores, most different first.

    Closed questions and grades that were not given blind are out, as in every figure. Equals come
    in the order of the sheet.

    `panel` was read blind; answers that the annotator `without` graded are left out.
    """
    cases = [case for case in _cases(panel, differ=True) if without not in case.graders]
    # the most points apart on a criterion, then the points over all of them
    points = {case.at: case.points_apart.values() for case in cases}
    return tuple(sorted(cases, key=lambda one: (-max(points[one.at]), -sum(points[one.at]))))


def drawn(panel: Panel, number: int, seed: int, without: int | None = None) -> Cases:
    """A random draw of answers that an annotator graded, in random order; the same for a seed.

    Every answer that may be drawn has the same chance; `without` as for `differing`.
    """
    pool = [case for case in _cases(panel, differ=False) if without not in case.graders]
    return tuple(random.Random(f"adjudicate {seed}").sample(pool, min(number, len(pool))))


def found(cases: Cases, of_draw: bool) -> str:
    """Return how many answers there are to adjudicate, in words."""
    answers = counted(len(cases), "answer")
    return said(
        "A random sample of {answers}"
        if of_draw
        else "Annotators differ on {answers} (any criterion)",
        answers=answers,
    )


def voices_of(store: Store, panel: Panel, item_id: int, seed: int = 0) -> list[Voice]:
    """Return the grades of the annotators that count, each under a letter: A, B, C, ...

    The order is shuffled by the seed for every answer, so a letter does not identify an annotator.
    Only first grades that were not given after seeing judges.
    """
    versions = rubric_versions.criteria(store, panel.rubric)
    found: dict[int, dict[str, Row]] = {}
    for row in sorted(grades.of_item(store, item_id, [*versions]), key=lambda row: row["id"]):
        counts = row["kind"] == "person" and row["grader_id"] in panel.annotators
        if counts and row["repeat"] == 1 and row["blind"] != 0:
            found.setdefault(row["grader_id"], {})[versions[row["version"]]] = row
    order = sorted(found)
    random.Random(f"letters {seed} {item_id}").shuffle(order)
    letters = (f"{letter}{number or ''}" for number in count() for letter in ascii_uppercase)
    return [Voice(letter, found[person]) for letter, person in zip(letters, order, strict=False)]


def heard(store: Store, panel: Panel, item_id: int, seed: int = 0) -> list[Voice]:
    """Return `voices`; a Problem for an answer excluded, of another sheet, or ungraded."""
    found = voices_of(store, panel, item_id, seed)
    open_items = panel.items.loc[panel.open, "item_id"]
    if not found or item_id not in set(open_items):
        raise Problem(
            "Nothing to adjudicate at {item}. Choose a number from the list.", item=item_id
        )
    return found


def grade_ids(those: Iterable[Voice], criterion: str) -> tuple[int, ...]:
    """The ids of the grades of a criterion, as an adjudication names them."""
    return tuple(sorted(v.said[criterion]["id"] for v in those if criterion in v.said))


def newest(store: Store, panel: Panel) -> dict[tuple[int, str], Row]:
    """Return the newest adjudication of each answer and criterion; its score: None if withdrawn."""
    versions = rubric_versions.criteria(store, panel.rubric)
    rows = adjudications.of_sheet(store, panel.sheet.id, versions)
    return {(row["item_id"], versions[row["version"]]): row for row in rows}


def is_stale(row: Row, seen: tuple[int, ...]) -> bool:
    """Return whether other grades were adjudicated: annotators regraded, or others are included."""
    return sorted(json.loads(row["grade_ids"])) != sorted(seen)


def record(
    store: Store,
    panel: Panel,
    at: int,
    those: Sequence[Voice],
    trigger: str,
    grader_id: int,
    given: Mapping[str, tuple[float | None, str, str]],
) -> None:
    """Store score, cause and note by criterion, as given on what `those` said."""
    with store.write():
        for name, (score, cause, note) in given.items():
            version = panel.rubric.version(panel.rubric.criterion(name))
            what = (at, version, score, trigger, grade_ids(those, name), grader_id)
            adjudications.record(store, adjudications.Adjudication(*what, cause, note))


def listing(panel: Panel, cases: Cases, of_draw: bool) -> dict[str, Any]:
    """Return the list; `left` of `n` answers are not adjudicated on every criterion."""
    left = sum(bool(case.left) for case in cases)
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "triggered_by": adjudications.DRAW if of_draw else adjudications.ANNOTATORS,
        "sentence": f"{found(cases, of_draw)}, {left:,} left to adjudicate.",
        "n": len(cases),
        "left": left,
        "answers": cases,
    }


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of the list."""
    return listing_document("answers", found["answers"], _PARTS, found["sentence"])


def case_of(store: Store, panel: Panel, item_id: int, seed: int) -> dict[str, Any]:
    """Return one answer, its text, and by criterion the adjudicated score and annotators' grades.

    The letters are shuffled by the seed.
    """
    those, adjudicated = heard(store, panel, item_id, seed), newest(store, panel)
    about = ("status", "score", "reason")
    criteria = {}
    for one in panel.rubric.criteria:
        settled = adjudicated.get((item_id, one.name))
        told = [(voice.letter, voice.said[one.name]) for voice in those if one.name in voice.said]
        criteria[one.name] = {
            "adjudicated": settled["score"] if settled else None,
            "said": [{"letter": letter, **{k: row[k] for k in about}} for letter, row in told],
        }
    shown = item_view.shown(store, [item_id], panel.rubric)[item_id]
    return {"at": item_id, **shown._asdict(), "criteria": criteria}


def case_document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of one answer: the text as graders saw it, and their grades."""
    shown = DisplayedItem(*(found[key] for key in DisplayedItem._fields))
    texts = [*shown.sources(), ("Answer", shown.answer or "(empty)")]
    rows = [
        given | {"criterion": name, "adjudicated": one["adjudicated"]}
        for name, one in found["criteria"].items()
        for given in one["said"]
    ]
    parts = (
        ("criterion", "criterion"),
        ("annotator", "letter"),
        ("grade", lambda one: _score(one["score"], one["status"])),
        ("adjudicated", lambda one: _score(one["adjudicated"])),
        ("reason", "reason"),
    )
    facts = tuple(f"{title}: {text}" for title, text in texts)
    return Document(shown.question, facts, (table_of("grades", rows, parts),))


def _score(score: float | None, status: str = "") -> str | None:
    return (status_words(status) or None) if score is None else f"{score:g}"


def _cases(panel: Panel, differ: bool) -> Iterator[Case]:
    """Yield every answer with a score that counts, or only those with two that differ."""
    names = [name for name in panel.criteria if name != COMPOSITE]
    apart = {name: _apart(panel, name) for name in names}
    own = {i: np.any([panel.counted(n, i) for n in names], axis=0) for i in panel.annotators}
    rows = panel.adjudicated.itertuples(index=False)
    scores = {(row.item, row.criterion): row.score for row in rows}
    for place in np.flatnonzero(np.any([p >= int(differ) for p in apart.values()], axis=0)):
        points = {n: int(apart[n][place]) for n in names if apart[n][place] >= int(differ)}
        graders = frozenset(i for i, graded in own.items() if graded[place])
        yield Case(
            at=int(panel.items["item_id"].iloc[place]),
            annotators=len(graders),
            points_apart=points,
            left=tuple(n for n in points if (place, n) not in scores),
            adjudicated={n: scores.get((place, n)) for n in points},
            graders=graders,
        )


def _apart(panel: Panel, criterion: str) -> np.ndarray:
    """Return (N,) points between the lowest and highest score of an answer; -1 without scores."""
    scores = [
        np.where(panel.counted(criterion, person), panel.of(criterion, person).score, np.nan)
        for person in panel.annotators
    ]
    scores.append(np.full(len(panel.items), np.nan))
    return np.nan_to_num(np.fmax.reduce(scores) - np.fmin.reduce(scores), nan=-1)


class AdjudicationPick(NamedTuple):
    """Cases to adjudicate, and the adjudicator (None before one is picked)."""

    panel: Panel
    trigger: str
    cases: Cases
    adjudicator: Grader | None
    seed: int


def seen(voices: Sequence[Voice]) -> str:
    """Return a token of the grades shown of an answer, which a change of them changes."""
    return digest(sorted(row["id"] for voice in voices for row in voice.said.values()))


def save(store: Store, wanted: AdjudicationPick, sent: Sequence[Any]) -> Saved:
    """Store keys in the order they were pressed; a refused one holds up none of those behind it."""
    on_disk, refused = [], {}
    for one in sent:
        key = keypress.read(one)
        try:
            # What is no mapping has a fault.
            why_not = keypress.fault(key) or _save(store, wanted, key, one.get("seen"))
        except Problem as problem:
            why_not = problem.on_screen
        if why_not:
            refused[key.press_id] = why_not
        else:
            on_disk.append(key.press_id)
    return Saved(on_disk, refused)


def _save(store: Store, wanted: AdjudicationPick, key: Key, shown: Any) -> str:
    """Store one key; return why it never can be, '' where it is. Its `quote` is the cause."""
    panel, who = wanted.panel, wanted.adjudicator
    names = {version: name for name, version in panel.rubric.versions().items()}
    case = next((case for case in wanted.cases if case.at == key.place_id), None)
    if who is None or case is None or names.get(key.slot) not in case.points_apart:
        return said("this answer is not to be adjudicated here")
    if key.status not in ("scored", "withdrawn"):
        return said("{field} is not valid", field="status")
    voices = voices_of(store, panel, case.at, wanted.seed)
    if shown != seen(voices):
        return said("an annotator changed a grade of this answer; review it again")
    score = key.score if key.status == "scored" else None
    what = (score, key.quote, key.note) if score is not None else (None, "", "")
    given = {names[key.slot]: what}
    record(store, panel, case.at, voices, wanted.trigger, who.id, given)
    return ""


def parts(panel: Panel, cases: Iterable[Case]) -> list[Part]:
    """Return the criteria of contested answers that are not adjudicated."""
    versions = panel.rubric.versions()
    return [Part(case.at, versions[name]) for case in cases for name in case.left]


def assigned_table(held: Iterable[Assigned]) -> Table:
    """Return a row for each annotator with answers to adjudicate."""
    columns = (
        ("annotator", "annotator"),
        (Column("answers", "count"), "answers"),
        (Column("left to adjudicate", "count"), "left"),
    )
    return table_of("adjudicators", held, columns)
