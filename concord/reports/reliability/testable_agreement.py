"""Testable agreement: whether what is graded and assigned suffices to compare an annotator.

A set of few answers, or with few of them shared, never reaches the number of shared answers from
which agreement is tested. Gold items are tested without any.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from concord.grading import assignments, gold_items, grading_sets
from concord.grading.campaign_plan import Seat
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, joined, said
from concord.reports.panel.panel import Panel
from concord.stats.core.minimums import GOLD_FLOOR
from concord.stats.reliability.annotator_alerts import enough_shared
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

_SHARE = said(
    "What is assigned is too little to test agreement: assign more answers to several annotators."
)
_GOLD = said("Or mix in gold items: they are tested from {least} on.", least=GOLD_FLOOR)


class Enough(NamedTuple):
    """Whether agreement can be tested once all is graded, and whether gold items can be."""

    agreement: bool
    gold: bool


def of_panel(store: Store, panel: Panel) -> dict[int, Enough]:
    """Return what can be tested of each annotator who has a set of the panel's rubric."""
    answers, gold = _assigned(store, panel)
    if not answers:
        return {}
    people = sorted({*panel.annotators, *answers})
    ids = panel.items["item_id"].to_numpy()
    has = np.array([_graded(panel, i) | np.isin(ids, [*answers.get(i, ())]) for i in people])
    has, size = has & panel.open, np.ones(len(ids))
    return {
        one: Enough(enough_shared(has, size, people.index(one)), gold[one] >= GOLD_FLOOR)
        for one in answers
    }


def lacks(found: Enough) -> list[Said]:
    """Return what would help where agreement cannot be tested; nothing where it can."""
    if found.agreement:
        return []
    return [_SHARE] if found.gold else [_SHARE, _GOLD]


def plan_lacks(
    store: Store, grading_set: GradingSet, sizes: Collection[int], taken: Mapping[Seat, int]
) -> Said | None:
    """Return what a plan lacks to test each annotator's agreement; None with enough gold items.

    `sizes` are the answers of each block, `taken` the annotator, from 0, of each seat.
    """
    if len(gold_items.answers(store, grading_set.id)) >= GOLD_FLOOR:
        return None
    has = np.zeros((max(taken.values(), default=0) + 1, len(sizes)), bool)
    for seat, person in taken.items():
        has[person, seat.block] = True
    size = np.array([*sizes])
    enough = all(enough_shared(has, size, one) for one in range(len(has)))
    return None if enough else joined(" ", lacks(Enough(False, False)))


def _assigned(store: Store, panel: Panel) -> tuple[dict[int, set[int]], dict[int, int]]:
    """The answers of each annotator in all sets of the rubric, and the number of gold items."""
    answers: dict[int, set[int]] = {}
    gold: dict[int, int] = {}
    versions = panel.rubric.versions()
    for one in grading_sets.of_sheet(store, panel.sheet.id):
        if rubric_versions.get(store, one.rubric_id).versions() == versions:
            known = len(gold_items.answers(store, one.id))
            for person, items in assignments.assigned_in_set(store, one).items():
                answers[person] = answers.get(person, set()) | items
                gold[person] = gold.get(person, 0) + known
    return answers, gold


def _graded(panel: Panel, grader_id: int) -> np.ndarray:
    """(N,) which answers count that an annotator graded by any criterion."""
    if grader_id not in panel.annotators:
        return np.zeros(len(panel.items), bool)
    return np.any([panel.counted(one.name, grader_id) for one in panel.rubric.criteria], axis=0)
