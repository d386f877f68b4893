"""Disagreements: every answer that a judge and annotators score differently, as a work list.

One disagreement is an answer in one error cell of one judge and criterion: all annotators who gave
it that score form one entry, so the list is as long as the confusion matrix says. Held-out and
leaked questions are excluded. Data stay in arrays until a page of the list is shown.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from concord.grading import disagreement_causes
from concord.grading.disagreement_causes import CAUSES, Tag
from concord.messages import Conflict, Problem, joined
from concord.reports.panel.panel import Panel
from concord.store import graders, grades, items
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions

UNTAGGED, TAGGED = "untagged", "tagged"
_KEYS = ["item", "criterion", "judge", "person", "said"]


class DisagreementFilter(NamedTuple):
    """Filters of the list; None for no filter.

    Attributes:
        cell: The annotator's score and the judge's.
        size: Minimum distance in points.
        cause: A cause, `tagged` or `untagged`.
    """

    criterion: str | None = None
    judge: int | None = None
    cell: tuple[int, int] | None = None
    answer_model: str | None = None
    size: int | None = None
    cause: str | None = None


EVERYTHING = DisagreementFilter()


class Key(NamedTuple):
    """The lasting name of one disagreement, which ends when one of its grades is changed."""

    item_id: int
    criterion: str
    judge: int
    person: int
    said: int

    def text(self) -> str:
        """The key as a URL holds it; `read_key` reads it back."""
        return ".".join(map(str, (self.item_id, self.judge, self.person, self.said))) + (
            f".{self.criterion}"
        )


class NewestTag(NamedTuple):
    """The newest tag of a disagreement; `tag` counts up with time."""

    tag: int
    cause: str
    note: str
    who: str
    when: str


NO_TAG = NewestTag(0, "", "", "", "")


class Filtered(NamedTuple):
    """The grades, the filters, and all rows that pass them.

    `token` changes with them; `until` is the newest tag when they were set.
    """

    panel: Panel
    wanted: DisagreementFilter
    rows: pd.DataFrame
    token: str
    until: int


def read_key(text: str) -> Key | None:
    """Return the key in a URL; None where it is invalid."""
    parts = text.split(".", 4)
    if len(parts) < 5 or not all(part.removeprefix("-").isdecimal() for part in parts[:4]):
        return None
    item_id, judge, person, judged = map(int, parts[:4])
    return Key(item_id, parts[4], judge, person, judged)


def every(panel: Panel, wanted: DisagreementFilter = EVERYTHING) -> pd.DataFrame:
    """Return every disagreement that passes the filters other than cause, worst first.

    Worst is the largest difference; then what annotators failed and the judge passed, then what
    annotators passed and the judge failed; then the order of the sheet.

    Returns:
        Columns item (index in the panel), criterion (index in the rubric), judge (id), annotator
        and said (the two scores), annotators (how many gave that score), size (points apart), code
        (unique in a panel, whatever the filters).
    """
    parts = [
        _of_judge(panel, place, criterion.name, judge)
        for place, criterion in enumerate(panel.rubric.criteria)
        if wanted.criterion in (None, criterion.name)
        for judge in panel.judges
        if wanted.judge in (None, judge)
    ]
    found = np.concatenate([np.zeros((6, 0), np.int64), *parts], axis=1)
    frame = pd.DataFrame(dict(zip([*_KEYS, "annotators"], found, strict=True)))
    frame["size"] = (frame["said"] - frame["person"]).abs()
    frame["code"] = _code(panel, *(frame[name].to_numpy() for name in _KEYS))
    frame = frame[_wanted(panel, frame, wanted)]
    order = np.lexsort(
        (
            *(frame[name] for name in ("person", "judge", "criterion", "item")),
            -_crossing(panel, frame),
            -frame["size"],
        )
    )
    return frame.iloc[order].reset_index(drop=True)


def why_not_compared(panel: Panel, wanted: DisagreementFilter = EVERYTHING) -> str:
    """Return why no answer has scores of a wanted judge and of an annotator; '' where one has.

    An empty list means nothing where none has.
    """
    names = [one.name for one in panel.rubric.criteria if wanted.criterion in (None, one.name)]
    judges = [judge for judge in panel.judges if wanted.judge in (None, judge)]
    given = [(name, judge) for name in names for judge in judges]
    if any(
        (panel.of(name, judge).scored & panel.counted(name, person)).any()
        for name, judge in given
        for person in panel.annotators
    ):
        return ""
    if any(panel.is_continuous(name, judge) for name, judge in given):
        return "The judge's grades are continuous numbers: Agreement has their correlations."
    return "No answer has both a judge's and an annotator's score."


def keys(panel: Panel, rows: pd.DataFrame) -> list[Key]:
    """The keys of some rows of the list."""
    names = [criterion.name for criterion in panel.rubric.criteria]
    ids = panel.items["id"].to_numpy()
    return [
        Key(int(ids[item]), names[criterion], int(judge), int(person), int(judged))
        for item, criterion, judge, person, judged in rows[_KEYS].itertuples(index=False)
    ]


def held(tags: pd.DataFrame) -> dict[Key, list[NewestTag]]:
    """The tags of every disagreement that has any, oldest first.

    A tag is of the disagreement its grades make up as they are now; where the judge's grade or all
    of the annotators' are no longer the current ones, it is of none.

    `tags` are as `disagreement_causes.of_sheet` gives them, sorted by tag.
    """
    found: dict[Key, list[NewestTag]] = {}
    for tag, rows in groupby(tags.itertuples(index=False), key=attrgetter("tag")):
        annotators, judges = [], []
        for row in rows:
            (annotators if row.kind == "person" else judges).append(row)
        if len(judges) != 1 or not annotators:
            continue
        judge, first = judges[0], annotators[0]
        if first.score % 1 or judge.score % 1:  # continuous by now
            continue
        scores = int(first.score), int(judge.score)
        key = Key(int(judge.item_id), judge.criterion, int(judge.grader_id), *scores)
        newest = NewestTag(int(tag), first.cause, first.note, first.who or "", first.created_at)
        found.setdefault(key, []).append(newest)
    return found


def with_cause(
    panel: Panel,
    rows: pd.DataFrame,
    tags: dict[Key, list[NewestTag]],
    cause: str | None,
    until: int,
) -> pd.DataFrame:
    """Return the rows with a cause, as of the tag `until`.

    While `until` is unchanged, a row tagged meanwhile stays in the list of untagged ones, so that
    the list does not shift during work.
    """
    if cause is None:
        return rows
    then = {key: [one for one in every if one.tag <= until] for key, every in tags.items()}
    causes = _causes(panel, then)
    if cause in CAUSES:
        return rows[rows["code"].isin([code for code, one in causes.items() if one == cause])]
    tagged = rows["code"].isin(list(causes))
    return rows[tagged] if cause == TAGGED else rows[~tagged]


def counts(panel: Panel, rows: pd.DataFrame, tags: dict[Key, list[NewestTag]]) -> Counter:
    """Count the rows by cause, without untagged ones."""
    causes = _causes(panel, tags)
    here = rows["code"][rows["code"].isin(list(causes))]
    return Counter(causes[code] for code in here)


def place(panel: Panel, rows: pd.DataFrame, key: Key) -> int | None:
    """Return the index of a disagreement in the list, from 0; None where missing."""
    hits = np.flatnonzero(rows["code"] == _code_of(panel, key))
    return int(hits[0]) if len(hits) else None


def noted(tags: dict[Key, list[NewestTag]], criterion: str, cause: str) -> list[NewestTag]:
    """The newest tags of a criterion's disagreements that name a cause, newest first."""
    newest = [every[-1] for key, every in tags.items() if key.criterion == criterion]
    return sorted((one for one in newest if one.cause == cause), reverse=True)


