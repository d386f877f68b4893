"""Figures of a composite: its means, and its correlation with annotators' composites."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from concord.messages import said
from concord.reports.document import FLAT
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.threshold_fit import AnnotatorMean
from concord.reports.panel.threshold_fit import annotators as by_annotators
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.intervals.bootstrap import of_mean
from concord.stats.intervals.resampling import Draws

NOBODY = said("no annotator graded every criterion of an answer with these metrics")


@dataclass(frozen=True)
class Correlation:
    """Spearman's correlation with the annotators' composite, on `n` answers."""

    estimate: Estimate = field(metadata=FLAT)
    n: int


def annotators_of(panel: Panel | None) -> dict[int, AnnotatorMean]:
    """Return annotators' composites by item id, with cluster and weight."""
    if panel is None:
        return {}
    return by_annotators(panel, COMPOSITE if len(panel.weights) > 1 else panel.criteria[0])


def arrays(item: Iterable[int], given: Mapping) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return annotators' composites of some items, their clusters and weights, each (n,)."""
    columns_of = zip(*(given[one] for one in item), strict=True)
    annotators, cluster, weight = map(np.array, columns_of)
    return annotators, cluster, weight


def correlation(item: np.ndarray, value: np.ndarray, given: Mapping) -> Correlation:
    """Return the correlation of a composite (n,) of items (n,) with the annotators'."""
    known = np.array([one in given for one in item.tolist()], bool)
    if not known.any():
        return Correlation(undefined(NOBODY), 0)
    found = rank_correlation.spearman(value[known], *arrays(item[known].tolist(), given))
    return Correlation(found, int(known.sum()))


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
