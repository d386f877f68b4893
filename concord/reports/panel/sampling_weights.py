"""Sampling weights: annotators' grades that come from grading sets, and each answer's weight.

Only grades that follow a grading set generalise to all answers: a set is a random sample with known
inclusion probabilities, other grades may be of any choice of answers
(`concord/grading/inclusion_probabilities.py`).
"""

from typing import NamedTuple

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


class AssignedGrades(NamedTuple):
    """Annotators' grades assigned by grading sets.

    Attributes:
        sets: The names of the sets.
        means: (N,) the mean composite of the annotators that a set gave the item, or whose first
            blocks of a set it filled; NaN without one, or where its probability of being sampled
            and graded is unknown.
        weight: (N,) inverse of that probability; NaN where unknown.
        passed: (N,) which items annotators had graded before, so that a draw may have passed them
            over; the draw says nothing of these.
        excluded_grades: Grades of the sets' answers that do not count, each as a sentence; of
            annotators who count.
        why_none: Why there is nothing to use; None where there is.
    """

    sets: tuple[str, ...]
    means: np.ndarray
    weight: np.ndarray
    passed: np.ndarray
    excluded_grades: tuple[str, ...]
    why_none: str | None


def drawn(store: Store, panel: Panel) -> AssignedGrades:
    """Return the stored samples of a panel's sheet, under its rubric."""
    about = store, panel.sheet.id, list(rubric_versions.criteria(store, panel.rubric))
    sets = inclusion_probabilities.counted_sets(*about)
    accounted = inclusion_probabilities.drawn_grades(*about)
    before = inclusion_probabilities.graded_before_sampling(*about, accounted)
    ids = panel.items["id"].to_numpy()
    passed = np.isin(ids, [*before])
    asked = {person: np.zeros(len(ids), bool) for person in panel.annotators}
    for person, item in accounted.pairs:
        if person in asked:
            asked[person][np.searchsorted(ids, item)] = True
    graded, total, times = np.zeros(len(ids), bool), np.zeros(len(ids)), np.zeros(len(ids))
    for person, mine in asked.items():
        marks, counted = panel.of(COMPOSITE, person), mine & ~passed
        graded |= mine & (marks.status >= 0)
        counted &= panel.counted(COMPOSITE, person)
        total[counted] += marks.score[counted]
        times += counted
    weight, why = np.full(len(ids), np.nan), NOT_BEGUN if sets else NO_SET
    if sets and graded.any():
        member = np.stack([one.member for one in sets])
        weight = 1 / chance(np.stack([one.probability for one in sets]), member, graded)
        why = SOME_UNKNOWN if np.isnan(weight[graded]).all() else None
    means = np.divide(total, times, out=np.full(len(ids), np.nan), where=times > 0)
    means[np.isnan(weight)] = np.nan
    here = {one.name for one in panel.annotators.values()}
    excluded = tuple(one.sentence() for one in accounted.excluded if sets and one.person in here)
    return AssignedGrades(tuple(one.name for one in sets), means, weight, passed, excluded, why)
