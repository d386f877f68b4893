"""Metric details: one metric by one judge under chosen switches, and what to know of its mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from concord import metrics as concord_metrics
from concord.metrics.own_metrics import VOTES
from concord.reports.document import FLAT, Column, Part, Table, table_of
from concord.reports.metrics import metric_variants, metrics, similarity_baseline
from concord.reports.metrics.metric_records import Readings, Record, indexed
from concord.reports.metrics.metric_words import word
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.reports.metrics.similarity_baseline import SimilarityBaseline
from concord.stats.baselines import Unrelated
from concord.stats.reliability.retest import asked_again
from concord.store.database import Store

NullOf = Callable[[str, int], Unrelated | None]


@dataclass(frozen=True)
class MetricDetails:
    """The values of a metric and what to know of their mean.

    Attributes:
        unrelated: For a similarity, how similar unrelated texts are.
        repeats: Variation between repeats (`AskedAgain`); `partly` counts the answers with a value
            in some repeats and none in others. None where no answer has two values.
        parts: By name, `n` and `mean` of other numbers that come with the metric.
    """

    values: MetricValues = field(metadata=FLAT)
    unrelated: SimilarityBaseline | None
    repeats: Mapping[str, Any] | None
    parts: Mapping[str, Mapping[str, float]]


def details_of(found: Readings, row: MetricValues, null_of: NullOf) -> MetricDetails:
    """Return what to know of a row.

    `null_of` returns the null distribution of a similarity computed by a grader.
    """
    return MetricDetails(
        row,
        _baseline(found, row, null_of),
        repeats(found.records, row),
        related_means(found.records, row),
    )


def tables(found: Sequence[MetricDetails], called: Callable[[str], str] = str) -> tuple[Table, ...]:
    """Return the related means, the similarity baselines and the repeats.

    `called` gives a metric's name as shown.
    """
    series: tuple[Part, ...] = (
        ("metric", lambda row: called(row.values.metric)),
        ("judge", "values.judge"),
    )
    counts = (
        (Column(head, "count"), lambda row, key=key: row.repeats[key])
        for head, key in (
            ("repeated requests", "repeats"),
            ("answers", "answers"),
            ("answers changed", "moved"),
            ("undefined in some", "partly"),
        )
    )
    related = [(one.values, name, part) for one in found for name, part in one.parts.items()]
    return (
        table_of(
            "related",
            related,
            (
                ("metric", lambda row: called(row[0].metric)),
                ("judge", lambda row: row[0].judge),
                ("component", lambda row: word(row[1])),
                (Column("n", "count"), lambda row: row[2]["n"]),
                (Column("mean", "value"), lambda row: row[2]["mean"]),
            ),
            "Component means",
        ),
        table_of(
            "unrelated",
            [one for one in found if one.unrelated],
            (
                *series,
                (Column("unrelated texts", "count"), "unrelated.texts"),
                (Column("median", "number"), "unrelated.middle"),
                (Column("95th percentile", "number"), "unrelated.high"),
                (Column("AUC of the answers", "number"), "unrelated.auc"),
            ),
            "Unrelated texts",
        ),
        table_of(
            "repeats",
            [one for one in found if one.repeats],
            (
                *series,
                *counts,
                (Column("SD within an answer", "value"), lambda row: row.repeats["sd"]),
                ("means", lambda row: ", ".join(f"{mean:.3f}" for mean in row.repeats["means"])),
            ),
            "Repeated requests",
        ),
    )


def _baseline(found: Readings, row: MetricValues, null_of: NullOf) -> SimilarityBaseline | None:
    if row.metric not in similarity_baseline.HELD:
        return None
    grader_id = next(one.grader_id for one in found.records if one.judge == row.judge)
    null = null_of(row.metric, grader_id)
    return similarity_baseline.compared(null, found, row) if null else None


def related_means(records: Sequence[Record], row: MetricValues) -> dict[str, dict[str, float]]:
    """Return the related means of a metric by name, from the first value of each answer.

    What another choice of a switch gives is not among them: that is another reading of the metric.
    They are in the order in which the metric gives them. A number that equals the metric's own for
    every answer is left out. A choice without votes in an answer that was voted on has 0 votes.
    """
    scored = [one for one in of_row(records, row) if one.value is not None]
    metric = concord_metrics.available().get(row.metric)
    choices = {choice for one in (metric.switches if metric else ()) for choice in one.choices}
    found = {}
    for name in dict.fromkeys(name for one in scored for name in one.parts):
        pairs = [(part, one.value) for one in scored if (part := _part(one, name)) is not None]
        if name not in choices and any(part != value for part, value in pairs):
            mean = sum(part for part, _ in pairs) / len(pairs)
            found[name] = {"n": len(pairs), "mean": mean}
    return found


def repeats(records: Sequence[Record], row: MetricValues) -> dict[str, Any] | None:
    """Return how the repeats behind a row differ; None where no answer has two values."""
    place = row.judge, row.version
    mine = [one for one in records if (one.judge, one.version) == place]
    scored = [one for one in mine if one.value is not None]
    found = asked_again(
        indexed(one.item_id for one in scored),
        np.array([one.repeat for one in scored], np.int64),
        np.array([one.value for one in scored], float),
    )
    if found is None:
        return None
    has = {one.item_id for one in scored}
    partly = len({one.item_id for one in mine if one.value is None} & has)
    return {**found._asdict(), "partly": partly}


def _part(one: Record, name: str) -> float | None:
    """Return a secondary value; only choices with votes are stored."""
    voted = name.startswith(VOTES) and any(part.startswith(VOTES) for part in one.parts)
    return one.parts.get(name, 0.0 if voted else None)


def read(
    store: Store,
    found: Readings,
    row: MetricValues,
    switches: Mapping[str, str],
    null_of: NullOf,
) -> tuple[MetricDetails, list[Record]]:
    """Return a row under other switches, from stored verdicts, and the records behind it.

    `switches` are the choices that differ from those of the run; `null_of` returns the null
    distribution of a similarity computed by a grader.
    """
    kept = found._replace(records=metrics.of_row(found.records, row))
    if switches:
        kept = metric_variants.under(store, kept, {row.metric: switches})
    own = metrics.rows(kept)[0]
    return details_of(kept if switches else found, own, null_of), kept.records
