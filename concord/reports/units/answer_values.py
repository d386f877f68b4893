"""Metric values of one answer: by each judge, under other switches, and by annotators' labels."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from concord import metrics
from concord.language.grade_statuses import status_words
from concord.messages import capital, joined
from concord.reports.document import Column, Table, table_of
from concord.reports.metrics.metric_records import Record, short
from concord.reports.metrics.metric_records import record as as_record
from concord.reports.metrics.metric_variants import replayed
from concord.reports.metrics.metrics import reading, word
from concord.reports.panel.provenance import named
from concord.store import metric_values
from concord.store.database import Store
from concord.store.metric_values import of_item as values_of
from concord.store.units import unit_verdicts


class AnswerValue(NamedTuple):
    """A metric's value for the answer.

    `by_annotators` is what the labels of each annotator who labelled all of it give, by name;
    `is_stale` says that a list it rests on was edited since.
    """

    record: Record
    title: str
    by_annotators: dict[str, float]
    is_stale: bool


def read(store: Store, item_id: int, rubric: str = "") -> list[AnswerValue]:
    """Return every metric's first value for an answer; those that rest on the rubric first."""
    records = [(as_record(row), row) for row in values_of(store, item_id) if row["repeat"] == 1]
    newest = {(one.grader_id, one.metric, str(one.switches)): one for one, _ in records}
    edited = metric_values.edited(store, id=item_id)
    annotators = unit_verdicts.annotators(store, item_id)
    found = [
        AnswerValue(
            one,
            metrics.title(one.metric),
            _by_annotators(store, one, annotators),
            not edited.isdisjoint(json.loads(row["lists"])),
        )
        for one, row in records
        if newest[one.grader_id, one.metric, str(one.switches)] == one
    ]
    return sorted(found, key=lambda one: not rests_on(one.record.metric, rubric))


def rests_on(metric: str, rubric: str) -> bool:
    """True for a metric computed from verdicts under a rubric of units."""
    found = metrics.available().get(metric)
    return bool(found) and rubric in found.rubrics


def _by_annotators(
    store: Store, one: Record, annotators: dict[int, tuple[str, bool]]
) -> dict[str, float]:
    """Return the value by each annotator's labels on the same units, where all are labelled."""
    metric = metrics.available().get(one.metric)
    found = {}
    for grader_id, who in annotators.items() if metric and metric.rubrics else ():
        outcome = replayed(store, metric, [one.item_id], grader_id, one.switches)[one.item_id]
        if outcome.value is not None:
            found[named(*who)] = outcome.value
    return found


def table(found: Sequence[AnswerValue]) -> Table:
    """Return a row for each value and how it came about."""
    judges = short(one.record.judge for one in found)
    parts = (
        ("metric", "title"),
        ("judge", lambda one: judges[one.record.judge]),
        (Column("value", "value"), "record.value"),
        ("variant", lambda one: reading(one.record.switches)),
        ("derivation", _about),
        ("by annotators", _annotators),
    )
    return table_of("values", found, parts, sparse=True)


def _annotators(one: AnswerValue) -> str:
    return joined("; ", (f"{name}: {value:.3f}" for name, value in one.by_annotators.items()))


def _about(one: AnswerValue) -> str:
    """Return how a value came about or why it is undefined, with its caveats."""
    record = one.record
    flags = f"Flags: {', '.join(map(word, record.flags))}." if record.flags else ""
    status = f"{capital(status_words(record.status))}." if record.value is None else ""
    stale = "A list it is based on was edited since: run the judge again." if one.is_stale else ""
    return joined(" ", filter(None, [status, record.reason, flags, stale]))
