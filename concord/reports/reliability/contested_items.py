"""Split items: the answers on which annotators differ most, whoever gave which score."""

import numpy as np

from concord.reports.panel.comparison import Ground
from concord.reports.panel.panel import Panel
from concord.store import grades
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def split_items(store: Store, on: Ground, most: int | None = None) -> dict:
    """The answers annotators differ on, the widest first; then by the mean difference.

    Returns:
        `n` answers that two annotators or more graded, of which `differ` got different scores, and
        `items`: `item_id`, `item`, `question`, `answer_model`, `scores` (rising, without names) and
        `apart` (points between the lowest and the highest), at most `most` of them.
    """
    items, scores = on.overlap()
    rows = [np.sort(column[~np.isnan(column)]) for column in scores.T]
    order = sorted(range(len(rows)), key=lambda place: _agreeing(rows[place]))
    differ = [place for place in order if np.ptp(rows[place]) > 0]
    names = store_items.item_names(store, on.panel.sheet.id) if differ else {}
    ids = on.panel.items["id"].to_numpy()
    return {
        "n": len(rows),
        "differ": len(differ),
        "items": [_row(int(ids[items[place]]), names, rows[place]) for place in differ[:most]],
    }


def said(store: Store, panel: Panel, criterion: str, item_id: int) -> list[tuple[int, str]]:
    """The scores of one answer that count, with their reasons; rising, and without names."""
    (place,) = np.flatnonzero(panel.items["id"] == item_id)
    names = rubric_versions.criteria(store, panel.rubric)
    versions = [version for version, name in names.items() if name == criterion]
    rows = grades.of_item(store, item_id, versions)
    reasons = {
        row["grader_id"]: row["reason"]
        for row in sorted(rows, key=lambda row: row["id"])
        if row["repeat"] == 1
    }
    return sorted(
        (int(panel.of(criterion, person).score[place]), reasons.get(person, ""))
        for person in panel.annotators
        if panel.counted(criterion, person)[place]
    )


def _agreeing(scores: np.ndarray) -> tuple[float, float]:
    """Lower the further annotators are apart: the range, then the mean pairwise difference."""
    number = len(scores)
    away = np.abs(scores[:, None] - scores).sum() / (number * (number - 1))
    return -float(np.ptp(scores)), -float(away)


def _row(item_id: int, names: dict[int, tuple[str, str, str]], scores: np.ndarray) -> dict:
    item, question, answer_model = names[item_id]
    return {
        "item_id": item_id,
        "item": item,
        "question": question,
        "answer_model": answer_model,
        "scores": [int(score) for score in scores],
        "apart": int(np.ptp(scores)),
    }
