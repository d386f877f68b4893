"""Composite means: a composite's mean over all answers and over each answering model's."""

from dataclasses import dataclass, field

import numpy as np

from concord.reports.document import FLAT
from concord.stats.core.estimate import Estimate
from concord.stats.intervals.bootstrap import of_mean
from concord.stats.intervals.resampling import Draws


@dataclass(frozen=True)
class ModelMean:
    """The mean composite of an answering model."""

    estimate: Estimate = field(metadata=FLAT)
    answer_model: str
    n: int
    questions: int


def means(
    value: np.ndarray, cluster: np.ndarray, answer_model: np.ndarray, draws: Draws
) -> tuple[Estimate, tuple[ModelMean, ...]]:
    """Return the mean of all answers and of each answering model's, by the bootstrap of a mean."""
    models = sorted(set(answer_model.tolist()) - {""})
    by_model = {
        model: of_mean(value[answer_model == model], cluster[answer_model == model], draws)
        for model in models
    }
    best_first = sorted(by_model.items(), key=lambda pair: -pair[1].mean)
    rows = (ModelMean(one.best, model, one.n, one.questions) for model, one in best_first)
    return of_mean(value, cluster, draws).best, tuple(rows)