def cells(panel: Panel, judge: int | None, criterion: str | None) -> list[tuple[int, int, int]]:
    """The error cells that hold answers, worst first: annotator's score, judge's score, count."""
    rows = every(panel, DisagreementFilter(criterion, judge))
    found = rows.groupby(["person", "said"], sort=True).size()
    made = [(int(person), int(judged), int(n)) for (person, judged), n in found.items()]
    return sorted(made, key=lambda cell: (-abs(cell[0] - cell[1]), cell))


def _causes(panel: Panel, tags: dict[Key, list[NewestTag]]) -> dict[int, str]:
    """The newest cause by code; what has none, or no more, is left out."""
    newest = {key: every[-1].cause for key, every in tags.items() if every}
    return {_code_of(panel, key): cause for key, cause in newest.items() if cause}


def _code_of(panel: Panel, key: Key) -> int:
    """The code of a key; -1 where it names what the panel does not hold."""
    names = [criterion.name for criterion in panel.rubric.criteria]
    ids = panel.items["id"].to_numpy()
    item = int(np.searchsorted(ids, key.item_id))
    known = item < len(ids) and ids[item] == key.item_id and key.judge in panel.judges
    if not known or key.criterion not in names:
        return -1
    return int(_code(panel, item, names.index(key.criterion), *key[2:]))


