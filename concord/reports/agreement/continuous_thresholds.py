"""Pass and fail by continuous grades: from which number of a judge annotators pass an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from concord.messages import Numeral
from concord.reports.cells import undefined
from concord.reports.document import FLAT, Column, Document, table_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.threshold_fit import ThresholdFit, fitted, separation
from concord.reports.panel.unit_words import heading
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate

NO_DEFAULT = "the numbers are not on the rubric's scale, so its threshold does not apply"
_HOW = (
    "The threshold is chosen on half of the questions and tested on the others. The default lies "
    "halfway between the highest failing score of the scale and the lowest that passes."
)


@dataclass(frozen=True)
class ContinuousThreshold:
    """Separation of pass from fail by a judge's continuous grades of a criterion.

    Attributes:
        auc: The probability that an answer annotators pass has a higher number than one they fail.
        found: The threshold; `usual` is halfway between failing and passing scores of the scale.
    """

    judge: str
    criterion: str
    auc: Estimate
    found: ThresholdFit = field(metadata=FLAT)


def report(panel: Panel) -> list[ContinuousThreshold]:
    """Return the threshold of every judge with continuous grades, by criterion."""
    if not panel.annotators:  # a mean does not say how many annotators pass an answer
        return []
    return [
        _threshold(panel, criterion.name, judge)
        for criterion in panel.rubric.criteria
        for judge in panel.judges
        if panel.is_continuous(criterion.name, judge)
    ]


def document(found: Sequence[ContinuousThreshold], rubric: Rubric) -> Document:
    """Return the thresholds as a table, and why some are missing."""
    parts = (
        ("judge", "judge"),
        ("criterion", lambda one: heading(rubric, one.criterion)),
        (Column("AUC", "number"), "auc"),
        ("passes at", lambda one: _at(one.found.threshold)),
        (Column("balanced accuracy", "number"), "found.balanced"),
        ("default", lambda one: _at(one.found.usual)),
        (Column("accuracy of the default", "number"), "found.usual_balanced"),
        (Column("n", "count"), "found.n"),
    )
    table = table_of("thresholds", found, parts, "Pass and fail by continuous grades")
    return Document("", tables=(table,), notes=(_HOW, *undefined(table)))


def _at(threshold: float | None) -> str | None:
    return None if threshold is None else Numeral(f"≥ {threshold:.3g}")


def _threshold(panel: Panel, criterion: str, judge: int) -> ContinuousThreshold:
    item_ids, marks = panel.items["item_id"].to_numpy(), panel.numbers(criterion, judge)
    places = np.flatnonzero(marks.scored & panel.open)
    values = {int(item_ids[place]): float(marks.score[place]) for place in places}
    return ContinuousThreshold(
        judge=panel.labels[judge],
        criterion=criterion,
        auc=separation(values, panel, criterion),
        found=fitted(values, panel, criterion, _usual(panel, criterion, judge), NO_DEFAULT),
    )


def _usual(panel: Panel, criterion: str, judge: int) -> float | None:
    """Halfway between failing and passing scores; None where the numbers leave the scale."""
    failing = panel.rubric.failing(panel.rubric.criterion(criterion))
    passing = [score for score in panel.rubric.scale if score not in failing]
    if not (failing and passing) or not panel.on_range(criterion, judge):
        return None
    return (max(failing) + min(passing)) / 2
