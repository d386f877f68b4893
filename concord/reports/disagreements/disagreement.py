"""One disagreement in full: the answer, and each grader's score and reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from concord.grading import disagreement_causes
from concord.grading.disagreement_causes import Tag
from concord.messages import Conflict, Problem, joined
from concord.reports.disagreements.disagreements import (
    NO_TAG,
    DisagreementFilter,
    Key,
    NewestTag,
    every,
    held,
)
from concord.reports.disagreements.disagreements import keys as keys_of
from concord.reports.panel.panel import Panel
from concord.store import graders, grades, items
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions

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


def read(store: Store, panel: Panel, keys: list[Key]) -> list[Disagreement]:
    """Some disagreements in the order asked for; those that are no more are left out."""
    versions = rubric_versions.criteria(store, panel.rubric)
    answers = {one.id: one for one in items.items(store, [key.item_id for key in keys])}
    given = {item_id: grades.of_item(store, item_id, list(versions)) for item_id in answers}
    made = [
        _made(panel, key, answers[key.item_id], given[key.item_id], versions)
        for key in keys
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
        raise Conflict(
            "One of these grades was changed or withdrawn in the meantime, so this disagreement "
            "is out of date. Reload the list."
        )
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
    keys = keys_of(panel, rows[rows["item"].isin(hits)])
    if len(keys) != 1:
        raise _not_one(panel, item, keys)
    who = graders.ensure_annotator(store, by)
    tag(store, panel, keys[0], "" if cause == "none" else cause, who.id, note)


def _not_one(panel: Panel, item: str, keys: list) -> Problem:
    if not keys:
        return Problem(
            "The list has no disagreement on an item “{item}”. Its first column names them.",
            item=item,
        )
    listed = joined(
        "; ",
        (
            f"--judge {panel.labels[key.judge]} --criterion {key.criterion} --cell "
            f"{key.person}:{key.said}"
            for key in keys
        ),
    )
    return Problem(
        "There are {n} disagreements on “{item}”. Choose one with: {listed}.",
        n=len(keys),
        item=item,
        listed=listed,
    )


@dataclass(frozen=True)
class DisagreementRow:
    """A disagreement in full, as `--json` and CSV have it.

    Attributes:
        cause, note, tagged_by, tagged_at: Its tag; None without one.
    """

    item: str
    question: str
    answer_model: str | None
    criterion: str
    judge: str
    judge_score: int
    judge_reason: str
    annotator_score: int
    annotators: str
    annotator_reasons: str
    points_apart: int
    simulated: bool
    question_text: str
    answer: str
    cause: str | None
    note: str | None
    tagged_by: str | None
    tagged_at: str | None


def in_full(
    store: Store, panel: Panel, rows: pd.DataFrame, tags: Mapping[Key, list[NewestTag]]
) -> tuple[DisagreementRow, ...]:
    """Return rows of the list in full; read in portions."""
    names = items.item_names(store, panel.sheet.id)
    return tuple(
        _row(panel, one, names[one.key.item_id], tags.get(one.key))
        for start in range(0, len(rows), _PORTION)
        for one in read(store, panel, keys_of(panel, rows.iloc[start : start + _PORTION]))
    )


def _row(
    panel: Panel, one: Disagreement, names: tuple[str, str, str], tags: list[NewestTag] | None
) -> DisagreementRow:
    held = tags[-1] if tags else NO_TAG
    item, question, answer_model = names
    return DisagreementRow(
        item=item,
        question=question,
        answer_model=answer_model or None,
        criterion=one.key.criterion,
        judge=panel.labels[one.key.judge],
        judge_score=one.key.said,
        judge_reason=one.judge.reason,
        annotator_score=one.key.person,
        annotators=", ".join(side.name for side in one.annotators),
        annotator_reasons="\n".join(side.reason for side in one.annotators if side.reason),
        points_apart=abs(one.key.said - one.key.person),
        simulated=one.judge.simulated or any(side.simulated for side in one.annotators),
        question_text=one.stored.item.question,
        answer=one.stored.item.answer,
        cause=held.cause or None,
        note=held.note or None,
        tagged_by=held.who or None,
        tagged_at=held.when or None,
    )


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
