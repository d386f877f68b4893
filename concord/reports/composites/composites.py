"""Composites of metrics: one number for an answer, made of several, in three ways.

By weights that the user chooses, by weights fitted to the annotators' composite and evaluated out
of fold, and by a cross-encoder that reads the answer with a statement of each metric (VERA 2024).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from concord import metrics
from concord.messages import said
from concord.metrics.framework.metric import Metric
from concord.problems import Problem
from concord.reports.composites import encoded_composite
from concord.reports.composites.composite_means import Correlation, ModelMean, means
from concord.reports.composites.composite_table import (
    CompositeTable,
    MappedMetric,
    columns,
    missing_of_vera,
    table,
)
from concord.reports.composites.encoded_composite import Encoded
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metric_validity import annotators as by_annotators
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.correction import fitted_weights
from concord.stats.intervals.resampling import Draws
from concord.stats.statistics import composite_figures
from concord.store import answer_names, items
from concord.store.database import Store
from concord.store.sheets import Sheet

NOBODY = said("no annotator graded every criterion of an answer with these metrics")


@dataclass(frozen=True)
class Weighted:
    """The composite by chosen weights.

    Attributes:
        weights: Each metric, how it is mapped and its share.
        absent: VERA's metrics without a value here, where no weights are given.
        n: Answers with every metric; `left_out` counts the others by reason.
        mean: Of all answers; `models` has each answering model's, the best first.
        annotators: Its correlation with the annotators' composite.
    """

    weights: tuple[MappedMetric, ...]
    absent: tuple[str, ...]
    n: int
    left_out: Mapping[str, int]
    mean: Estimate
    models: tuple[ModelMean, ...]
    annotators: Correlation


@dataclass(frozen=True)
class FittedWeight:
    """A metric's fitted weight: points from worst to best; `least` and `most` of the folds."""

    metric: str
    title: str
    judge: str
    weight: float
    least: float
    most: float


@dataclass(frozen=True)
class Fitted:
    """Weights fitted to the annotators' composite, evaluated on questions they were not fitted to.

    Attributes:
        n: Answers; `questions` counts theirs.
        spearman: Out of fold, as all figures here.
        mae: The mean absolute error in points of the scale.
        constant_mae: That of the annotators' mean alone.
        ahead: Spearman less that of the chosen weights.
        why_none: Why nothing was fitted.
    """

    n: int
    questions: int
    weights: tuple[FittedWeight, ...]
    intercept: float | None
    penalty: float | None
    folds: int | None
    spearman: Estimate
    mae: Estimate
    constant_mae: Estimate
    ahead: Estimate
    why_none: str | None


@dataclass(frozen=True)
class Composites:
    """Every composite of a sheet; `simulated` where an annotator is."""

    items: int
    simulated: bool
    weighted: Weighted
    fitted: Fitted
    encoded: Encoded


def report(
    found: Readings,
    panel: Panel | None,
    weights: Mapping[str, float] | None = None,
    judge: str | None = None,
    draws: Draws | None = None,
) -> Composites:
    """Compute every composite of a sheet.

    Args:
        found: Its metric values.
        panel: Annotators' grades of it; None without.
        weights: By metric, positive; None weighs VERA's metrics alike, else all that were found.
        judge: Whose values count where several judges found a metric.
        draws: Resamples for the means.
    """
    draws = draws or Draws()
    shares = shares_of(weights) if weights else {}
    chosen = columns(found, list(shares), judge)
    held = table(found, chosen)
    absent = () if shares else missing_of_vera(chosen)
    share = np.array([shares.get(one.metric.name, 1 / len(chosen)) for one in chosen])
    value, given = held.values @ share, annotators_of(panel)
    mean, models = means(value, held.cluster, held.answer_model, draws)
    return Composites(
        items=found.items,
        simulated=bool(panel) and any(one.simulated for one in panel.annotators.values()),
        weighted=Weighted(
            weights=held.mapping(share),
            absent=tuple(absent),
            n=len(held.item),
            left_out=held.left_out,
            mean=mean,
            models=models,
            annotators=_against_annotators(held.item, value, given),
        ),
        fitted=_fitted(held, value, given),
        encoded=encoded_composite.report(found, given, draws),
    )


