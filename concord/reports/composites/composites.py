"""Composites of metrics: one number for an answer, made of several, in three ways.

By weights that the user chooses, by weights fitted to the annotators' composite and evaluated out
of fold, and by a cross-encoder that reads the answer with a statement of each metric (VERA 2024).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from concord.model import Sheet
from concord.reports.composites import encoded_composite, fitted_composite
from concord.reports.composites.composite_figures import (
    Correlation,
    ModelMean,
    annotators_of,
    correlation,
    means,
)
from concord.reports.composites.composite_table import (
    MappedMetric,
    columns,
    missing_of_vera,
    shares_of,
    table,
)
from concord.reports.composites.encoded_composite import Encoded
from concord.reports.composites.fitted_composite import Fitted
from concord.reports.metrics.metric_records import Readings
from concord.reports.panel.panel import Panel
from concord.stats.core.estimate import Estimate
from concord.stats.intervals.resampling import Draws
from concord.store import items
from concord.store.database import Store


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
class Composites:
    """Every composite of a sheet; `simulated` where an annotator is simulated."""

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

    `weights` are by metric and positive; None weighs VERA's metrics alike, else all that were
    found. `judge` is whose values count where several judges found a metric.
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
            annotators=correlation(held.item, value, given),
        ),
        fitted=fitted_composite.report(held, value, given),
        encoded=encoded_composite.report(found, given, draws),
    )


def named(store: Store, sheet: Sheet, found: Composites) -> Composites:
    """Return the report with each answer's name as `item`."""
    names = items.answer_names(store, sheet.id)
    ranked = tuple(replace(one, item=names[one.item]) for one in found.encoded.ranked)
    return replace(found, encoded=replace(found.encoded, ranked=ranked))
