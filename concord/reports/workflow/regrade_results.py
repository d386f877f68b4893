"""Regrading results: grades under a criterion's new wording compared with the old ones.

Changes are due to the wording and to intra-annotator disagreement; hidden repeats show the size of
the latter. Every annotator is compared with themselves alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from concord.grading import regrades
from concord.messages import Said, counted, joined, said
from concord.reports.document import Column, Table
from concord.reports.panel.simulated import named
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
        return said("No grade was asked for again.")
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
    columns = (
        Column(said("annotator")),
        Column(said("asked"), "count"),
        Column(said("old and new"), "count"),
        Column(said("questions"), "count"),
        Column(said("up"), "count"),
        Column(said("down"), "count"),
        Column(said("same"), "count"),
        Column(said("kept the score"), "share"),
        Column(said("mean change"), "difference"),
        Column(said("left out")),
    )
    cells = (
        (
            named(one.grader, one.simulated),
            *(one.asked, one.n, one.questions, one.up, one.down, one.same),
            *(one.exact, one.change),
            joined("; ", [said("{n:,} {why}", n=n, why=why) for why, n in one.left_out.items()]),
        )
        for one in found
    )
    return Table("regraded", columns, tuple(cells))


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
