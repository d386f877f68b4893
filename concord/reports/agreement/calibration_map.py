"""Calibration maps: a judge's statistics with its scores recalibrated to the annotators'.

Out of fold: every score is mapped by a fit to other questions. No headline and no ranking uses it;
it shows whether a bias is systematic enough to be corrected.
"""

from dataclasses import dataclass

import numpy as np

from concord.messages import Numeral, said
from concord.reports.document import Cell, Column, Document, Table
from concord.reports.panel.criterion_comparison import ground
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
    """One map of a judge's scores on one criterion, and the scores of the scale."""

    criterion: str
    scale: tuple[int, ...]
    found: CalibrationMap


def report(panel: Panel, judge_id: int) -> list[MappedScores]:
    """Return both maps of every criterion of one judge."""
    judge, found = panel.judges[judge_id], []
    for name in panel.criteria:
        if name != COMPOSITE:
            pairs, scale = ground(panel, name, EACH).pairs(judge), panel.rubric.scale
            maps = (calibration_map(pairs, scale, kind) for kind in KINDS)
            found += [MappedScores(name, scale, one) for one in maps]
    return found


def document(found: list[MappedScores]) -> Document:
    """Return the figures as they are and as mapped, and why a map is missing or a failure."""
    rows, notes, seen = [], [], set()
    for one in found:
        made, kind = one.found, KINDS[one.found.kind]
        if one.criterion not in seen:
            seen.add(one.criterion)
            rows.append(_row(one.criterion, AS_IT_IS, "", made.before))
        if made.why_none:
            notes.append(said("{criterion}: {why}.", criterion=one.criterion, why=made.why_none))
            continue
        pairs = zip(one.scale, made.mapped, strict=True)
        mapped = Numeral(", ".join(f"{score}→{to:.3g}" for score, to in pairs if not np.isnan(to)))
        rows.append(_row(one.criterion, kind, mapped, made.after))
        if made.failure:
            failed = said("{criterion}, {kind}: a failure, since {why}.")
            notes.append(said(failed, criterion=one.criterion, kind=kind, why=made.failure))
    columns = (
        Column(said("criterion")),
        Column(said("scores")),
        Column(said("maps to")),
        *(Column(one.head, one.kind) for one in _FIGURES),
    )
    table = Table("maps", columns, tuple(rows))
    return Document("", tables=(table,), notes=tuple(dict.fromkeys(notes)))


def _row(criterion: str, scores: str, mapped: str, by_key: dict[str, Estimate]) -> tuple[Cell, ...]:
    return criterion, scores, mapped, *(by_key.get(one.key) for one in _FIGURES)
