"""Metric gate: whether a metric's own mean clears what a script demands, on its confidence limit.

No annotator is involved: this says how high the metric is, not whether it tracks annotators.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from concord import metrics
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metrics import limits, reading, rows, status_counts


def gate(
    found: Readings,
    name: str,
    at_least: float | None = None,
    at_most: float | None = None,
    judge: str | None = None,
) -> dict[str, Any]:
    """Compare the confidence limits of a metric's mean with what is wanted of it.

    Args:
        found: The metric values of a sheet.
        name: The metric.
        at_least: What the lower limit of the mean must reach.
        at_most: What the upper limit of the mean must not exceed.
        judge: Only the values by this judge, by name or label; every judge's otherwise.

    Returns:
        `holds` and `checks`, one per judge, reading and bound, each with a sentence. A mean without
        an interval clears nothing.

    Raises:
        Problem: Nothing or nonsense is wanted, or the metric has no value on the sheet.
    """
    bounds = {"at_least": at_least, "at_most": at_most}
    wanted = {bound: value for bound, value in bounds.items() if value is not None}
    _check_wanted(name, wanted)
    of = [row for row in rows(found) if row["metric"] == name]
    mine = [row for row in of if judge in (None, row["judge"], row["judge"].partition("@")[0])]
    if not mine:
        raise Problem(_no_value(name, judge, list(dict.fromkeys(row["judge"] for row in of))))
    checks = [_check(row, bound, value) for row in mine for bound, value in wanted.items()]
    return {"holds": all(check["holds"] for check in checks), "metric": name, "checks": checks}


def _no_value(name: str, judge: str | None, others: list[str]) -> str:
    if others:
        return said(
            "{judge} gave no value for {metric} on this sheet. Judges that did: {listed}.",
            judge=judge,
            metric=name,
            listed=joined(", ", others),
        )
    return said(
        "{metric} has no value on this sheet yet. Run a judge that computes it: `judge computed` "
        "where it asks no model, else `judge FILE.toml`.",
        metric=name,
    )


def _check_wanted(name: str, wanted: Mapping[str, float]) -> None:
    metric = metrics.found().get(name)
    if metric is None:
        known = ", ".join(metrics.found())
        raise Problem(f"There is no metric “{name}”. There are: {known}.")
    if not wanted:
        option = "--at-least" if metric.better == "higher" else "--at-most"
        raise Problem(f"The gate needs a bound for {name}. Give {option} with a number.")
    low = -math.inf if metric.low is None else metric.low
    high = math.inf if metric.high is None else metric.high
    for value in wanted.values():
        if not (math.isfinite(value) and low <= value <= high):
            raise Problem(f"{name}: {value:g} is not a value it can have ({limits(metric)}).")


def _check(row: Mapping[str, Any], bound: str, wanted: float) -> dict[str, Any]:
    limit = row["low"] if bound == "at_least" else row["high"]
    holds = limit is not None and (limit >= wanted if bound == "at_least" else limit <= wanted)
    return {
        "judge": row["judge"],
        "switches": row["switches"],
        "bound": bound,
        "wanted": wanted,
        "value": row["mean"],
        **{key: row[key] for key in ("low", "high", "method", "why_none", "n", "questions")},
        "left_out": Counter(row["left_out"]) + Counter({"not_asked": row["not_asked"]}),
        "holds": holds,
        "sentence": _sentence(row, bound, wanted, limit, holds),
    }


def _sentence(
    row: Mapping[str, Any], bound: str, wanted: float, limit: float | None, holds: bool
) -> str:
    """The outcome in words; a limit is rounded away from what would clear."""
    about = f"{row['metric']} by {row['judge']}"
    about += f" ({reading(row['switches'])})" if row["switches"] else ""
    out = status_counts(row["left_out"], row["not_asked"])
    if row["mean"] is None:
        return f"{about}: no value ({out}), so it does not clear {wanted:g}."
    told = f"{about}: mean {row['mean']:.3f}, n = {row['n']:,}"
    told += f" ({out})" if out else ""
    verb = "clears" if holds else "does not clear"
    if limit is None:
        return f"{told}, without an interval ({row['why_none']}): {verb} {wanted:g}."
    which, away = ("lower", math.floor) if bound == "at_least" else ("upper", math.ceil)
    limit = away(round(limit * 1000, 6)) / 1000
    return f"{told}; its {which} 95% confidence limit {limit:.3f} {verb} {wanted:g}."