def named(store: Store, sheet: Sheet, found: Composites) -> Composites:
    """Return the report with each answer's own id or number as `item`, and its name."""
    names, called = items.item_names(store, sheet.id), answer_names.of_sheet(store, sheet.id)
    ranked = tuple(
        replace(one, item=names[one.item][0], called=called[one.item])
        for one in found.encoded.ranked
    )
    return replace(found, encoded=replace(found.encoded, ranked=ranked))


def offered(found: Readings) -> list[Metric]:
    """Return the metrics that can be part of a composite: those with limits that have values."""
    known = metrics.found()
    names = dict.fromkeys(one.metric for one in found.records if one.value is not None)
    of_known = [known[name] for name in names if name in known]
    return [one for one in of_known if one.low is not None and one.high is not None]


def annotators_of(panel: Panel | None) -> dict[int, tuple]:
    """Return annotators' composites by item id, with cluster and weight."""
    if panel is None:
        return {}
    return by_annotators(panel, COMPOSITE if len(panel.weights) > 1 else panel.criteria[0])


def shares_of(weights: Mapping[str, float]) -> dict[str, float]:
    """Return weights as shares that sum to 1.

    Raises:
        Problem: A weight is not a positive number.
    """
    for name, weight in weights.items():
        if not (np.isfinite(weight) and weight > 0):
            raise Problem(
                said(
                    "The weight of {metric} is {weight:g}. Weights are above 0.",
                    metric=name,
                    weight=weight,
                )
            )
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def _against_annotators(item: np.ndarray, value: np.ndarray, given: Mapping) -> Correlation:
    known = np.array([one in given for one in item.tolist()], bool)
    if not known.any():
        return Correlation(*undefined(NOBODY), 0)
    found = rank_correlation.spearman(value[known], *_annotators(item[known], given))
    return Correlation(*found, int(known.sum()))


def _fitted(held: CompositeTable, chosen: np.ndarray, given: Mapping) -> Fitted:
    """Fit weights to the annotators' composite; `chosen` (n,) is that by the chosen weights."""
    known = np.array([one in given for one in held.item.tolist()], bool)
    values = held.values[known]
    if not known.any():
        return _not_fitted(0, 0, NOBODY)
    annotators, cluster, weight = _annotators(held.item[known], given)
    questions = len(np.unique(cluster))
    if why := fitted_weights.too_few(values, annotators, cluster):
        return _not_fitted(len(annotators), questions, why)
    found = fitted_weights.fit(values, annotators, cluster, weight)
    out = found.out_of_fold
    return Fitted(
        n=len(annotators),
        questions=questions,
        weights=tuple(
            FittedWeight(
                *(one.metric.name, one.metric.title, one.judge),
                *(float(weight), float(folds.min()), float(folds.max())),
            )
            for one, weight, folds in zip(held.columns, found.weights, found.by_fold.T, strict=True)
        ),
        intercept=found.intercept,
        penalty=found.penalty,
        folds=fitted_weights.FOLDS,
        spearman=rank_correlation.spearman(out, annotators, cluster, weight),
        mae=_mae(out, annotators, cluster, weight),
        constant_mae=_mae(found.constant, annotators, cluster, weight),
        ahead=rank_correlation.lead(out, chosen[known], annotators, cluster, weight),
        why_none=None,
    )


def _not_fitted(n: int, questions: int, why: str) -> Fitted:
    return Fitted(n, questions, (), None, None, None, *[undefined(why)] * 4, why)


def _annotators(item: np.ndarray, given: Mapping) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Annotators' composites of some items, their clusters and weights."""
    columns_of = zip(*(given[one] for one in item.tolist()), strict=True)
    annotators, cluster, weight = map(np.array, columns_of)
    return annotators, cluster, weight


def _mae(
    value: np.ndarray, annotators: np.ndarray, cluster: np.ndarray, weight: np.ndarray
) -> Estimate:
    item = np.arange(len(annotators))
    return composite_figures(Pairs(value, annotators, weight, item, cluster))["mae"]