def _code(panel: Panel, item, criterion, judge, person, judged):
    """One number for the five columns of a disagreement."""
    low, high = panel.rubric.scale[0], panel.rubric.scale[-1]
    span = high - low + 1
    code = item * len(panel.rubric.criteria) + criterion
    code = code * (max(panel.judges, default=0) + 1) + judge
    return (code * span + person - low) * span + judged - low


def _of_judge(panel: Panel, place: int, criterion: str, judge: int) -> np.ndarray:
    """(6, n): item, criterion, judge, annotator's score, judge's score, annotators who gave it."""
    marks = panel.of(criterion, judge)
    items, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
    for person in panel.annotators:
        theirs = panel.of(criterion, person).score
        both = panel.counted(criterion, person) & marks.scored
        differ = np.flatnonzero(both & (theirs != marks.score))
        items.append(differ)
        scores.append(theirs[differ])
    pairs = np.stack([np.concatenate(items), np.concatenate(scores).astype(np.int64)])
    (item, person), annotators = np.unique(pairs, axis=1, return_counts=True)
    judged = marks.score[item].astype(np.int64)
    same = np.full((2, len(item)), [[place], [judge]])
    return np.stack([item, *same, person, judged, annotators])


def _wanted(panel: Panel, frame: pd.DataFrame, wanted: DisagreementFilter) -> np.ndarray:
    keep = np.ones(len(frame), bool)
    if wanted.cell is not None:
        keep &= (frame["person"] == wanted.cell[0]) & (frame["said"] == wanted.cell[1])
    if wanted.answer_model is not None:
        model = panel.items["answer_model"].to_numpy()[frame["item"]]
        keep &= model == wanted.answer_model
    if wanted.size is not None:
        keep &= frame["size"] >= wanted.size
    return np.asarray(keep)


def _crossing(panel: Panel, frame: pd.DataFrame) -> np.ndarray:
    """2 where annotators failed what the judge passed, 1 the other way round, else 0."""
    crossing = np.zeros(len(frame), int)
    for place, criterion in enumerate(panel.rubric.criteria):
        failing = list(panel.rubric.failing(criterion))
        here = (frame["criterion"] == place).to_numpy()
        person, judged = (frame[name].isin(failing).to_numpy() for name in ("person", "said"))
        crossing[here & person & ~judged] = 2
        crossing[here & ~person & judged] = 1
    return crossing


_PORTION = 500


class Side(NamedTuple):
    """One grader's score with its reason; `grade_id` is the row id."""

    name: str
    simulated: bool
    score: float | None
    status: str
    reason: str
    grade_id: int


class Disagreement(NamedTuple):
    """An answer that a judge and some annotators score differently.

    Attributes:
        annotators: Everyone who gave the score in question.
        others: The other annotators who count, whatever they gave.
    """

    key: Key
    stored: Stored
    judge: Side
    annotators: list[Side]
    others: list[Side]

    def grade_ids(self) -> tuple[int, ...]:
        """The grades that make up the disagreement."""
        return (self.judge.grade_id, *(side.grade_id for side in self.annotators))


def read(store: Store, panel: Panel, wanted: list[Key]) -> list[Disagreement]:
    """Some disagreements in the order asked for; those that are no more are left out."""
    versions = rubric_versions.criteria(store, panel.rubric)
    answers = {one.id: one for one in items.items(store, [key.item_id for key in wanted])}
    given = {item_id: grades.of_item(store, item_id, list(versions)) for item_id in answers}
    made = [
        _made(panel, key, answers[key.item_id], given[key.item_id], versions)
        for key in wanted
        if key.item_id in answers
    ]
    return [one for one in made if one is not None]


def tags_of(store: Store, panel: Panel) -> dict[Key, list[NewestTag]]:
    """Return every tag of the sheet under the rubric's criterion versions, by disagreement."""
    versions = rubric_versions.criteria(store, panel.rubric)
    return held(disagreement_causes.of_sheet(store, panel.sheet.id, versions))


