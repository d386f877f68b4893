"""Sheet metrics: the values of every metric on a sheet, their validity, and the failing answers."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from concord.messages import counted
from concord.model import Sheet
from concord.reports.cells import reasons
from concord.reports.document import Document
from concord.reports.metrics import metric_validity, metrics, vera_composite
from concord.reports.metrics.metric_records import Readings
from concord.store import items
from concord.store.database import Store


def report(
    store: Store, sheet: Sheet, found: Readings, rubric: str | None = None
) -> dict[str, Any]:
    """Return the metrics of a sheet, compared with the annotators' grades under a rubric.

    Returns:
        `rows` of each metric, its `validity`, the `diagnosis` of failing answers, and `vera`.
    """
    rows = metrics.rows(found, partial(metrics.unrelated_texts, store, sheet))
    panel = metric_validity.panel(store, sheet, rubric)
    validity = metric_validity.against(found, panel)
    names = items.answer_names(store, sheet.id)
    return {
        "rows": rows,
        "validity": validity,
        "diagnosis": metric_validity.diagnosis(found, rows, names, validity.rows),
        "vera": vera_composite.report(found),
    }


def document(whole: Mapping[str, Any], found: Readings, where: str = "") -> Document:
    """Return what is shown of the metrics of a sheet, of the answers that a condition chose."""
    rows, validity = whole["rows"], whole["validity"]
    only = where_sentence(where, found.items) if where else ""
    if not rows:
        return Document(only or "No metric values yet. Compute the free ones: `judge computed`.")
    means = [one for row in rows for one in (row, *row.by_model.values())]
    return Document(
        validity.sentence,
        facts=tuple(filter(None, (only, validity.fact))),
        tables=(
            metrics.table(rows),
            metrics.model_table(rows),
            *metrics.detail_tables(rows),
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
