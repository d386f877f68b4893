"""The agreement of judges on screen, each part computed once for a state of the store."""

from functools import partial

from concord.messages import said
from concord.reports.agreement import confusion, rows
from concord.reports.agreement.best_judge import with_best
from concord.reports.agreement.results import (
    AboveBaseline,
    AgreementRow,
    BestOf,
    Ceiling,
    Continuous,
    MajorityBaseline,
    OtherModels,
    WithoutConsensus,
    WorstCase,
)
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.reference_standard import MEAN
from concord.reports.panel.unit_words import UnitWords
from concord.stats.core.estimate import Estimate, Statistics
from concord.stats.reliability.alt_test import AltTest
from concord.ui.cached_reports import Report
from concord.ui.caching import kept

_SHAPES = (
    *(AboveBaseline, AgreementRow, BestOf, Ceiling, Continuous, MajorityBaseline, OtherModels),
    *(WithoutConsensus, WorstCase, UnitWords, Estimate, Statistics, AltTest),
)


@kept(said("Comparing judges with annotators…"))
def of_criterion(report: Report, kind: str, criterion: str) -> list[AgreementRow]:
    """The rows of a criterion, or of the composite, under a kind of reference."""

    def computed() -> list[AgreementRow]:
        panel = report.on(criterion)
        return with_best(panel, kind, rows.rows(panel, kind, [criterion]))

    return report.lasting(("agreement_rows", kind, criterion), _SHAPES, computed)


def every_row(report: Report, kind: str) -> list[AgreementRow]:
    """The rows of all criteria and of the composite, judge after judge, in the report's order."""
    criteria = report.people.criteria
    found = [row for name in criteria for row in of_criterion(report, kind, name)]
    order = {label: place for place, label in enumerate(report.people.labels.values())}
    # A judge of the same name that came in meanwhile changes labels: the old one is last then.
    last = len(order)
    return sorted(found, key=lambda row: (order.get(row.judge, last), row.reference == MEAN))


def criterion_rows(report: Report, kind: str) -> list[AgreementRow]:
    """The same rows without those of the composite."""
    return [row for row in every_row(report, kind) if row.criterion != COMPOSITE]


@kept(said("Comparing by answering model…"))
def by_answer_model(report: Report, kind: str, criterion: str, judge: int) -> list[AgreementRow]:
    """The rows of one judge and criterion for each answering model's answers alone."""
    every = partial(rows.rows, judges=[judge])
    return rows.rows_by_answer_model(report.on(criterion), kind, [criterion], every)


@kept(most=48)
def confusion_table(report: Report, judge: int, criterion: str, kind: str) -> confusion.Confusion:
    """The confusion table of one judge."""
    return confusion.confusion(report.on(criterion), judge, criterion, kind)
