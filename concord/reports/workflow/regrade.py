"""Regrading: which grades must be given again when a criterion is reworded, and what changed.

Grades stay with the version they were given under. A grade is to be given again where its version
no longer counts and its grader has not graded that answer under one that does. Only first grades
are listed: later ones measure intra-annotator agreement and enter no other figure.

Changes are due to the wording and to intra-annotator disagreement; hidden repeats show the size of
the latter. Every annotator is compared with themselves alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from concord.grading import disagreement_causes, regrades
from concord.grading.grading_sets import GradingSet
from concord.grading.regrades import OutdatedGrade
from concord.messages import Said, counted, joined, said
from concord.model import Sheet
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.provenance import named
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures
from concord.store import grade_table, graders, items
from concord.store import sheets as stored
from concord.store.database import Row, Store
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


WAITING = said("not given again yet")
UNSCORED_BEFORE, UNSCORED_NOW = said("had no score"), said("has no score now")


@dataclass(frozen=True)
class Regraded:
    """An annotator's grades of a criterion that were requested again.

    Attributes:
        asked: Grades requested; `left_out` of them are not compared, by reason.
        n: Grades with a score before and now, of `questions`.
        up, down, same: How many moved.
        exact: Share that kept the score.
        change: Mean of new minus old, in points.
    """

    grader: str
    simulated: bool
    asked: int
    left_out: Mapping[str, int]
    n: int
    questions: int
    up: int
    down: int
    same: int
    exact: Estimate
    change: Estimate


@dataclass(frozen=True)
class Requested:
    """A grading set that requests grades again; `grades` of `answers`."""

    set: str
    grades: int
    answers: int


@dataclass(frozen=True)
class Regrading:
    """The grades of a reworded criterion that were requested again.

    Attributes:
        rubric: The rubric's name.
        criterion: The criterion.
        made: The grading sets made in this step.
        to_ask: What could be requested, by sheet.
        sentence: The result so far, in one sentence.
        rows: Old and new grades of each annotator.
    """

    rubric: str
    criterion: str
    made: tuple[Requested, ...]
    to_ask: tuple[RegradeRequest, ...]
    sentence: Said
    rows: tuple[Regraded, ...]


def regrading(
    store: Store,
    rubric: Rubric,
    criterion: str,
    made: Iterable[GradingSet] = (),
    only: Sheet | None = None,
) -> Regrading:
    """Return what was requested again, what could be, and how grades moved.

    `made` are the grading sets made in this step, and `only` is one sheet, None for all.
    """
    found = rows(store, rubric, criterion)
    return Regrading(
        rubric=rubric.name,
        criterion=criterion,
        made=tuple(
            Requested(one.name, regrades.asked_in(store, one.id), one.answers) for one in made
        ),
        to_ask=tuple(to_ask(store, rubric, criterion, only)),
        sentence=regraded_sentence(found),
        rows=found,
    )


def regrading_document(found: Regrading) -> Document:
    """Return what is shown of grades requested again."""
    parts = (
        (Column("grading set"), "set"),
        (Column("grades", "count"), "grades"),
        (Column("answers", "count"), "answers"),
    )
    return Document(
        found.sentence,
        tables=(
            table_of("made", found.made, parts, "Grading sets made"),
            request_table(found.to_ask),
            table(found.rows),
        ),
    )


def request_table(found: Iterable[RegradeRequest]) -> Table:
    """Return a row for each sheet with grades to request again."""
    parts = (
        (Column("sheet"), "sheet.name"),
        (Column("grades", "count"), lambda one: len(one.left)),
        (Column("answers", "count"), lambda one: one.answers()),
        (Column("annotators", "count"), lambda one: one.annotators()),
    )
    return table_of("requests", found, parts, "Grades to request again")


def rows(store: Store, rubric: Rubric, criterion: str) -> tuple[Regraded, ...]:
    """Return a row per annotator whose grades of a criterion were requested again, by name."""
    found: dict[tuple[str, bool], list[Row]] = {}
    for row in regrades.side_by_side(store, rubric.versions()[criterion]):
        found.setdefault((row["grader"], bool(row["simulated"])), []).append(row)
    return tuple(_row(rubric, *who, own) for who, own in found.items())


def regraded_sentence(found: Sequence[Regraded]) -> Said:
    """Return how many grades were given again, and how they moved."""
    asked, n, up, down = (
        sum(getattr(one, key) for one in found) for key in ("asked", "n", "up", "down")
    )
    if not asked:
        return "No grades have been requested again."
    grades = counted(asked, "grade")
    return said(
        "{n:,} of {grades} can be compared with the old one: {up:,} moved up, {down:,} down.",
        n=n,
        grades=grades,
        up=up,
        down=down,
    )


def table(found: Iterable[Regraded]) -> Table:
    """Return the old and new grades of every annotator."""
    parts = (
        (Column("annotator"), lambda one: named(one.grader, one.simulated)),
        (Column("asked", "count"), "asked"),
        (Column("old and new", "count"), "n"),
        (Column("questions", "count"), "questions"),
        (Column("up", "count"), "up"),
        (Column("down", "count"), "down"),
        (Column("same", "count"), "same"),
        (Column("kept the score", "share"), "exact"),
        (Column("mean change", "difference"), "change"),
        (Column("left out"), lambda one: _left_out(one.left_out)),
    )
    return table_of("regraded", found, parts)


def _left_out(counts: Mapping[str, int]) -> str:
    return joined("; ", [said("{n:,} {why}", n=n, why=why) for why, n in counts.items()])


def _row(rubric: Rubric, grader: str, simulated: bool, own: list[Row]) -> Regraded:
    why = [_why_out(row) for row in own]
    both = [row for row, out in zip(own, why, strict=True) if not out]
    old = np.array([row["old_score"] for row in both], float)
    new = np.array([row["new_score"] for row in both], float)
    cluster = np.unique([row["cluster"] for row in both], return_inverse=True)[1]
    pairs = Pairs(new, old, np.ones(len(both)), np.arange(len(both)), cluster)
    found = figures(pairs, rubric.scale, (), names=("exact", "bias")) if both else {}
    none = undefined(said("no grade has a score before and now"))
    return Regraded(
        grader=grader,
        simulated=simulated,
        asked=len(own),
        left_out={reason: why.count(reason) for reason in dict.fromkeys(filter(None, why))},
        n=len(both),
        questions=len(np.unique(cluster)),
        up=int((new > old).sum()),
        down=int((new < old).sum()),
        same=int((new == old).sum()),
        exact=found.get("exact", none),
        change=found.get("bias", none),
    )


def _why_out(row: Row) -> str:
    if row["new_status"] is None:
        return WAITING
    if row["old_status"] != "scored":
        return UNSCORED_BEFORE
    return UNSCORED_NOW if row["new_status"] != "scored" else ""


@dataclass(frozen=True)
class GradesLeft:
    """The grades a new version of a criterion would leave, and those that were left before."""

    rubric: str
    criterion: str
    sentence: str
    after_change: tuple[GradeLeft, ...]
    outstanding: tuple[GradeLeft, ...]


def grades_left(store: Store, rubric: Rubric, criterion: str) -> GradesLeft:
    """Return what a new version of a criterion would leave, and what the current one has left."""
    after = after_change(store, rubric, criterion)
    left = outstanding(store, rubric, criterion)
    headline = said(
        "If {criterion} is reworded: {grades}"
        if after
        else "No grade depends on the current wording of {criterion}.",
        criterion=criterion,
        grades=sentence(after),
    )
    return GradesLeft(rubric.name, criterion, headline, after, left)


def document(found: GradesLeft) -> Document:
    """Return what is shown of the grades left behind."""
    earlier = said("Given under earlier wordings: {grades}", grades=sentence(found.outstanding))
    return Document(
        found.sentence,
        facts=(earlier,) if found.outstanding else (),
        tables=(
            replace(grader_table(found.after_change), title="After a change"),
            replace(grader_table(found.outstanding), title="Under earlier wordings"),
        ),
    )


def sentence(found: Sequence[GradeLeft]) -> Said:
    """Return how many grades must be given again; annotators and judges apart.

    Annotators regrade by hand and judges by a run, so a total of both would be of no use.
    """
    if not found:
        return "no grades to regrade."
    annotators = sum(one.kind == "person" for one in found)
    return said(
        "{grades} to regrade ({annotators:,} by annotators, {judges:,} by judges).",
        grades=counted(len(found), "grade"),
        annotators=annotators,
        judges=len(found) - annotators,
    )


def grader_table(found: Iterable[GradeLeft]) -> Table:
    """Return a row for each grader with grades to give again, the annotators first."""
    own: dict[tuple[str, str], list[GradeLeft]] = {}
    for one in found:
        own.setdefault((one.kind, named(one.grader, one.simulated)), []).append(one)
    rows = sorted(own.items(), key=lambda row: (row[0][0] != "person", -len(row[1])))
    parts = (
        (Column("grader"), lambda row: row[0][1]),
        (Column("kind"), lambda row: graders.KINDS[row[0][0]]),
        (Column("grades", "count"), lambda row: len(row[1])),
        (Column("answers", "count"), lambda row: len({one.item for one in row[1]})),
    )
    return table_of("graders", rows, parts)
