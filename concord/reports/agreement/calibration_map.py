"""Calibration maps: a judge's statistics with its scores recalibrated to the annotators'.

Out of fold: every score is mapped by a fit to other questions. No headline and no ranking uses it;
it shows whether a bias is systematic enough to be corrected.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.messages import said
from concord.reports.document import Cell, Column, Document, Table
from concord.reports.panel.comparison import ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.stats.core.estimate import Estimate
from concord.stats.correction.calibration_map import MEAN, MEDIAN, CalibrationMap, calibration_map
from concord.stats.statistics import shown

KINDS = {MEAN: said("read as annotators' mean"), MEDIAN: said("read as annotators' median")}
AS_IT_IS = said("as it is")
_FIGURES = shown("calibration map")


@dataclass(frozen=True)
class MappedScores:
    """One map of a judge's scores on one criterion; the other fields as in `CalibrationMap`.

    `map` has each score and what it becomes; None where the judge never gives it.
    """

    criterion: str
    kind: str
    map: tuple[tuple[int, float | None], ...]
    distinct: int | None
    failure: str | None
    why_none: str | None
    before: dict[str, Estimate]
    after: dict[str, Estimate]


def report(panel: Panel, judge_id: int) -> list[MappedScores]:
    """Return both maps of every criterion of one judge."""
    judge, found = panel.judges[judge_id], []
    for name in panel.criteria:
        if name != COMPOSITE:
            pairs, scale = ground(panel, name, EACH).pairs(judge), panel.rubric.scale
            maps = (calibration_map(pairs, scale, kind) for kind in KINDS)
            found += [_mapped(scale, name, one) for one in maps]
    return found


def document(found: list[MappedScores]) -> Document:
    """Return the figures as they are and as mapped, and why a map is missing or a failure."""
    rows, seen = [], set()
    for one in found:
        if one.criterion not in seen:
            seen.add(one.criterion)
            rows.append(_row(one.criterion, AS_IT_IS, "", one.before))
        if not one.why_none:
            mapped = ", ".join(f"{score}→{to:.3g}" for score, to in one.map if to is not None)
            rows.append(_row(one.criterion, KINDS[one.kind], mapped, one.after))
    columns = (
        Column(said("criterion")),
        Column(said("scores")),
        Column(said("maps to")),
        *(Column(one.head, one.kind) for one in _FIGURES),
    )
    missing = (
        said("{criterion}: {why}.", criterion=one.criterion, why=one.why_none)
        for one in found
        if one.why_none
    )
    failed = (
        said(
            "{criterion}, {kind}: a failure, since {why}.",
            criterion=one.criterion,
            kind=KINDS[one.kind],
            why=one.failure,
        )
        for one in found
        if one.failure
    )
    notes = tuple(dict.fromkeys((*missing, *failed)))
    return Document("", tables=(Table("maps", columns, tuple(rows)),), notes=notes)


def _mapped(scale: Sequence[int], criterion: str, one: CalibrationMap) -> MappedScores:
    mapped = [] if one.mapped is None else one.mapped.tolist()
    pairs = zip(scale, mapped, strict=False)
    return MappedScores(
        criterion=criterion,
        kind=one.kind,
        map=tuple((score, None if to != to else to) for score, to in pairs),
        distinct=one.distinct,
        failure=one.failure,
        why_none=one.why_none,
        before=one.before,
        after=one.after,
    )


def _row(criterion: str, scores: str, mapped: str, by_key: dict[str, Estimate]) -> tuple[Cell, ...]:
    return criterion, scores, mapped, *(by_key.get(one.key) for one in _FIGURES)
