"""Annotators: how far the annotators of a sheet agree, as `annotators --json` has it."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import weighting
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.simulated import Annotator, counted
from concord.reports.reliability import panel_reliability
from concord.reports.reliability.annotator_overlap import (
    Overall,
    Pair,
    Strictness,
    overall,
    pairs,
    strictness,
)
from concord.reports.reliability.contested_items import ContestedItems, contested_items
from concord.reports.reliability.panel_reliability import PanelReliability
from concord.store.database import Store


@dataclass(frozen=True)
class CriterionAgreement:
    """Inter-annotator agreement on one criterion; `not_blind` grades are not in it."""

    criterion: str
    overall: Overall
    pairs: tuple[Pair, ...]
    strictness: tuple[Strictness, ...]
    split: ContestedItems
    not_blind: int = 0


@dataclass(frozen=True)
class AnnotatorReport:
    """Inter-annotator agreement on every criterion.

    Attributes:
        synthetic: How many of its answers are synthetic.
        uncounted: Annotators whose grades do not count, with the reason.
        weighting: How answers weigh; None where each counts the same.
        reliability: Inter-rater reliability by criterion.
    """

    sheet: str
    synthetic: int
    rubric: str
    annotators: tuple[Annotator, ...]
    uncounted: dict[str, str]
    weighting: str | None
    reliability: tuple[PanelReliability, ...]
    criteria: tuple[CriterionAgreement, ...]


def report(
    store: Store, panel: Panel, most: int | None = None, only: Sequence[str] = ()
) -> AnnotatorReport:
    """Return the report.

    `most` is the number of contested answers listed for each criterion (None for all), `only` the
    criteria (all without).
    """
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    together = panel_reliability.rows(panel)
    return AnnotatorReport(
        sheet=panel.sheet.name,
        synthetic=panel.sheet.synthetic,
        rubric=panel.rubric.name,
        annotators=counted(panel.graded_by),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
        reliability=tuple(row for row in together if row.criterion in names),
        criteria=tuple(of_criterion(store, panel, name, most) for name in names),
    )


def of_criterion(
    store: Store, panel: Panel, name: str, most: int | None = None
) -> CriterionAgreement:
    """Return the agreement on one criterion."""
    on = ground(panel, name, EACH)
    return CriterionAgreement(
        criterion=name,
        overall=overall(on),
        pairs=tuple(pairs(on)),
        strictness=tuple(strictness(on)),
        split=contested_items(store, on, most),
        not_blind=sum(
            int((marks.scored & ~marks.blind & panel.open).sum())
            for marks in (panel.of(name, i) for i in panel.annotators)
        ),
    )
