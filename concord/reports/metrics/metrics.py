"""Metrics of a sheet: values by judge and answering model, with what to know of each mean.

A cosine has no scale of its own: with some embedding models any two questions of a domain have one
of .8. So the values of a similarity are compared with those of unrelated texts of the sheet, from
the vectors that a run has stored.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from concord import metrics as concord_metrics
from concord.judges.definition.registry import stored
from concord.messages import counted, joined
from concord.metrics.framework.metric import NEEDS, Metric
from concord.metrics.own_metrics import VOTES
from concord.model import Sheet, status_words
from concord.reports.cells import UNDEFINED, reasons
from concord.reports.charts import Intervals, dots
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.metrics import metric_validity, vera_composite
from concord.reports.metrics.metric_records import (
    MetricMean,
    Readings,
    Record,
    by_reading,
    figure,
    indexed,
    short,
    word,
)
from concord.stats.baselines import Unrelated, unrelated
from concord.stats.reliability.retest import asked_again
from concord.store import graders, items, vectors
from concord.store.database import Store

_LISTED = (
    *("name", "title", "sentence", "formula", "low", "high", "better", "asks", "embeds"),
    *("rubrics", "switches", "source", "when_low", "others"),
)
# Metric -> the texts that are alike by chance, and the part that holds the bare similarity.
SIMILARITIES = {
    "response_relevancy": ("question", "never"),
    "vera_answer_relevance": ("question", "never"),
    "semantic_similarity": ("reference", ""),
}
# The share of what was retrieved that is right says nothing where always as many are retrieved.
_OF_RETRIEVED = ("document_precision", "context_precision_by_ids", "document_f1")


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
    models = [("a model", metric.asks), ("an embedding model", metric.embeds)]
    return " and ".join(name for name, called in models if called) or "no model"


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
        parts: By name, `n` and `mean` of other numbers that come with the metric.
        repeats: Variation between repeats (`AskedAgain`); None where no answer has two values.
        unrelated: Of a similarity, how many `texts` of different clusters make how many `pairs`,
            the 5th, 50th and 95th percentile of their cosines (`low`, `middle`, `high`), and `auc`,
            the probability that an answer's similarity is above that of such a pair.
    """

    metric: str
    judge: str
    version: str
    switches: Mapping[str, str]
    items: int
    left_out: Mapping[str, int]
    not_asked: int
    by_model: Mapping[str, MetricMean]
    parts: Mapping[str, Mapping[str, float]]
    repeats: Mapping[str, Any] | None
    unrelated: Mapping[str, Any] | None


def rows(
    found: Readings, null_of: Callable[[str, int], Unrelated | None] = lambda metric, grader: None
) -> list[MetricValues]:
    """Return what each judge gave for each metric, in the order of the first value.

    `null_of` returns the similarity of unrelated texts to a metric and grader (`unrelated_texts`).
    """
    every: dict[tuple[str, str], list[Record]] = {}
    for one in found.records:
        if one.value is not None:
            every.setdefault((one.judge, one.version), []).append(one)
    made = []
    for key, same in by_reading(found.records).items():
        first, by_model = same[0], {}
        for one in same:
            by_model.setdefault(one.answer_model or "(unknown)", []).append(one)
        statuses = Counter(one.status for one in same if one.status != "scored")
        null, scored = null_of(first.metric, first.grader_id), every.get(key, [])
        again = asked_again(
            indexed(one.item_id for one in scored),
            np.array([one.repeat for one in scored], np.int64),
            np.array([one.value for one in scored], float),
        )
        values = MetricValues(
            **vars(figure(same)),
            metric=first.metric,
            judge=first.judge,
            version=first.version,
            switches=dict(first.switches),
            items=found.items,
            left_out=dict(sorted(statuses.items())),
            not_asked=found.items - len(same),
            by_model={model: figure(records) for model, records in sorted(by_model.items())},
            parts=_part_means([one for one in same if one.value is not None]),
            repeats=again and again._asdict(),
            unrelated=_compared(null, same) if null else None,
        )
        made.append(values)
    return made


def unrelated_texts(store: Store, sheet: Sheet, metric: str, grader_id: int) -> Unrelated | None:
    """Return the similarity between the sheet's questions (or references) of different clusters.

    None for a metric that is not a similarity, and where fewer than two texts have a vector.
    """
    judge = stored(graders.get(store, grader_id)) if metric in SIMILARITIES else None
    if judge is None or judge.embedding is None:
        return None
    texts = items.texts(store, sheet.id, SIMILARITIES[metric][0])
    found = vectors.of(store, judge.embedding.identity(), list(texts))
    if len(found) < 2:
        return None
    return unrelated(np.array(list(found.values())), indexed(texts[text] for text in found))