def tag(store: Store, panel: Panel, key: Key, cause: str, grader_id: int, note: str = "") -> bool:
    """Tag the cause of a disagreement; a Problem where it no longer matches the key."""
    found = read(store, panel, [key])
    if not found:
        raise Conflict("One of these grades has changed since. Reload the list.")
    version = panel.rubric.versions()[key.criterion]
    given = Tag(key.item_id, version, found[0].grade_ids(), cause, grader_id, note)
    return disagreement_causes.tag(store, given)


def tag_listed(
    store: Store,
    panel: Panel,
    filters: DisagreementFilter,
    item: str,
    cause: str,
    by: str,
    note: str,
) -> None:
    """Tag the one disagreement on an item that the filters leave; a Problem where it is not one."""
    names = items.item_names(store, panel.sheet.id)
    rows = every(panel, filters._replace(cause=None))
    ids = panel.items["id"].to_numpy()
    hits = [place for place, known in enumerate(ids) if names[int(known)][0] == item]
    named = keys(panel, rows[rows["item"].isin(hits)])
    if len(named) != 1:
        raise _not_one(panel, item, named)
    who = graders.ensure_annotator(store, by)
    tag(store, panel, named[0], "" if cause == "none" else cause, who.id, note)


def _not_one(panel: Panel, item: str, named: list[Key]) -> Problem:
    if not named:
        return Problem("The list has no disagreement on an item “{item}”.", item=item)
    options = (
        f"--judge {panel.labels[one.judge]} --criterion {one.criterion} --cell "
        f"{one.person}:{one.said}"
        for one in named
    )
    words = "There are {n} disagreements on “{item}”. Choose one with: {listed}."
    return Problem(words, n=len(named), item=item, listed=joined("; ", options))


def in_full(
    store: Store, panel: Panel, rows: pd.DataFrame, tags: Mapping[Key, list[NewestTag]]
) -> list[dict[str, Any]]:
    """Return rows of the list in full, as `--json` and CSV have them; read in portions.

    cause, note, tagged_by, tagged_at: Its tag; None without one.
    """
    names = items.item_names(store, panel.sheet.id)
    return [
        _row(panel, one, names[one.key.item_id], tags.get(one.key))
        for start in range(0, len(rows), _PORTION)
        for one in read(store, panel, keys(panel, rows.iloc[start : start + _PORTION]))
    ]


def _row(
    panel: Panel, one: Disagreement, names: tuple[str, str, str], tags: list[NewestTag] | None
) -> dict[str, Any]:
    held = tags[-1] if tags else NO_TAG
    item, question, answer_model = names
    return {
        "item": item,
        "question": question,
        "answer_model": answer_model or None,
        "criterion": one.key.criterion,
        "judge": panel.labels[one.key.judge],
        "judge_score": one.key.said,
        "judge_reason": one.judge.reason,
        "annotator_score": one.key.person,
        "annotators": ", ".join(side.name for side in one.annotators),
        "annotator_reasons": "\n".join(side.reason for side in one.annotators if side.reason),
        "points_apart": abs(one.key.said - one.key.person),
        "simulated": one.judge.simulated or any(side.simulated for side in one.annotators),
        "question_text": one.stored.item.question,
        "answer": one.stored.item.answer,
        "cause": held.cause or None,
        "note": held.note or None,
        "tagged_by": held.who or None,
        "tagged_at": held.when or None,
    }


def _made(
    panel: Panel, key: Key, stored: Stored, rows: list[Row], versions: dict[str, str]
) -> Disagreement | None:
    """Return the disagreement; None where the judge or all annotators have changed the score."""
    mine = {
        row["grader_id"]: row
        for row in sorted(rows, key=lambda row: row["id"])
        if row["repeat"] == 1 and versions[row["version"]] == key.criterion
    }
    judge = mine.get(key.judge)
    theirs = {i: _side(mine[i]) for i in panel.annotators if i in mine and mine[i]["blind"] != 0}
    annotators = [side for side in theirs.values() if side.score == key.person]
    if judge is None or judge["score"] != key.said or not annotators:
        return None
    others = [side for side in theirs.values() if side.score != key.person]
    return Disagreement(key, stored, _side(judge), annotators, others)


def _side(row: Row) -> Side:
    simulated = bool(row["simulated"])
    return Side(row["name"], simulated, row["score"], row["status"], row["reason"], row["id"])
