"""Metric reading: one metric by one judge under chosen switches, and what to know of its mean."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from concord.reports.metrics import (
    metric_notes,
    metric_parts,
    metric_repeats,
    metric_variants,
    metrics,
    similarity_baseline,
)
from concord.reports.metrics.metric_records import Readings, Record
from concord.stats.comparison.similarity_baseline import Unrelated
from concord.store.database import Store


@dataclass(frozen=True)
class MetricReading:
    """One metric by one judge.

    Attributes:
        row: Its mean, as a row of `metrics.rows`.
        records: The values behind it, the first of each answer.
        is_stored: The switches are those of the run.
        unrelated: Similarities compared with unrelated texts, in words; '' for other metrics.
        notes: Caveats of the mean.
        left_out: Why answers have no value.
    """

    row: dict[str, Any]
    records: list[Record]
    is_stored: bool
    unrelated: str
    notes: list[str]
    left_out: list[str]


def read(
    store: Store,
    found: Readings,
    row: Mapping[str, Any],
    switches: Mapping[str, str],
    null_of: Callable[[str, int], Unrelated | None],
) -> MetricReading:
    """Return a row of the report under other switches, from stored verdicts.

    Args:
        store: The open store.
        found: The values of the sheet.
        row: A row of `metrics.rows`.
        switches: The choices that differ from those of the run.
        null_of: The null distribution of a likeness found by a grader.
    """
    given = of_row(found, row)
    kept = found._replace(records=given)
    if switches:
        kept = metric_variants.under(store, kept, {row["metric"]: switches})
    own = metrics.rows(kept)[0]
    parts = metric_parts.means(kept.records, own)
    again = None if switches else metric_repeats.of(found.records, own)
    notes = metric_notes.notes(kept.records)
    notes += [metric_parts.sentence(parts, own["n"])] if parts else []
    notes += [metric_repeats.sentence(again)] if again else []
    return MetricReading(
        row=own,
        records=kept.records,
        is_stored=not switches,
        unrelated=_unrelated(null_of(own["metric"], given[0].grader_id), kept, own),
        notes=notes,
        left_out=metric_notes.left_out(kept.records, own["items"]),
    )


def of_row(found: Readings, row: Mapping[str, Any]) -> list[Record]:
    """Return the values behind a row: the first of one judge and reading for each answer."""
    place = row["judge"], row["version"]
    return [one for one in found.records if (one.judge, one.version) == place and one.repeat == 1]


def _unrelated(null: Unrelated | None, kept: Readings, row: Mapping[str, Any]) -> str:
    if null is None:
        return ""
    return similarity_baseline.sentence(similarity_baseline.figures(null, kept, row), row["metric"])
