"""Document of the metrics of a sheet."""

from dataclasses import replace

from concord.messages import capital, counted, said
from concord.reports.document import Document
from concord.reports.metrics import (
    diagnosis,
    fitted_threshold,
    metric_details,
    metric_validity,
    metrics,
)
from concord.reports.metrics.metric_records import edited_sentence
from concord.reports.metrics.sheet_metrics import SheetMetrics

NOTHING = said("This sheet has no metric values yet. Begin with `judge computed`, which is free.")


def document(found: SheetMetrics) -> Document:
    """Return what is shown of the metrics of a sheet."""
    if not found.rows:
        return Document(NOTHING)
    given = [row.values for row in found.rows]
    against = metric_validity.table(found.predicts.rows)
    fitted = found.fitted_cuts if any(row.cut is not None for row in found.fitted_cuts) else []
    return Document(
        found.predicts.sentence,
        facts=(found.predicts.fact,),
        tables=(
            metrics.table(given),
            metrics.model_table(given),
            *metric_details.tables(found.rows),
            replace(against, title=said("Correlation with annotators' grades")),
            fitted_threshold.table(fitted),
            diagnosis.table(found.diagnosis),
        ),
        notes=(*_undefined(given), edited_sentence(found.edited), _closed(found.closed)),
    )


def _undefined(given: list[metrics.MetricValues]) -> list[str]:
    """Return why means have no CI, each reason once."""
    figures = [one for row in given for one in (row, *row.by_model.values())]
    reasons = dict.fromkeys(one.why_none for one in figures if one.mean is not None)
    return [said("{why}.", why=capital(why)) for why in reasons if why]


def _closed(n: int) -> str:
    if not n:
        return ""
    return said(
        "{answers} excluded: held-out questions and the few-shot pool.",
        answers=counted(n, "answer"),
    )
