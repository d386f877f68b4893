"""Metric values of one answer: by each judge, under other switches, and by annotators' labels."""

from collections.abc import Sequence

from concord import metrics
from concord.messages import capital
from concord.model import status_words
from concord.reports.document import Column, Table, table_of
from concord.reports.metrics.metric_records import Record, short, standing
from concord.reports.metrics.metric_variants import replayed
from concord.reports.metrics.metrics import reading, word
from concord.reports.panel.provenance import named
from concord.store import metric_values
from concord.store.database import Store
from concord.store.units import unit_verdicts


def read(store: Store, item_id: int) -> list[Record]:
    """Return every metric's first value for an answer, under the newest prompts."""
    edited = metric_values.edited(store, id=item_id)
    rows = metric_values.of_item(store, item_id)
    records = [standing(row, edited) for row in rows if row["repeat"] == 1]
    newest = {(one.grader_id, one.metric, str(one.switches)): one for one in records}
    return [*newest.values()]


def rests_on(metric: str, rubric: str) -> bool:
    """True for a metric computed from verdicts under a rubric of units."""
    found = metrics.available().get(metric)
    return bool(found) and rubric in found.rubrics


def table(store: Store, found: Sequence[Record]) -> Table:
    """Return a row for each value, how it came about, and what annotators' labels give."""
    judges = short(one.judge for one in found)
    parts = (
        ("metric", lambda one: metrics.title(one.metric)),
        ("judge", lambda one: judges[one.judge]),
        (Column("value", "value"), "value"),
        ("variant", lambda one: reading(one.switches)),
        ("derivation", _about),
        ("by annotators", lambda one: _by_annotators(store, one)),
    )
    return table_of("values", found, parts, sparse=True)


def _by_annotators(store: Store, one: Record) -> str:
    """Return the value by each annotator's labels on the same units, where all are labelled."""
    metric = metrics.available().get(one.metric)
    if not (metric and metric.rubrics):
        return ""
    found = []
    for grader_id, who in unit_verdicts.annotators(store, one.item_id).items():
        outcome = replayed(store, metric, [one.item_id], grader_id, one.switches)[one.item_id]
        if outcome.value is not None:
            found.append(f"{named(*who)}: {outcome.value:.3f}")
    return "; ".join(found)


def _about(one: Record) -> str:
    """Return how a value came about or why it is undefined, with its caveats."""
    flags = f"Flags: {', '.join(map(word, one.flags))}." if one.flags else ""
    status = f"{capital(status_words(one.status))}." if one.value is None else ""
    return " ".join(filter(None, [status, one.reason, flags]))
