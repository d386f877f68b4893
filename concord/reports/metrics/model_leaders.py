"""Model leaders: the answering model with the best mean in most metrics."""

from collections import Counter
from collections.abc import Sequence

from concord import metrics
from concord.messages import joined, said
from concord.reports.metrics.metrics import MetricValues
from concord.stats.core.tables import NEGLIGIBLE


def better(metric: str) -> str:
    """Return `higher` or `lower`, the better direction of a metric; '' where its file is gone."""
    found = metrics.available().get(metric)
    return found.better if found else ""


def leaders(rows: Sequence[MetricValues]) -> str:
    """Return which answering model has the best mean in most metrics, in one sentence.

    Metrics with values of one answering model alone are not counted. A metric in which models
    share the best mean is counted, and led by none of them.
    """
    compared = [row for row in rows if sum(one.n > 0 for one in row.by_model.values()) > 1]
    if not compared:
        return said("No metric has values of two answering models, so they cannot be compared.")
    best = Counter(name for row in rows if (name := _leader(row)))
    if not best:
        return said("No answering model has the best mean in any metric.")
    most = max(best.values())
    names = [name for name, n in best.items() if n == most]
    return said(
        "{models} has the best mean in {n:,} of {of:,} metrics."
        if len(names) == 1
        else "{models} each have the best mean in {n:,} of {of:,} metrics.",
        models=joined(", ", names),
        n=most,
        of=len(compared),
    )


def _leader(row: MetricValues) -> str | None:
    sign = -1 if better(row.metric) == "lower" else 1
    means = {name: sign * one.mean for name, one in row.by_model.items() if one.n}
    first = [name for name, mean in means.items() if mean > max(means.values()) - NEGLIGIBLE]
    return first[0] if len(first) == 1 < len(means) else None
