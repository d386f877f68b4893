"""Metric details: one metric by one judge under chosen switches, and what to know of its mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from concord import metrics as concord_metrics
from concord.messages import Numeral
from concord.metrics import title
from concord.metrics.own_metrics import VOTES
from concord.reports.document import FLAT, Column, Part, Table, table_of
from concord.reports.metrics import metric_variants, metric_words, metrics, similarity_baseline
from concord.reports.metrics.metric_records import Readings, Record, indexed
from concord.reports.metrics.metric_words import word
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.reports.metrics.similarity_baseline import SimilarityBaseline
from concord.stats.baselines import Unrelated
from concord.stats.reliability.retest import AskedAgain, asked_again
from concord.store.database import Store

NullOf = Callable[[str, int], Unrelated | None]


@dataclass(frozen=True)
class RelatedMean:
    """The mean of another number that comes with a metric, over the `n` answers that have it."""

    n: int
    mean: float


@dataclass(frozen=True)
class Repeats:
    """Variation between the repeats of a metric by one judge.

    `partly` is how many answers have a value in some repeats and none in others.
    """

    again: AskedAgain = field(metadata=FLAT)
    partly: int


@dataclass(frozen=True)
class MetricDetails:
    """The values of a metric and what to know of their mean.

    Attributes:
        unrelated: For a similarity, how similar unrelated texts are.
        parts: The related means by name.
    """

    values: MetricValues = field(metadata=FLAT)
    unrelated: SimilarityBaseline | None
    repeats: Repeats | None
    parts: Mapping[str, RelatedMean]


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
        (Column("metric"), lambda row: called(row.values.metric)),
        (Column("judge"), "values.judge"),
    )
    return (
        table_of(
            "related",
            [(one.values, name, part) for one in found for name, part in one.parts.items()],
            (
                (Column("metric"), lambda row: called(row[0].metric)),
                (Column("judge"), lambda row: row[0].judge),
                (Column("component"), lambda row: word(row[1])),
                (Column("n", "count"), lambda row: row[2].n),
                (Column("mean", "value"), lambda row: row[2].mean),
            ),
            "Component means",
        ),
        table_of(
            "unrelated",
            [one for one in found if one.unrelated],
            (
                *series,
                (Column("unrelated texts", "count"), "unrelated.texts"),
                (Column("5th percentile", "number"), "unrelated.low"),
                (Column("median", "number"), "unrelated.middle"),
                (Column("95th percentile", "number"), "unrelated.high"),
                (Column("AUC of the answers", "number"), "unrelated.auc"),
            ),
            "Similarity of unrelated texts",
        ),
        table_of(
            "repeats",
            [one for one in found if one.repeats],
            (
                *series,
                (Column("repeated requests", "count"), "repeats.again.repeats"),
                (Column("answers", "count"), "repeats.again.answers"),
                (Column("answers changed", "count"), "repeats.again.moved"),
                (Column("SD within an answer", "value"), "repeats.again.sd"),
                (
                    Column("mean of each repeat"),
                    lambda row: Numeral(
                        ", ".join(f"{mean:.3f}" for mean in row.repeats.again.means)
                    ),
                ),
                (Column("undefined in some", "count"), "repeats.partly"),
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


def related_means(records: Sequence[Record], row: MetricValues) -> dict[str, RelatedMean]:
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
            found[name] = RelatedMean(len(pairs), sum(part for part, _ in pairs) / len(pairs))
    return found


def repeats(records: Sequence[Record], row: MetricValues) -> Repeats | None:
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
    return Repeats(found, len({one.item_id for one in mine if one.value is None} & has))


def _part(one: Record, name: str) -> float | None:
    """Return a secondary value; only choices with votes are stored."""
    voted = name.startswith(VOTES) and any(part.startswith(VOTES) for part in one.parts)
    return one.parts.get(name, 0.0 if voted else None)


@dataclass(frozen=True)
class MetricReading:
    """One metric by one judge.

    Attributes:
        records: The values behind it, the first of each answer.
        is_stored: The switches are those of the run.
        tables: The related means, the similarity baseline and the repeats; without rows where
            there are none.
        left_out: Why answers have no value.
    """

    row: MetricValues
    records: list[Record]
    is_stored: bool
    tables: tuple[Table, ...]
    notes: list[str]
    left_out: list[str]


def read(
    store: Store,
    found: Readings,
    row: MetricValues,
    switches: Mapping[str, str],
    null_of: NullOf,
) -> MetricReading:
    """Return a row of the report under other switches, from stored verdicts.

    `switches` are the choices that differ from those of the run; `null_of` returns the null
    distribution of a similarity computed by a grader.
    """
    kept = found._replace(records=metrics.of_row(found.records, row))
    if switches:
        kept = metric_variants.under(store, kept, {row.metric: switches})
    own = metrics.rows(kept)[0]
    details = details_of(kept if switches else found, own, null_of)
    return MetricReading(
        row=own,
        records=kept.records,
        is_stored=not switches,
        tables=tables([details], title),
        notes=metric_words.notes(kept.records),
        left_out=metric_words.left_out(kept.records, own.items),
    )
