"""Metrics of a sheet: values by judge and by answering model, and which model leads."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from concord.language.grade_statuses import status_words
from concord.messages import joined
from concord.metrics.framework.metric import NEEDS, Metric
from concord.reports.cells import UNDEFINED
from concord.reports.charts import Dots, dots
from concord.reports.document import Column, Table, table_of
from concord.reports.metrics.metric_records import (
    MetricMean,
    Readings,
    Record,
    by_reading,
    figure,
    short,
)
from concord.reports.metrics.metric_words import better, word

_LISTED = (
    *("name", "title", "sentence", "formula", "low", "high", "better", "asks", "embeds"),
    *("rubrics", "switches", "source", "when_low", "others"),
)


def listed(metrics: Iterable[Metric]) -> list[dict[str, Any]]:
    """Return what each metric needs, its range and its switches; canaries as a count."""
    return [
        {key: getattr(one, key) for key in _LISTED}
        | {"low_by": dict(one.low_by), "needs": list(one.needs), "canaries": len(one.canaries)}
        for one in metrics
    ]


def list_table(metrics: Iterable[Metric]) -> Table:
    """Return a row for each metric: what it calls, its range and its inputs."""
    parts = (
        ("metric", "name"),
        ("calls", asked),
        ("range", limits),
        ("better", "better"),
        ("needs", needs),
    )
    return table_of("metrics", metrics, parts)


def asked(metric: Metric) -> str:
    """Return the kind of model a metric sends requests to, in words."""
    if metric.asks and metric.embeds:
        return "a model and an embedding model"
    if metric.asks:
        return "a model"
    return "an embedding model" if metric.embeds else "no model"


def limits(metric: Metric, switches: Mapping[str, str] | None = None) -> str:
    """The range of a metric under the choices made, in words."""
    ends = metric.least(switches or {}), metric.high
    return " to ".join(UNDEFINED if end is None else f"{end:g}" for end in ends)


def needs(metric: Metric) -> str:
    """Return the inputs an item must have, in words."""
    has = {one: NEEDS[one].removeprefix("no ") for one in metric.needs}
    has |= {"context_ids": "contexts with ids"} if "context_ids" in has else {}
    if "retrieved" in has:
        whose = next((one for one in ("context_ids", "contexts") if one in has), "")
        has["retrieved"] = f"retrieved {has.pop(whose, 'contexts')}"
    return joined(", ", has.values())


@dataclass(frozen=True)
class MetricValues(MetricMean):
    """Values of one metric by one judge under one reading: the first value of each answer.

    Attributes:
        switches: The choices that make the reading.
        items: How many answers the sheet has; `n` of them have a value.
        left_out: How many answers have no value, by status.
        not_asked: How many answers the judge has not been asked for yet.
        by_model: The mean of each answering model.
    """

    metric: str
    judge: str
    version: str
    switches: Mapping[str, str]
    items: int
    left_out: Mapping[str, int]
    not_asked: int
    by_model: Mapping[str, MetricMean]


def rows(found: Readings) -> list[MetricValues]:
    """Return what each judge gave for each metric, in the order of the first value."""
    return [_row(same, found.items) for same in by_reading(found.records).values()]


def table(given: Sequence[MetricValues], called: Callable[[str], str] = str) -> Table:
    """Return a row for each metric, judge and reading; `called` gives a metric's name as shown.

    The reading has a column only where a judge has several of a metric.
    """
    judges = short(row.judge for row in given)
    readings = Counter((row.metric, row.judge) for row in given)
    parts = (
        ("metric", lambda row: called(row.metric)),
        (Column("mean", "value"), "estimate"),
        (Column("n", "count"), "n"),
        ("better if", lambda row: better(row.metric)),
        (Column("all answers", "count"), "items"),
        ("judge", lambda row: judges[row.judge]),
        (
            "variant",
            lambda row: reading(row.switches) if readings[row.metric, row.judge] > 1 else "",
        ),
    )
    return table_of("metrics", given, parts, sparse=True)


def model_table(given: Sequence[MetricValues], called: Callable[[str], str] = str) -> Table:
    """Return the mean of each answering model by metric; no rows where there is one model.

    The judge has a column only where there are several, so that the means fit the screen.
    """
    judges = short(row.judge for row in given)
    models = sorted({model for row in given for model in row.by_model})
    parts = (
        (Column("metric"), lambda row: called(row.metric)),
        *((Column(model), partial(_of_model, model=model)) for model in models),
        *([(Column("judge"), lambda row: judges[row.judge])] if len(judges) > 1 else ()),
    )
    return table_of("models", given if len(models) > 1 else (), parts)


def _of_model(row: MetricValues, model: str) -> str:
    """Return the mean of an answering model with its CI and n, as `0.46 [0.43, 0.50] (n = 9)`."""
    found = row.by_model.get(model)
    if not found or not found.n:
        return UNDEFINED
    return f"{found.written()} (n = {found.n:,})"


def of_row(records: Sequence[Record], row: MetricValues) -> list[Record]:
    """Return the values behind a row: the first of one judge and reading for each answer."""
    place = row.judge, row.version
    return [one for one in records if (one.judge, one.version) == place and one.repeat == 1]


def _row(same: list[Record], items: int) -> MetricValues:
    first = same[0]
    by_model: dict[str, list[Record]] = {}
    for one in same:
        by_model.setdefault(one.answer_model or "(unknown)", []).append(one)
    statuses = Counter(one.status for one in same)
    return MetricValues(
        **vars(figure(same)),
        metric=first.metric,
        judge=first.judge,
        version=first.version,
        switches=dict(first.switches),
        items=items,
        left_out={status: n for status, n in sorted(statuses.items()) if status != "scored"},
        not_asked=items - len(same),
        by_model={model: figure(records) for model, records in sorted(by_model.items())},
    )


def reading(switches: Mapping[str, str]) -> str:
    """Return the choices with their switches, as `support: strict`."""
    return joined(", ", (f"{word(name)}: {word(choice)}" for name, choice in switches.items()))


def status_counts(left_out: Mapping[str, int], not_asked: int = 0) -> str:
    """Return how many answers have no value, by status, and how many are not asked for yet."""
    out = [f"{n:,} {status_words(status)}" for status, n in left_out.items()]
    return joined(", ", [*out, f"{not_asked:,} not requested yet"] if not_asked else out)


def chart(row: MetricValues, title: str) -> Dots:
    """Return the mean of each answering model, with that of all answers as the reference line."""
    rows = tuple((name, one.estimate, one.n) for name, one in row.by_model.items() if one.n)
    model, n = Column("answering model"), Column("n", "count")
    columns = (model, Column("mean", "number"), n)
    table = Table("by-model", columns, rows, title)
    return dots(table, "models", row.mean)