def _compared(null: Unrelated, same: Sequence[Record]) -> dict[str, Any]:
    # The bare cosine, whether or not the answer avoids answering.
    part = SIMILARITIES[same[0].metric][1]
    values = [one.parts.get(part, one.value) for one in same]
    known = [value for value in values if value is not None]
    low, middle, high = null.quantiles()
    return {
        "texts": null.texts,
        "pairs": len(null.cosines),
        "low": low,
        "middle": middle,
        "high": high,
        "auc": null.auc(known) if known else None,
    }


def _part_means(scored: Sequence[Record]) -> dict[str, dict[str, float]]:
    """The numbers that come with a metric, in its order, but other choices of its switches.

    One that equals the metric's own for every answer is left out. A choice without votes in an
    answer that was voted on has 0 votes: only choices with votes are stored.
    """
    metric = concord_metrics.available().get(scored[0].metric) if scored else None
    choices = {choice for one in (metric.switches if metric else ()) for choice in one.choices}
    found = {}
    for name in dict.fromkeys(name for one in scored for name in one.parts if name not in choices):
        pairs = []
        for one in scored:
            voted = name.startswith(VOTES) and any(part.startswith(VOTES) for part in one.parts)
            part = one.parts.get(name, 0.0 if voted else None)
            pairs += [(part, one.value)] if part is not None else []
        if any(part != value for part, value in pairs):
            found[name] = {"n": len(pairs), "mean": sum(part for part, _ in pairs) / len(pairs)}
    return found


def of_row(records: Iterable[Record], row: MetricValues) -> list[Record]:
    """Return the values behind a row: the first of one judge and reading for each answer."""
    key = row.judge, row.version, 1
    return [one for one in records if (one.judge, one.version, one.repeat) == key]


def table(given: Sequence[MetricValues]) -> Table:
    """Return a row for each metric, judge and reading.

    The reading has a column only where a judge has several of a metric.
    """
    judges = short(row.judge for row in given)
    readings = Counter((row.metric, row.judge) for row in given)
    known = concord_metrics.available()
    parts = (
        _METRIC,
        (Column("mean", "value"), "estimate"),
        (Column("n", "count"), "n"),
        ("better if", lambda row: known[row.metric].better if row.metric in known else ""),
        (Column("all answers", "count"), "items"),
        ("judge", lambda row: judges[row.judge]),
        (
            "variant",
            lambda row: reading(row.switches) if readings[row.metric, row.judge] > 1 else "",
        ),
    )
    return table_of("metrics", given, parts, sparse=True)


_METRIC = ("metric", lambda row: concord_metrics.title(row.metric))


def model_table(given: Sequence[MetricValues]) -> Table:
    """Return the mean of each answering model by metric; no rows where there is one model.

    The judge has a column only where there are several, so that the means fit the screen. A mean
    has its CI and n, as `0.46 [0.43, 0.50] (n = 9)`.
    """

    def of_model(row: MetricValues, model: str) -> str:
        found = row.by_model.get(model)
        return f"{found.written()} (n = {found.n:,})" if found and found.n else UNDEFINED

    judges = short(row.judge for row in given)
    models = sorted({model for row in given for model in row.by_model})
    parts = (
        _METRIC,
        *((model, partial(of_model, model=model)) for model in models),
        *([("judge", lambda row: judges[row.judge])] if len(judges) > 1 else ()),
    )
    return table_of("models", given if len(models) > 1 else (), parts)


def detail_tables(given: Sequence[MetricValues]) -> tuple[Table, ...]:
    """Return the means of components, the similarity of unrelated texts and the repeats."""

    def table(name: str, title: str, pairs: Iterable[tuple], *columns: tuple) -> Table:
        series = (
            ("metric", lambda one: concord_metrics.title(one[0].metric)),
            ("judge", lambda one: one[0].judge),
        )
        own = (
            (Column(head, kind), lambda one, key=key: one[1][key]) for head, kind, key in columns
        )
        return table_of(name, pairs, (*series, *own), title)

    return (
        table(
            "related",
            "Component means",
            (
                (row, part | {"name": word(name)})
                for row in given
                for name, part in row.parts.items()
            ),
            ("component", "text", "name"),
            ("n", "count", "n"),
            ("mean", "value", "mean"),
        ),
        table(
            "unrelated",
            "Unrelated texts",
            ((row, row.unrelated) for row in given if row.unrelated),
            ("unrelated texts", "count", "texts"),
            ("median", "number", "middle"),
            ("95th percentile", "number", "high"),
            ("AUC of the answers", "number", "auc"),
        ),
        table(
            "repeats",
            "Repeated requests",
            ((row, row.repeats) for row in given if row.repeats),
            ("repeated requests", "count", "repeats"),
            ("answers", "count", "answers"),
            ("answers changed", "count", "moved"),
            ("SD within an answer", "value", "sd"),
        ),
    )


