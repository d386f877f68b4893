"""Metric reading: one metric by one judge under chosen switches, and what to know of its mean."""

from collections.abc import Mapping
from dataclasses import dataclass

from concord.metrics import title
from concord.reports.document import Table
from concord.reports.metrics import metric_details, metric_notes, metric_variants, metrics
from concord.reports.metrics.metric_details import NullOf
from concord.reports.metrics.metric_records import Readings, Record
from concord.reports.metrics.metrics import MetricValues
from concord.store.database import Store


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
    details = metric_details.details(kept if switches else found, own, null_of)
    return MetricReading(
        row=own,
        records=kept.records,
        is_stored=not switches,
        tables=metric_details.tables([details], title),
        notes=metric_notes.notes(kept.records),
        left_out=metric_notes.left_out(kept.records, own.items),
    )
