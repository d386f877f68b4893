"""Composite table: the numbers of chosen metrics, an answer per row, mapped to 0-1.

Only here are metrics mapped, turned and clipped; everywhere else they stay as they were found.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from concord import metrics
from concord.language.grade_statuses import status_words
from concord.messages import Problem, joined, said
from concord.metrics.framework.metric import Metric
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import LIST_EDITED, Readings, Record

ENCODED = "vera_composite"
VERA = (
    "vera_faithfulness",
    "vera_retrieval_recall",
    "vera_retrieval_precision",
    "vera_answer_relevance",
)
NOT_FOUND = said("not looked at yet")


class Column(NamedTuple):
    """One metric of a composite, by one judge under one reading."""

    metric: Metric
    judge: str
    switches: dict[str, str]

    @property
    def least(self) -> float:
        """The least number it can give under its reading."""
        return self.metric.least(self.switches)

    @property
    def low(self) -> float:
        """The value mapped to 0; a negative cosine is clipped, since it means no similarity."""
        return max(0.0, self.least)

    @property
    def turned(self) -> bool:
        """True where less of the metric is better."""
        return self.metric.better == "lower"


@dataclass(frozen=True)
class MappedMetric:
    """Mapping of a metric to 0-1, and its weight.

    Attributes:
        range: The lowest and the highest possible value.
        from_: The values that become 0 and 1.
        turned: Less of it is better.
        clipped: Number of values outside `from_`, which were clipped.
    """

    metric: str
    title: str
    judge: str
    switches: Mapping[str, str]
    range: tuple[float, float]
    from_: tuple[float, float]
    turned: bool
    clipped: int
    weight: float


class CompositeTable(NamedTuple):
    """Answers with every chosen metric, in rows, and what is left out and why.

    Attributes:
        columns: The M metrics.
        item: (n,) item ids.
        cluster: (n,) an index of what resampling draws.
        answer_model: (n,) '' where unknown.
        raw: (n, M) the numbers as found.
        values: (n, M) from 0 to 1, more of it better.
        clipped: (M,) how many numbers of each lay outside and were clipped.
        left_out: Reason -> how many answers have none.
        items: How many answers could have one.
    """

    columns: Sequence[Column]
    item: np.ndarray
    cluster: np.ndarray
    answer_model: np.ndarray
    raw: np.ndarray
    values: np.ndarray
    clipped: np.ndarray
    left_out: dict[str, int]
    items: int

    def mapping(self, shares: Sequence[float]) -> tuple[MappedMetric, ...]:
        """Return how each metric was mapped, with its share of the weights."""
        return tuple(
            MappedMetric(
                metric=one.metric.name,
                title=one.metric.title,
                judge=one.judge,
                switches=one.switches,
                range=(one.least, one.metric.high),
                from_=(one.low, one.metric.high),
                turned=one.turned,
                clipped=int(clipped),
                weight=float(share),
            )
            for one, clipped, share in zip(self.columns, self.clipped, shares, strict=True)
        )


def columns(found: Readings, names: Sequence[str] = (), judge: str | None = None) -> list[Column]:
    """The columns of the named metrics; without names VERA's that were found, else all found.

    Args:
        found: The readings of a sheet.
        names: Metrics.
        judge: The judge whose numbers count where several found a metric, as `name` or
            `name@fingerprint`.

    Raises:
        Problem: A metric was not found, has no limits, or several judges found it and none is
            named; or the judge that is named found nothing.
    """
    judges = sorted({one.judge for one in found.records if one.value is not None})
    if judge is not None and not any(_is_called(one, judge) for one in judges):
        raise Problem(
            "No value here is by a judge “{judge}”. Available: {names}.",
            judge=judge,
            names=joined(", ", judges),
        )
    by_metric: dict[str, dict[tuple, Record]] = {}
    for one in found.records:
        if one.metric in metrics.available() and one.value is not None:
            key = one.judge, tuple(sorted(one.switches.items()))
            by_metric.setdefault(one.metric, {})[key] = one
    vera = [name for name in VERA if name in by_metric]
    return [_column(name, by_metric, judge) for name in names or vera or by_metric]


def missing_of_vera(chosen: Sequence[Column]) -> list[str]:
    """The titles of VERA's metrics that are not among the columns; none where none of them is."""
    there = {one.metric.name for one in chosen}
    if there.isdisjoint(VERA):
        return []
    return [metrics.named(name).title for name in VERA if name not in there]


