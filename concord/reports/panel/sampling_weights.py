"""Sampling weights: annotators' grades that come from grading sets, and each answer's weight.

Only grades that follow a grading set generalise to all answers: a set is a random sample with known
inclusion probabilities, other grades may be of any choice of answers
(`concord/grading/inclusion_probabilities.py`).
"""

from dataclasses import dataclass

import numpy as np

from concord.grading import inclusion_probabilities
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.inclusion_weights import chance
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

NO_SET = (
    "no grading set was sampled for this rubric, so it is unknown how the graded answers were "
    "chosen"
)
NOT_BEGUN = (
    "no annotator has graded an answer since a grading set assigned it, nor, in a file imported "
    "since sampling, a whole first block of a set"
)
SOME_UNKNOWN = "the inclusion probabilities of the answers are unknown"


@dataclass(frozen=True)
class AssignedGrades:
    """Annotators' grades assigned by grading sets.

    Attributes:
        sets: The names of the sets.
        weight: (N,) inverse probability of each item being sampled and graded; NaN where unknown.
        asked: By annotator's id, (N,) which items a set gave that annotator, or that filled its
            first blocks.
        passed: (N,) which items annotators had graded before, so that a draw may have passed them
            over; the draw says nothing of these.
        why_none: Why there is nothing to use; None where there is.
        excluded_grades: Grades of the sets' answers that do not count, each as a sentence; of
            annotators who count.
    """

    sets: tuple[str, ...]
    weight: np.ndarray
    asked: dict[int, np.ndarray]
    passed: np.ndarray
    why_none: str | None = None
    excluded_grades: tuple[str, ...] = ()

    def means(self, panel: Panel, criterion: str = COMPOSITE) -> np.ndarray:
        """Return (N,) the mean score of the assigned annotators; NaN where missing."""
        total, count = np.zeros(len(panel.items)), np.zeros(len(panel.items))
        for person, asked in self.asked.items():
            if person in panel.annotators:
                counted = asked & panel.counted(criterion, person) & ~self.passed
                counted &= ~np.isnan(self.weight)
                total[counted] += panel.of(criterion, person).score[counted]
                count += counted
        return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)


def drawn(store: Store, panel: Panel) -> AssignedGrades:
    """Return the stored samples of a panel's sheet, under its rubric."""
    versions = list(rubric_versions.criteria(store, panel.rubric))
    sets = inclusion_probabilities.counted_sets(store, panel.sheet.id, versions)
    unknown = np.full(len(panel.items), np.nan)
    accounted = inclusion_probabilities.drawn_grades(store, panel.sheet.id, versions)
    before = inclusion_probabilities.graded_before_sampling(
        store, panel.sheet.id, versions, accounted
    )
    passed = panel.items["id"].isin(before).to_numpy()
    if not sets:
        return AssignedGrades((), unknown, {}, passed, NO_SET)
    names = tuple(one.name for one in sets)
    asked = _assigned(panel, accounted.pairs)
    here = {one.name for one in panel.annotators.values()}
    excluded_grades = tuple(one.sentence() for one in accounted.excluded if one.person in here)
    graded = np.zeros(len(panel.items), bool)
    for person, items in asked.items():
        if person in panel.annotators:
            graded |= items & (panel.of(COMPOSITE, person).status >= 0)
    if not graded.any():
        return AssignedGrades(names, unknown, asked, passed, NOT_BEGUN, excluded_grades)
    member = np.stack([one.member for one in sets])
    weight = 1 / chance(np.stack([one.probability for one in sets]), member, graded)
    why = SOME_UNKNOWN if np.isnan(weight[graded]).all() else None
    return AssignedGrades(names, weight, asked, passed, why, excluded_grades)


def _assigned(panel: Panel, given: set[tuple[int, int]]) -> dict[int, np.ndarray]:
    """Return which of the panel's items each annotator was assigned."""
    found: dict[int, np.ndarray] = {}
    ids = panel.items["id"].to_numpy()
    for person, item in given:
        mask = found.setdefault(person, np.zeros(len(ids), bool))
        mask[np.searchsorted(ids, item)] = True
    return found
