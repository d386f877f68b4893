"""Suspicion: the answers that judges fail, among which annotators will find failing ones sooner."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from concord.messages import Problem
from concord.model import Grader
from concord.reports.panel.panel import Panel


class Suspicion(NamedTuple):
    """Answers that judges suspect to fail on one criterion.

    Attributes:
        items: The ids of the answers that one of the judges fails.
        questions: Number of questions these belong to, of `of` questions that may be scored.
    """

    items: frozenset[int]
    questions: int
    of: int


def suspicion(panel: Panel, criterion: str, labels: Collection[str] | None = None) -> Suspicion:
    """Return the open answers that at least one of some judges (None: all of them) fails.

    A Problem where none of them has graded.
    """
    judges = raising(panel)
    wanted = judges if labels is None else {label: judges[label] for label in labels}
    if not wanted:
        raise Problem(
            "No judge has graded this sheet, so there are no suspected failures. Run one first, "
            "for example the baseline, or sample at random."
        )
    failing = list(panel.rubric.failing(panel.rubric.criterion(criterion)))
    failed = np.zeros(len(panel.items), bool)
    for judge in wanted.values():
        marks = panel.of(criterion, judge.id)
        failed |= panel.open & marks.scored & np.isin(marks.score, failing)
    ids = panel.items["id"].to_numpy()[failed]
    every = np.unique(panel.question[panel.open])
    return Suspicion(frozenset(ids.tolist()), len(np.unique(panel.question[failed])), len(every))


def raising(panel: Panel) -> dict[str, Grader]:
    """Return the judges whose scores mark suspects, by label; metrics are excluded."""
    return {panel.labels[i]: judge for i, judge in panel.judges.items() if judge.kind == "judge"}
