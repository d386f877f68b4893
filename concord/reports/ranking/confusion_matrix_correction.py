"""Mean composites by a judge, corrected by the confusion matrix of its scores.

Each criterion has its own matrix, from every answer that annotators graded and the judge scored; a
model's mean composite is the weighted sum of its criteria's corrected means.
"""

import numpy as np

from concord.messages import said
from concord.model import Grader
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.sampling_weights import AssignedGrades
from concord.reports.ranking.judged_models import JudgedModel, JudgedModels, scored, sums
from concord.stats.comparison.model_order import mean_difference, model_means
from concord.stats.core.estimate import Estimate
from concord.stats.core.tables import positions
from concord.stats.correction.confusion_correction import corrected, means
from concord.stats.intervals.resampling import jackknife, leave_out

NOT_DEFINED = said("the confusion matrix is near singular without one of the questions")


def models(panel: Panel, judge: Grader, drawn: AssignedGrades) -> JudgedModels:
    """Return mean composites; `drawn` is not needed."""
    items, index, names = scored(panel, judge, COMPOSITE), panel.answer_model, panel.answer_models
    rows, graded, why = _rows(panel, judge, items, index)
    if why:
        return JudgedModels((), why_none=why)
    left_out = leave_out(rows)  # the means (M,) from all questions and without each, solved once
    means_of = left_out._replace(sums=_composites(panel, left_out.sums))
    scale = (panel.rubric.scale[0], panel.rubric.scale[-1])
    by_model = sums(panel, items, panel.of(COMPOSITE, judge.id).score[items])
    raw = model_means(by_model, scale)
    counts = np.bincount(index[items], minlength=len(raw))

    def mean(m: int) -> Estimate:
        return jackknife(means_of, lambda s: s[..., m], bounds=scale, why_none=NOT_DEFINED)

    def difference(above: str, below: str) -> tuple[Estimate, Estimate]:
        one, other = names.index(above), names.index(below)
        paired = jackknife(means_of, lambda s: s[..., one] - s[..., other], why_none=NOT_DEFINED)
        return mean_difference(by_model, one, other), paired

    found = (
        JudgedModel(name, raw[m], mean(m), int(counts[m]), int(graded[m]))
        for m, name in enumerate(names)
        if counts[m]
    )
    return JudgedModels(tuple(found), difference)


def _rows(
    panel: Panel, judge: Grader, items: np.ndarray, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray, str | None]:
    """(clusters, criteria, K + M, K) sums: a table, and below it how each model is judged."""
    scale, count = panel.rubric.scale, len(panel.answer_models)
    size, clusters = len(scale), int(panel.cluster.max()) + 1
    rows = np.zeros((clusters, len(panel.weights), size + count, size))
    graded = np.zeros(count, int)
    for place, name in enumerate(panel.weights):
        pairs = ground(panel, name, EACH).pairs(judge)
        at = (positions(pairs.annotator, scale), positions(pairs.judge, scale))
        np.add.at(rows, (pairs.cluster, place, *at), pairs.weight)
        own = positions(panel.of(name, judge.id).score[items], scale)
        np.add.at(rows, (panel.cluster[items], place, size + index[items], own), 1.0)
        why = corrected(rows[:, place, :size].sum(axis=0), np.ones(size)).why_none
        if why:
            return rows, graded, said("{criterion}: {why}", criterion=name, why=why)
        on = np.unique(pairs.item)
        graded = np.bincount(index[on] + 1, minlength=count + 1)[1:]
    return rows[rows.sum(axis=(1, 2, 3)) > 0], graded, None


def _composites(panel: Panel, sums: np.ndarray) -> np.ndarray:
    """Sums (..., criteria, K + M, K) to the models' mean composites (..., M)."""
    size, scale = sums.shape[-1], panel.rubric.scale
    parts = [
        float(weight) * means(sums[..., c, :size, :], sums[..., c, size:, :], scale)
        for c, weight in enumerate(panel.weights.values())
    ]
    return np.sum(parts, axis=0)
