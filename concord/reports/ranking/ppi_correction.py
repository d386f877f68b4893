"""By draw: answering models by a judge, set right by a random draw that people graded (PPI++)."""

import numpy as np

from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.sampling_weights import Drawn
from concord.reports.ranking.judged_models import JudgedModel, JudgedModels, model_index, scored
from concord.stats.comparison.model_order import mean_difference, model_means, model_sums
from concord.stats.correction.ppi import Sample, ppi_difference, ppi_mean
from concord.store.graders import Grader


def models(panel: Panel, judge: Grader, drawn: Drawn) -> JudgedModels:
    """Mean composites; each model's is set right by the drawn answers of that model.

    Raw and corrected figures are of the same answers: those that could have been drawn.
    """
    items, index = scored(panel, judge, COMPOSITE), model_index(panel)
    items = items[~drawn.passed[items]]
    said, people = panel.of(COMPOSITE, judge.id).score, drawn.means(panel)
    scale = (panel.rubric.scale[0], panel.rubric.scale[-1])
    sums = model_sums(
        said[items], np.ones(len(items)), index[items], panel.cluster[items], _count(panel)
    )
    raw = model_means(sums, scale)
    samples = [
        _sample(panel, drawn, said, people, items[index[items] == m]) for m in range(len(raw))
    ]
    found = [
        JudgedModel(
            panel.answer_models[m],
            m,
            raw[m],
            ppi_mean(samples[m], scale),
            len(samples[m].judge),
            int(samples[m].labelled.sum()),
        )
        for m in range(len(raw))
        if len(samples[m].judge)
    ]
    return JudgedModels(
        found,
        lambda one, other: (
            mean_difference(sums, one.index, other.index),
            ppi_difference(samples[one.index], samples[other.index]),
        ),
    )


def _sample(
    panel: Panel, drawn: Drawn, said: np.ndarray, people: np.ndarray, items: np.ndarray
) -> Sample:
    return Sample(said[items], people[items], drawn.weight[items], panel.cluster[items])


def _count(panel: Panel) -> int:
    return len(panel.answer_models)
