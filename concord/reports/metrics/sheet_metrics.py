"""Sheet metrics: the values of every metric on a sheet, their validity, and the failing answers."""

from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from concord.messages import counted, on_command_line, said
from concord.model import Sheet
from concord.reports.cells import reasons
from concord.reports.document import INTERNAL, OPTIONAL, Document
from concord.reports.metrics import (
    against_annotators,
    diagnosis,
    fitted_threshold,
    metric_details,
    metric_validity,
    metrics,
    similarity_baseline,
    vera_composite,
)
from concord.reports.metrics.against_annotators import AgainstAnnotators
from concord.reports.metrics.diagnosis import FailingAnswers
from concord.reports.metrics.fitted_threshold import FittedThreshold
from concord.reports.metrics.metric_details import MetricDetails
from concord.reports.metrics.metric_records import Readings, edited, edited_sentence
from concord.reports.metrics.metric_validity import SeriesPair
from concord.reports.metrics.vera_composite import VeraComposite
from concord.store.database import Store

NOTHING = said(
    "This sheet has no metric values yet. Compute the free ones under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge computed`"),
)


@dataclass(frozen=True)
class SheetMetrics:
    """The metrics of a sheet.

    Attributes:
        fitted_thresholds: The threshold of each metric fitted to annotators' grades.
        diagnosis: The failing answers by metric, and what to look at.
        closed: How many answers are excluded: held out or in the few-shot pool.
        edited: How many values no longer count, since a list of units was edited.
        run: What a run of the cross-encoder did.
        segments: The metrics by a column, a `MetricsBySegment`.
    """

    rows: list[MetricDetails]
    validity: AgainstAnnotators
    fitted_thresholds: list[FittedThreshold]
    correlations: list[SeriesPair]
    diagnosis: list[FailingAnswers]
    closed: int = field(metadata=INTERNAL)
    edited: int = field(metadata=INTERNAL)
    vera: VeraComposite
    run: Any = field(default=None, metadata=OPTIONAL)
    segments: Any = field(default=None, metadata=OPTIONAL)


def report(store: Store, sheet: Sheet, found: Readings, rubric: str | None = None) -> SheetMetrics:
    """Return the metrics of a sheet, compared with the annotators' grades under a rubric."""
    panel = against_annotators.panel(store, sheet, rubric)
    every = metric_validity.series(found)
    null_of = cache(partial(similarity_baseline.of_sheet, store, sheet))
    thresholds = similarity_baseline.thresholds(found, null_of)
    validity = against_annotators.against(every, panel)
    failing = diagnosis.by_validity(diagnosis.rows(found, thresholds=thresholds), validity.rows)
    return SheetMetrics(
        rows=[metric_details.details(found, row, null_of) for row in metrics.rows(found)],
        validity=validity,
        fitted_thresholds=against_annotators.fitted(every, panel, "", thresholds),
        correlations=metric_validity.among(every),
        diagnosis=diagnosis.named(store, sheet, failing),
        closed=found.closed,
        edited=edited(found),
        vera=vera_composite.report(found),
    )


def document(found: SheetMetrics) -> Document:
    """Return what is shown of the metrics of a sheet."""
    if not found.rows:
        return Document(NOTHING)
    given = [row.values for row in found.rows]
    against = metric_validity.table(found.validity.rows)
    means = [one for row in given for one in (row, *row.by_model.values())]
    closed = said(
        "{answers} excluded: held-out questions and the few-shot pool.",
        answers=counted(found.closed, "answer"),
    )
    fitted = (
        found.fitted_thresholds
        if any(row.threshold is not None for row in found.fitted_thresholds)
        else []
    )
    return Document(
        found.validity.sentence,
        facts=(found.validity.fact,),
        tables=(
            metrics.table(given),
            metrics.model_table(given),
            *metric_details.tables(found.rows),
            replace(against, title=said("Correlation with annotators' grades")),
            fitted_threshold.table(fitted),
            diagnosis.table(found.diagnosis),
        ),
        notes=(
            *reasons(one.why_none for one in means if one.mean is not None),
            edited_sentence(found.edited),
            closed if found.closed else "",
        ),
    )
