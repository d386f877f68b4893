"""Contested items: the answers on which annotators differ most, without their names."""

from dataclasses import dataclass

import numpy as np

from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.panel.panel import Panel
from concord.store import grades
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class ContestedItem:
    """An answer with its scores, rising, and the points between the lowest and the highest."""

    item_id: int
    item: str
    question: str
    answer_model: str
    scores: tuple[int, ...]
    points_apart: int


@dataclass(frozen=True)
class ContestedItems:
    """Answers with different scores, of n that two or more annotators graded.

    Attributes:
        items: The widest range first, then the largest mean difference.
    """

    n: int
    differ: int
    items: tuple[ContestedItem, ...]


def contested_items(store: Store, on: CriterionPanel, most: int | None = None) -> ContestedItems:
    """Return the contested answers, at most `most` of them; all for None."""
    items, scores = on.overlap()
    rows = [np.sort(column[~np.isnan(column)]) for column in scores.T]
    order = sorted(range(len(rows)), key=lambda index: _agreement(rows[index]))
    differ = [index for index in order if np.ptp(rows[index]) > 0]
    names = store_items.item_names(store, on.panel.sheet.id) if differ else {}
    ids = on.panel.items["id"].to_numpy()
    shown = ((int(ids[items[index]]), rows[index]) for index in differ[:most])
    return ContestedItems(
        n=len(rows),
        differ=len(differ),
        items=tuple(
            ContestedItem(i, *names[i], tuple(map(int, own)), int(np.ptp(own))) for i, own in shown
        ),
    )


def scores_with_reasons(
    store: Store, panel: Panel, criterion: str, item_id: int
) -> list[tuple[int, str]]:
    """Return the scores of one answer that count, with their reasons; rising, without names."""
    (index,) = np.flatnonzero(panel.items["id"] == item_id)
    names = rubric_versions.criteria(store, panel.rubric)
    versions = [version for version, name in names.items() if name == criterion]
    rows = grades.of_item(store, item_id, versions)
    reasons = {
        row["grader_id"]: row["reason"]
        for row in sorted(rows, key=lambda row: row["id"])
        if row["repeat"] == 1
    }
    return sorted(
        (int(panel.of(criterion, person).score[index]), reasons.get(person, ""))
        for person in panel.annotators
        if panel.counted(criterion, person)[index]
    )


def _agreement(scores: np.ndarray) -> tuple[float, float]:
    """Lower the further apart annotators are: the range, then the mean pairwise difference."""
    number = len(scores)
    away = np.abs(scores[:, None] - scores).sum() / (number * (number - 1))
    return -float(np.ptp(scores)), -float(away)
