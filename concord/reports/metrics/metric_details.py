"""Metric details: what to know of a metric's mean: related means, repeats, similarity baseline."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from concord.messages import said
from concord.reports.document import FLAT, Column, Table, table_of
from concord.reports.metrics import metric_parts, metric_repeats, similarity_baseline
from concord.reports.metrics.metric_parts import RelatedMean
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metric_repeats import Repeats
from concord.reports.metrics.metric_words import word
from concord.reports.metrics.metrics import MetricValues
from concord.reports.metrics.similarity_baseline import SimilarityBaseline
from concord.stats.comparison.similarity_baseline import Unrelated

NullOf = Callable[[str, int], Unrelated | None]


@dataclass(frozen=True)
class MetricDetails:
    """The values of a metric and what to know of their mean.

    Attributes:
        values: The mean.
        unrelated: For a similarity, how similar unrelated texts are.
        repeats: How the repeats differ; None without repeats.
        parts: The related means by name.
    """

    values: MetricValues = field(metadata=FLAT)
    unrelated: SimilarityBaseline | None
    repeats: Repeats | None
    parts: Mapping[str, RelatedMean]


def details(found: Readings, row: MetricValues, null_of: NullOf) -> MetricDetails:
    """Return what to know of a row.

    Args:
        found: The values of the sheet.
        row: The row.
        null_of: The null distribution of a similarity computed by a grader.
    """
    return MetricDetails(
        row,
        _baseline(found, row, null_of),
        metric_repeats.of(found.records, row),
        metric_parts.means(found.records, row),
    )


def tables(found: Sequence[MetricDetails]) -> tuple[Table, ...]:
    """Return the related means, the similarity baselines and the repeats."""
    return (
        table_of(
            "related",
            [(one.values, name, part) for one in found for name, part in one.parts.items()],
            (
                (Column(said("metric")), lambda row: row[0].metric),
                (Column(said("judge")), lambda row: row[0].judge),
                (Column(said("related")), lambda row: word(row[1])),
                (Column(said("n"), "count"), lambda row: row[2].n),
                (Column(said("mean")), lambda row: f"{row[2].mean:.3f}"),
            ),
            said("Related means"),
        ),
        table_of(
            "unrelated",
            [one for one in found if one.unrelated],
            (
                (Column(said("metric")), lambda row: row.values.metric),
                (Column(said("judge")), lambda row: row.values.judge),
                (Column(said("unrelated texts"), "count"), lambda row: row.unrelated.texts),
                (Column(said("5th percentile"), "number"), lambda row: row.unrelated.low),
                (Column(said("median"), "number"), lambda row: row.unrelated.middle),
                (Column(said("95th percentile"), "number"), lambda row: row.unrelated.high),
                (Column(said("AUC of the answers"), "number"), lambda row: row.unrelated.auc),
            ),
            said("Similarity of unrelated texts"),
        ),
        table_of(
            "repeats",
            [one for one in found if one.repeats],
            (
                (Column(said("metric")), lambda row: row.values.metric),
                (Column(said("judge")), lambda row: row.values.judge),
                (Column(said("repeats"), "count"), lambda row: row.repeats.again.repeats),
                (Column(said("answers"), "count"), lambda row: row.repeats.again.answers),
                (Column(said("changed"), "count"), lambda row: row.repeats.again.moved),
                (Column(said("SD within an answer")), lambda row: f"{row.repeats.again.sd:.3f}"),
                (Column(said("mean of each repeat")), _means),
                (Column(said("undefined in some"), "count"), lambda row: row.repeats.partly),
            ),
            said("Repeated requests"),
        ),
    )


def _means(row: MetricDetails) -> str:
    return ", ".join(f"{mean:.3f}" for mean in row.repeats.again.means)


def _baseline(found: Readings, row: MetricValues, null_of: NullOf) -> SimilarityBaseline | None:
    if row.metric not in similarity_baseline.HELD:
        return None
    grader_id = next(one.grader_id for one in found.records if one.judge == row.judge)
    null = null_of(row.metric, grader_id)
    return similarity_baseline.compared(null, found, row) if null else None
