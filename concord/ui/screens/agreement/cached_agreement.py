"""The agreement of judges on screen, each part computed once for a state of the store."""

from functools import partial

from concord.messages import said
from concord.reports.agreement import confusion, rows
from concord.reports.agreement.results import (
    AgreementRow,
    Ceiling,
    Continuous,
    MajorityBaseline,
    OtherModels,
    WithoutConsensus,
    WorstCase,
)
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import UnitWords
from concord.stats.core.estimate import Estimate, Statistics
from concord.stats.reliability.alt_test import AltTest
from concord.ui.cached_reports import Report, lasting
from concord.ui.caching import kept

_SHAPES = (
    *(AgreementRow, Ceiling, Continuous, MajorityBaseline, OtherModels, WithoutConsensus),
    *(WorstCase, UnitWords, Estimate, Statistics, AltTest),
)


@kept(said("Comparing judges with annotators…"))
def agreement_rows(report: Report, kind: str) -> list[AgreementRow]:
    """The rows of the agreement report under a kind of reference."""

    def computed() -> list[AgreementRow]:
        return rows.rows(report.panel, kind)

    known, *chosen = report.key
    key = ("agreement_rows", *chosen, kind)
    return lasting(report.store, report.sheet, known, key, _SHAPES, computed)


def criterion_rows(report: Report, kind: str) -> list[AgreementRow]:
    """The same rows without those of the composite."""
    return [row for row in agreement_rows(report, kind) if row.criterion != COMPOSITE]


@kept(said("Comparing by answering model…"))
def by_answer_model(report: Report, kind: str, criterion: str, judge: int) -> list[AgreementRow]:
    """The rows of one judge and criterion for each answering model's answers alone."""
    every = partial(rows.rows, judges=[judge])
    return rows.rows_by_answer_model(report.panel, kind, [criterion], every)


@kept(most=48)
def confusion_table(report: Report, judge: int, criterion: str, kind: str) -> confusion.Confusion:
    """The confusion table of one judge."""
    return confusion.confusion(report.panel, judge, criterion, kind)