def reading(switches: Mapping[str, str]) -> str:
    """Return the choices with their switches, as `support: strict`."""
    return joined(", ", (f"{word(name)}: {word(choice)}" for name, choice in switches.items()))


def status_counts(left_out: Mapping[str, int], not_asked: int = 0) -> str:
    """Return how many answers have no value, by status, and how many are not asked for yet."""
    out = [f"{n:,} {status_words(status)}" for status, n in left_out.items()]
    return joined(", ", [*out, f"{not_asked:,} not requested yet"] if not_asked else out)


def chart(row: MetricValues, title: str) -> Intervals:
    """Return the mean of each answering model, with that of all answers as the reference line."""
    rows = tuple((name, one.estimate, one.n) for name, one in row.by_model.items() if one.n)
    columns = Column("answering model"), Column("mean", "number"), Column("n", "count")
    return dots(Table("by-model", columns, rows, title), "models", row.mean)


def notes(records: Sequence[Record], items: int) -> list[str]:
    """Return caveats of one reading: a fixed k, flags, and why values are missing."""
    scored = [one for one in records if one.value is not None]
    found, sizes = [], {one.units for one in scored}
    if len(scored) > 1 and scored[0].metric in _OF_RETRIEVED and len(sizes) == 1:
        found.append(f"Fixed k: {sizes.pop():,} retrieved each time. Read it together with recall.")
    flags = Counter(flag for one in scored for flag in one.flags)
    found += [f"{word(flag)}: {n:,} of {len(scored):,}" for flag, n in flags.most_common()]
    whys = Counter((one.status, one.reason) for one in records if one.value is None)
    found += [f"{n:,} {status_words(status)}: {why}" for (status, why), n in whys.most_common()]
    rest = items - len(records)
    return [*found, f"{rest:,} not requested yet"] if rest else found


def report(
    store: Store, sheet: Sheet, found: Readings, rubric: str | None = None
) -> dict[str, Any]:
    """Return the metrics of a sheet, compared with the annotators' grades under a rubric.

    Returns:
        `rows` of each metric, its `validity`, the `diagnosis` of failing answers, and `vera`.
    """
    values = rows(found, partial(unrelated_texts, store, sheet))
    panel = metric_validity.panel(store, sheet, rubric)
    validity = metric_validity.against(found, panel)
    names = items.answer_names(store, sheet.id)
    return {
        "rows": values,
        "validity": validity,
        "diagnosis": metric_validity.diagnosis(found, values, names, validity.rows),
        "vera": vera_composite.report(found),
    }


def document(whole: Mapping[str, Any], found: Readings, where: str = "") -> Document:
    """Return what is shown of the metrics of a sheet, of the answers that a condition chose."""
    values, validity = whole["rows"], whole["validity"]
    only = where_sentence(where, found.items) if where else ""
    if not values:
        return Document(only or "No metric values yet. Compute the free ones: `judge computed`.")
    means = [one for row in values for one in (row, *row.by_model.values())]
    return Document(
        validity.sentence,
        facts=tuple(filter(None, (only, validity.fact))),
        tables=(
            table(values),
            model_table(values),
            *detail_tables(values),
            metric_validity.validity_table(validity.rows),
            metric_validity.diagnosis_table(whole["diagnosis"]),
        ),
        notes=(
            *reasons(one.why_none for one in means if one.mean is not None),
            closed_sentence(found.closed),
        ),
    )


def where_sentence(condition: str, items: int) -> str:
    """Return how many answers a condition on a metric leaves."""
    return f"Only the {items:,} answers where {condition.replace('_', ' ')}."


def closed_sentence(closed: int) -> str:
    """Return how many answers are excluded; '' for none."""
    words = "excluded: held-out questions and the few-shot pool."
    return f"{counted(closed, 'answer')} {words}" if closed else ""
