"""Annotators: how far the annotators of a sheet agree, as `annotators --json` has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from concord.reports.panel import grading_times
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.grading_times import Moments
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import weighting
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.simulated import Annotator, counted
from concord.reports.reliability import panel_reliability
from concord.reports.reliability.annotator_overlap import (
    Overall,
    OverTime,
    Pair,
    Strictness,
    over_time,
    overall,
    pairs,
    strictness,
)
from concord.reports.reliability.annotator_quality import AnnotatorQuality, quality
from concord.reports.reliability.annotator_warnings import AnnotatorWarning, warnings
from concord.reports.reliability.contested_items import ContestedItems, contested_items
from concord.reports.reliability.panel_reliability import (
    PanelReliability,
    SecondAnnotator,
    second_annotator,
)
from concord.store.database import Store


@dataclass(frozen=True)
class CriterionAgreement:
    """Inter-annotator agreement on one criterion; `not_blind` grades are not in it."""

    criterion: str
    overall: Overall
    annotator_warnings: tuple[AnnotatorWarning, ...]
    pairs: tuple[Pair, ...]
    strictness: tuple[Strictness, ...]
    over_time: OverTime
    split: ContestedItems
    second_annotator: SecondAnnotator
    not_blind: int = 0


@dataclass(frozen=True)
class AnnotatorReport:
    """Inter-annotator agreement on every criterion.

    Attributes:
        synthetic: How many of its answers are synthetic.
        zone: The time zone of days and hours.
        uncounted: Annotators whose grades do not count, with the reason.
        weighting: How answers weigh; None where each counts the same.
        reliability: Inter-rater reliability by criterion.
        quality: Consistency and speed of each annotator, for leads alone.
    """

    sheet: str
    synthetic: int
    rubric: str
    zone: str
    annotators: tuple[Annotator, ...]
    uncounted: dict[str, str]
    weighting: str | None
    reliability: tuple[PanelReliability, ...]
    criteria: tuple[CriterionAgreement, ...]
    quality: AnnotatorQuality


def report(
    store: Store, panel: Panel, where: tzinfo, most: int | None = None, only: Sequence[str] = ()
) -> AnnotatorReport:
    """Return the report.

    `where` is the time zone of days and hours, `most` the number of contested answers listed for
    each criterion (None for all), `only` the criteria (all without).
    """
    known = grading_times.read(store, panel)
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    together = panel_reliability.rows(panel)
    return AnnotatorReport(
        sheet=panel.sheet.name,
        synthetic=panel.sheet.synthetic,
        rubric=panel.rubric.name,
        zone=str(where),
        annotators=counted(panel.graded_by),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
        reliability=tuple(row for row in together if row.criterion in names),
        criteria=tuple(of_criterion(store, panel, name, known, where, most) for name in names),
        quality=quality(store, panel, known, where, names),
    )


def of_criterion(
    store: Store, panel: Panel, name: str, known: Moments, where: tzinfo, most: int | None = None
) -> CriterionAgreement:
    """Return the agreement on one criterion."""
    on = ground(panel, name, EACH)
    return CriterionAgreement(
        criterion=name,
        overall=overall(on),
        annotator_warnings=tuple(warnings(panel, [name])),
        pairs=tuple(pairs(on)),
        strictness=tuple(strictness(on)),
        over_time=over_time(on, known, where),
        split=contested_items(store, on, most),
        second_annotator=second_annotator(on),
        not_blind=sum(
            int((marks.scored & ~marks.blind & panel.open).sum())
            for marks in (panel.of(name, i) for i in panel.annotators)
        ),
    )
