"""Composite means: a composite's mean over all answers and over each answering model's."""

from typing import Any

import numpy as np

from concord.stats.intervals.bootstrap import of_mean
from concord.stats.intervals.resampling import Draws


def means(
    value: np.ndarray, cluster: np.ndarray, answer_model: np.ndarray, draws: Draws
) -> dict[str, Any]:
    """The mean of all answers and of each answering model's, by the bootstrap of a mean."""
    models = sorted(set(answer_model.tolist()) - {""})
    by_model = {
        model: of_mean(value[answer_model == model], cluster[answer_model == model], draws)
        for model in models
    }
    return {
        "mean": of_mean(value, cluster, draws).best._asdict(),
        "models": [
            {"answer_model": model, "n": one.n, "questions": one.questions, **one.best._asdict()}
            for model, one in sorted(by_model.items(), key=lambda pair: -pair[1].mean)
        ],
    }
