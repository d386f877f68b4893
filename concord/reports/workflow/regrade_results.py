"""Regrading results: grades under a criterion's new wording compared with the old ones.

Changes are due to the wording and to intra-annotator disagreement; hidden repeats show the size of
the latter. Every annotator is compared with themselves alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from concord.grading import regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, counted, joined, said
from concord.model import Sheet
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.simulated import named
from concord.reports.workflow import regrade
from concord.reports.workflow.regrade import RegradeRequest
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures
from concord.store.database import Row, Store

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
        to_ask=tuple(regrade.to_ask(store, rubric, criterion, only)),
        sentence=sentence(found),
        rows=found,
    )


def document(found: Regrading) -> Document:
    """Return what is shown of grades requested again."""
    parts = (
        (Column(said("grading set")), lambda one: one.set),
        (Column(said("grades"), "count"), lambda one: one.grades),
        (Column(said("answers"), "count"), lambda one: one.answers),
    )
    return Document(
        found.sentence,
        tables=(
            table_of("made", found.made, parts, said("Grading sets made")),
            request_table(found.to_ask),
            table(found.rows),
        ),
    )


def request_table(found: Iterable[RegradeRequest]) -> Table:
    """Return a row for each sheet with grades to request again."""
    parts = (
        (Column(said("sheet")), lambda one: one.sheet.name),
        (Column(said("grades"), "count"), lambda one: len(one.left)),
        (Column(said("answers"), "count"), lambda one: one.answers()),
        (Column(said("annotators"), "count"), lambda one: one.annotators()),
    )
    return table_of("requests", found, parts, said("Grades to request again"))


def rows(store: Store, rubric: Rubric, criterion: str) -> tuple[Regraded, ...]:
    """Return a row per annotator whose grades of a criterion were requested again, by name."""
    found: dict[tuple[str, bool], list[Row]] = {}
    for row in regrades.side_by_side(store, rubric.versions()[criterion]):
        found.setdefault((row["grader"], bool(row["simulated"])), []).append(row)
    return tuple(_row(rubric, *who, own) for who, own in found.items())


def sentence(found: Sequence[Regraded]) -> Said:
    """Return how many grades were given again, and how they moved."""
    asked, n, up, down = (
        sum(getattr(one, key) for one in found) for key in ("asked", "n", "up", "down")
    )
    if not asked:
        return said("No grades have been requested again.")
    grades = counted(asked, "grade")
    if not n:
        return said("{n:,} of {grades} can be compared with the old one.", n=n, grades=grades)
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
        (Column(said("annotator")), lambda one: named(one.grader, one.simulated)),
        (Column(said("asked"), "count"), lambda one: one.asked),
        (Column(said("old and new"), "count"), lambda one: one.n),
        (Column(said("questions"), "count"), lambda one: one.questions),
        (Column(said("up"), "count"), lambda one: one.up),
        (Column(said("down"), "count"), lambda one: one.down),
        (Column(said("same"), "count"), lambda one: one.same),
        (Column(said("kept the score"), "share"), lambda one: one.exact),
        (Column(said("mean change"), "difference"), lambda one: one.change),
        (Column(said("left out")), lambda one: _left_out(one.left_out)),
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
