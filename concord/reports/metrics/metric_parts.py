"""Metric parts: the means of the other numbers that come with a metric, such as all three rates.

What another choice of a switch gives is not among them: that is another reading of the metric.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from concord import metrics
from concord.messages import joined, said
from concord.metrics.own_metrics import VOTES
from concord.reports.metrics.metric_records import Record
from concord.reports.metrics.metric_words import word


def means(records: Sequence[Record], row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return by name the mean of every secondary value, and the number of answers with it.

    Of the first repeat of one row of the report, in the metric's order; a value that equals the
    metric's own for every answer is left out. A choice without votes counts 0 in an answer with
    votes.
    """
    place = row["judge"], row["version"]
    mine = [one for one in records if (one.judge, one.version) == place and one.repeat == 1]
    scored = [one for one in mine if one.value is not None]
    names = dict.fromkeys(name for one in scored for name in one.parts)
    known = {name: _pairs(scored, name) for name in names if name not in _choices(row["metric"])}
    return {
        name: {"n": len(pairs), "mean": sum(part for part, _ in pairs) / len(pairs)}
        for name, pairs in known.items()
        if any(part != value for part, value in pairs)
    }


def sentence(found: Mapping[str, Mapping[str, Any]], n: int) -> str:
    """The same in words; `n` is how many answers have the metric's own number."""
    parts = [
        said(
            "{part} {mean:.3f}" if one["n"] == n else "{part} {mean:.3f} (n = {n:,})",
            part=word(name),
            mean=one["mean"],
            n=one["n"],
        )
        for name, one in found.items()
    ]
    return said("Related means: {parts}.", parts=joined(", ", parts))


def _pairs(scored: Sequence[Record], name: str) -> list[tuple[float, float]]:
    """The number of that name with the metric's own, of the answers that have it."""
    found = ((_part(one, name), one.value) for one in scored)
    return [(part, value) for part, value in found if part is not None]


def _part(one: Record, name: str) -> float | None:
    """Return a secondary value; only choices with votes are stored."""
    voted = name.startswith(VOTES) and any(part.startswith(VOTES) for part in one.parts)
    return one.parts.get(name, 0.0 if voted else None)


def _choices(name: str) -> set[str]:
    metric = metrics.found().get(name)
    return {choice for one in (metric.switches if metric else ()) for choice in one.choices}
