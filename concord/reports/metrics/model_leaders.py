"""Model leaders: means of every metric by answering model, side by side, and who leads."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from concord import metrics
from concord.messages import counted, joined, said
from concord.reports.cells import UNDEFINED
from concord.reports.metrics.metrics import valued
from concord.stats.core.tables import NEGLIGIBLE

_Row = Mapping[str, Any]


def better(metric: str) -> str:
    """Return `higher` or `lower`, the better direction of a metric; '' where its file is gone."""
    found = metrics.found().get(metric)
    return found.better if found else ""


def leaders(rows: Sequence[_Row]) -> str:
    """Return how often each answering model has the best mean, most often first, in words.

    Args:
        rows: As of `metrics.metrics.rows`. One with ties for the best mean, or with a single model,
            counts for none; the latter is no comparison either.
    """
    compared = [row for row in rows if len(_means(row)) > 1]
    if not compared:
        return said("No metric has numbers of two answering models, so none can lead.")
    best = Counter(name for row in rows if (name := _leader(row)))
    if not best:
        return said("No answering model is best by any metric.")
    (name, n), *others = best.most_common()
    first = said(
        "{model} is best by {n:,} of {numbers}",
        model=name,
        n=n,
        numbers=counted(len(compared), "number"),
    )
    told = [first, *(said("{model} by {n:,}", model=other, n=m) for other, m in others)]
    return said("{models}. Where intervals overlap, that may be chance.", models=joined(", ", told))


def of_models(rows: Sequence[_Row]) -> list[dict[str, str]]:
    """Return each row's means of answering models with CI and n, as `0.46 [0.43, 0.50]`."""
    models = sorted({model for row in rows for model in row["by_model"]})
    return [{model: _mean(row["by_model"].get(model)) for model in models} for row in rows]


def _leader(row: _Row) -> str | None:
    sign = -1 if better(row["metric"]) == "lower" else 1
    means = {name: sign * mean for name, mean in _means(row).items()}
    first = [name for name, mean in means.items() if mean > max(means.values()) - NEGLIGIBLE]
    return first[0] if len(first) == 1 < len(means) else None


def _means(row: _Row) -> dict[str, float]:
    """The mean of every model that has numbers."""
    return {name: one["mean"] for name, one in row["by_model"].items() if one["n"]}


def _mean(one: _Row | None) -> str:
    return f"{valued(one)} (n = {one['n']:,})" if one and one["n"] else UNDEFINED