def table(found: Readings, chosen: Sequence[Column]) -> CompositeTable:
    """The first numbers of the chosen metrics; only answers that have all of them are in rows."""
    by_item: dict[int, dict[int, Record]] = {}
    places = {(c.metric.name, c.judge, _switch_key(c.switches)): n for n, c in enumerate(chosen)}
    for one in found.records:
        place = places.get((one.metric, one.judge, _switch_key(one.switches)))
        if place is not None and one.repeat == 1:
            by_item.setdefault(one.item_id, {})[place] = one
    out: Counter[str] = Counter()
    rows = []
    for records in by_item.values():
        why = _missing(records, chosen)
        if why:
            out[why] += 1
        else:
            rows.append([records[place] for place in range(len(chosen))])
    never = found.items - len(by_item)
    out.update({NOT_FOUND: never} if never else {})
    return _made(chosen, rows, dict(sorted(out.items())), found.items)


def _switch_key(switches: Mapping[str, str]) -> tuple:
    return tuple(sorted(switches.items()))


def _column(name: str, by_metric: Mapping[str, Mapping], judge: str | None) -> Column:
    metric = metrics.named(name)
    if metric.low is None or metric.high is None:
        raise Problem(
            "{metric} has no range, so it cannot be mapped to 0-1. Leave it out.",
            metric=metric.title,
        )
    mine = list(by_metric.get(name, {}).values())
    if judge is not None and len({one.judge for one in mine}) > 1:
        mine = [one for one in mine if _is_called(one.judge, judge)]
    if not mine:
        raise Problem(
            "No answer of this sheet has a value of {metric} yet. Run a judge that computes it.",
            metric=name,
        )
    judges = sorted({one.judge for one in mine})
    if len(judges) > 1:
        raise Problem(
            "Several judges computed {metric}: {names}. Name one with --judge.",
            metric=name,
            names=joined(", ", judges),
        )
    return Column(metric, mine[-1].judge, dict(mine[-1].switches))


def _is_called(label: str, judge: str) -> bool:
    return judge in (label, label.partition("@")[0])


def _missing(records: Mapping[int, Record], chosen: Sequence[Column]) -> str:
    """Return why an answer has no composite: the first metric without a value."""
    for place, column in enumerate(chosen):
        one = records.get(place)
        if one is None or one.value is None:
            why = said("not requested yet") if one is None else status_words(one.status)
            if one and one.status == LIST_EDITED:
                why = said(one.reason)
            return said("{metric}: {why}", metric=column.metric.title, why=why)
    return ""


def _made(
    chosen: Sequence[Column], rows: list[list[Record]], out: dict[str, int], items: int
) -> CompositeTable:
    first = [row[0] for row in rows]
    raw = np.array([[one.value for one in row] for row in rows], float)
    raw = raw.reshape(len(rows), len(chosen))
    low = np.array([one.low for one in chosen])
    high = np.array([one.metric.high for one in chosen], float)
    inside = np.clip(raw, low, high)
    mapped = (inside - low) / (high - low)
    turned = np.array([one.turned for one in chosen])
    return CompositeTable(
        chosen,
        np.array([one.item_id for one in first], np.int64),
        indexed(one.cluster for one in first),
        np.array([one.answer_model or "" for one in first], object),
        raw,
        np.where(turned, 1 - mapped, mapped),
        (inside != raw).sum(axis=0),
        out,
        items,
    )


def offered(found: Readings) -> list[Metric]:
    """Return the metrics that can be part of a composite: those with limits that have values."""
    known = metrics.available()
    names = dict.fromkeys(one.metric for one in found.records if one.value is not None)
    of_known = [known[name] for name in names if name in known]
    return [one for one in of_known if one.low is not None and one.high is not None]


def shares_of(weights: Mapping[str, float]) -> dict[str, float]:
    """Return weights as shares that sum to 1.

    Raises:
        Problem: A weight is not a positive number.
    """
    for name, weight in weights.items():
        if not (np.isfinite(weight) and weight > 0):
            raise Problem(
                "The weight of {metric} is {weight:g}. Weights must be greater than 0.",
                metric=name,
                weight=weight,
            )
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}
