"""Regrading: exactly which grades must be given again when a criterion is reworded.

Grades stay with the version they were given under. A grade is to be given again where its version
no longer counts and its grader has not graded that answer under one that does. Only first grades
are listed: later ones measure intra-annotator agreement and enter no other figure.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from concord.grading import disagreement_causes, regrades
from concord.grading.grading_sets import GradingSet
from concord.grading.regrades import OutdatedGrade
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import grade_table, graders, items
from concord.store import sheets as stored
from concord.store.database import Store
from concord.store.rubrics import rubric_edits, rubric_versions


@dataclass(frozen=True)
class GradeLeft:
    """A grade under an earlier version; `score`: None if it has no score."""

    sheet: str
    item: str
    question: str
    answer_model: str
    criterion: str
    version: str
    grader: str
    kind: str
    simulated: bool
    status: str
    score: float | None


def after_change(store: Store, rubric: Rubric, criterion: str) -> tuple[GradeLeft, ...]:
    """The grades that a new version of a criterion would leave behind; annotators before judges."""
    counting = rubric_versions.counting(store, rubric.versions()[criterion])
    return _named(store, criterion, lambda sheet: _current(store, sheet, counting))


def outstanding(store: Store, rubric: Rubric, criterion: str) -> tuple[GradeLeft, ...]:
    """The grades of earlier versions of a criterion that were not yet given under this one.

    Earlier versions are those the rubric had before and those that, before this one was written,
    a tag called unclear; on the same scale, and not carried over as wording only.
    """
    return _named(store, criterion, lambda sheet: _left(store, sheet, rubric, criterion))


@dataclass(frozen=True)
class RegradeRequest:
    """Grades to request again on one sheet, without those requested already."""

    sheet: Sheet
    left: tuple[OutdatedGrade, ...]

    def answers(self) -> int:
        """Return how many answers the grades are of."""
        return len({one.item_id for one in self.left})

    def annotators(self) -> int:
        """Return how many annotators gave them."""
        return len({one.grader_id for one in self.left})

    def to_json(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            "sheet": self.sheet.name,
            "grades": len(self.left),
            "answers": self.answers(),
            "annotators": self.annotators(),
        }


def to_ask(
    store: Store, rubric: Rubric, criterion: str, only: Sheet | None = None
) -> list[RegradeRequest]:
    """Return the outstanding regrades of annotators who are not simulated, by sheet.

    Those already requested are left out. `only` restricts to one sheet.
    """
    asked = regrades.requested(store, rubric.versions()[criterion])
    annotators = {one.id for one in graders.of_kind(store, "person") if not one.simulated}
    found = []
    for sheet in [only] if only else stored.all_sheets(store):
        table = _left(store, sheet, rubric, criterion)
        table = table[table["grader_id"].isin(annotators) & ~table["id"].isin(asked)]
        rows = table[["id", "item_id", "grader_id"]].itertuples(index=False)
        found.append(RegradeRequest(sheet, tuple(OutdatedGrade(*map(int, row)) for row in rows)))
    return [one for one in found if one.left]


def ask(
    store: Store, rubric: Rubric, criterion: str, by: str, only: Sheet | None = None
) -> list[GradingSet]:
    """Put annotators' outstanding grades back into their queues; the grading sets that hold it."""
    with store.write():
        return [
            regrades.ask(store, one.sheet.id, rubric, criterion, one.left, by)
            for one in to_ask(store, rubric, criterion, only)
        ]


def _left(store: Store, sheet: Sheet, rubric: Rubric, criterion: str) -> pd.DataFrame:
    """Return the current first grades of a sheet that exist under earlier versions only."""
    version = rubric.versions()[criterion]
    counting = rubric_versions.counting(store, version)
    history = rubric_edits.history(store, rubric.name)
    earlier = [one.version for one in history if one.criterion == criterion]
    if rubric_edits.is_own(store, rubric.name):
        earlier += disagreement_causes.unclear_versions(store, sheet.id, version)
    earlier = [one for one in dict.fromkeys(earlier) if one not in counting]
    given = _current(store, sheet, counting)
    if not earlier:
        return given.iloc[:0]
    # The newest old grade of each answer and grader that has no new one.
    slot = ["item_id", "grader_id"]
    old = _current(store, sheet, earlier).drop_duplicates(slot, keep="last")
    again = pd.MultiIndex.from_frame(given[slot])
    return old[~pd.MultiIndex.from_frame(old[slot]).isin(again)]


def _current(store: Store, sheet: Sheet, versions: list[str]) -> pd.DataFrame:
    """The current first grades of a sheet under some versions; `criterion` holds the version.

    Not of questions that judges may have seen: those grades never count.
    """
    table = grade_table.table(store, sheet.id, {version: version for version in versions})
    closed = splits.leaked(store, sheet.id)
    shut = {row[0] for row in items.item_index(store, sheet.id) if row[1] in closed}
    return table[(table["repeat"] == 1) & ~table["item_id"].isin(shut)]


def _named(
    store: Store, criterion: str, of_sheet: Callable[[Sheet], pd.DataFrame]
) -> tuple[GradeLeft, ...]:
    """Grades of every sheet with names in place of ids, annotators' first."""
    found = []
    for sheet in stored.all_sheets(store):
        table = of_sheet(sheet)
        if table.empty:  # names take longest to read
            continue
        who = {i: graders.get(store, int(i)) for i in table["grader_id"].unique()}
        answers = items.item_names(store, sheet.id)
        columns = ("item_id", "criterion", "grader_id", "status", "score")
        for item_id, version, by, status, score in zip(*(table[c] for c in columns), strict=True):
            grader = who[by].label(), who[by].kind, who[by].simulated
            score = None if np.isnan(score) else score
            names = sheet.name, *answers[item_id], criterion, version
            found.append(GradeLeft(*names, *grader, status, score))
    return tuple(sorted(found, key=lambda one: one.kind, reverse=True))
