"""Related means: the means of the other numbers that come with a metric, such as all three rates.

What another choice of a switch gives is not among them: that is another reading of the metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from concord import metrics
from concord.metrics.own_metrics import VOTES
from concord.reports.metrics.metric_records import Record
from concord.reports.metrics.metrics import MetricValues


@dataclass(frozen=True)
class RelatedMean:
    """The mean of another number that comes with a metric, over the `n` answers that have it."""

    n: int
    mean: float


def means(records: Sequence[Record], row: MetricValues) -> dict[str, RelatedMean]:
    """Return the related means of a metric by name, from the first value of each answer.

    They are in the order in which the metric gives them. A number that equals the metric's own for
    every answer is left out. A choice without votes in an answer that was voted on has 0 votes.
    """
    place = row.judge, row.version
    mine = [one for one in records if (one.judge, one.version) == place and one.repeat == 1]
    scored = [one for one in mine if one.value is not None]
    names = dict.fromkeys(name for one in scored for name in one.parts)
    known = {name: _pairs(scored, name) for name in names if name not in _choices(row.metric)}
    return {
        name: RelatedMean(len(pairs), sum(part for part, _ in pairs) / len(pairs))
        for name, pairs in known.items()
        if any(part != value for part, value in pairs)
    }


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
