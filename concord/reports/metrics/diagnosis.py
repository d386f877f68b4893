"""Diagnosis: which metrics are bad on which answers, and what to look at then."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from concord import metrics
from concord.messages import said
from concord.metrics.framework.metric import Metric
from concord.reports import cells
from concord.reports.metrics.metric_mean import bounds, figure
from concord.reports.metrics.metric_records import Readings, Record

CUT = 0.5
# Metrics that need contexts and whose advice is about the answering model all the same.
_OF_THE_ANSWER = frozenset({"faithfulness", "vera_faithfulness"})
GIVEN_WHOLE = said(
    "Nothing was retrieved for these answers: each was given the whole document of its question. "
    "Check whether the document contains the question and the reference; search, chunks and order "
    "cannot be at fault."
)


def rows(
    found: Readings, cut: float = CUT, cuts: Mapping[tuple[str, str], float] | None = None
) -> list[dict[str, Any]]:
    """Return every metric with advice and failing answers, largest share of them first.

    Args:
        found: The records of a sheet.
        cut: Threshold of a failing answer, as a share of the way from the worst value to the best;
            negative similarities count as 0.
        cuts: Threshold as a value, by (judge, metric).

    Returns:
        Rows with `metric`, `title`, `judge`, `advice`, `cut` (as a value), `n`, `failing`, the
        share failing as `mean`, `low`, `high`, `why_none`, and `item_ids`, the worst first. The
        advice does not mention retrieval where no failing answer had any.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for one in found.records:
        if one.repeat == 1 and one.value is not None:
            groups.setdefault((one.judge, one.metric, one.version), []).append(one)
    whole = found.given_whole
    made = [_row(same, cut, (cuts or {}).get(key[:2]), whole) for key, same in groups.items()]
    kept = [row for row in made if row and row["item_ids"]]
    return sorted(kept, key=lambda row: -row["mean"])


def passes(row: Mapping[str, Any]) -> str:
    """Return which values pass, as `0.82 or more`; the threshold itself passes."""
    return said(
        "{cut:.2f} or less" if row["better"] == "lower" else "{cut:.2f} or more", cut=row["cut"]
    )


def share(row: Mapping[str, Any]) -> str:
    """The share failing with its interval, as `33% [20, 50]`."""
    return cells.share({"value": row["mean"], "low": row["low"], "high": row["high"]})


def _advice(metric: Metric, given_whole: Sequence[bool]) -> str:
    of_contexts = {"retrieved", "contexts"} & {*metric.needs}
    if of_contexts and metric.name not in _OF_THE_ANSWER and given_whole and all(given_whole):
        return GIVEN_WHOLE
    return metric.when_low


def _row(
    same: list[Record], cut: float, given: float | None, whole: Collection[int]
) -> dict[str, Any] | None:
    metric = metrics.found().get(same[0].metric)
    if metric is None or not metric.when_low:
        return None
    low, high = bounds(metric.name, same[0].switches)
    sign = -1 if metric.better == "lower" else 1
    worst, best = (max(low, 0.0), high) if sign > 0 else (high, max(low, 0.0))
    at = worst + cut * (best - worst) if given is None else given
    failing = [one for one in same if sign * one.value < sign * at]
    failing.sort(key=lambda one: (sign * one.value, one.item_id))
    fails = {one.item_id for one in failing}
    shares = figure([one._replace(value=float(one.item_id in fails)) for one in same])
    return {
        "metric": metric.name,
        "title": metric.title,
        "better": metric.better,
        "judge": same[0].judge,
        "advice": _advice(metric, [one.item_id in whole for one in failing]),
        "cut": at,
        "failing": len(failing),
        **shares,
        "item_ids": [one.item_id for one in failing],
    }
