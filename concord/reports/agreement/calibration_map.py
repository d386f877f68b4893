"""Mapped: what a judge's figures would be if its scores were read as people mean them.

Out of fold: every score is mapped by what other questions taught. No headline and no ranking uses
it; it shows whether a judge that is off is off in a way that can be told.
"""

from concord.messages import Said, said
from concord.reports.panel.comparison import ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.terminal_tables import figure
from concord.stats.correction.calibration_map import MEAN, MEDIAN, CalibrationMap, calibration_map
from concord.stats.statistics import shown

KINDS = {MEAN: said("read as people's mean"), MEDIAN: said("read as people's median")}
AS_IT_IS = said("as it is")
FIGURES = shown("calibration map")


def report(panel: Panel, judge_id: int) -> list[dict]:
    """Both maps of every criterion of one judge.

    Returns:
        For each criterion and kind: `criterion`, `kind`, `map` (score, mapped; null where the
        judge never gives it), `distinct`, `failure`, `why_none`, and under `before` and `after`
        the figures exact, qwk, bias and mae.
    """
    judge, found = panel.judges[judge_id], []
    for name in panel.criteria:
        if name != COMPOSITE:
            pairs = ground(panel, name, EACH).pairs(judge)
            for kind in KINDS:
                one = calibration_map(pairs, panel.rubric.scale, kind)
                found.append(_row(panel, name, one))
    return found


def table_rows(found: list[dict]) -> list[dict]:
    """The report for a table: for each criterion the scores as they are, then as mapped."""
    rows, seen = [], set()
    for one in found:
        if one["criterion"] not in seen:
            seen.add(one["criterion"])
            rows.append(_shown(one["criterion"], AS_IT_IS, "", one["before"]))
        if not one["why_none"]:
            named, mapped = KINDS[one["kind"]], _said(one["map"])
            rows.append(_shown(one["criterion"], named, mapped, one["after"]))
    return rows


def reasons(found: list[dict]) -> list[Said]:
    """Why a criterion has no map, or one that must not be used; each reason once."""
    told = [
        said("{criterion}: {why}.", criterion=one["criterion"], why=one["why_none"])
        for one in found
        if one["why_none"]
    ]
    told += [
        said(
            "{criterion}, {kind}: a failure, since {why}.",
            criterion=one["criterion"],
            kind=KINDS[one["kind"]],
            why=one["failure"],
        )
        for one in found
        if one["failure"]
    ]
    return list(dict.fromkeys(told))


def _row(panel: Panel, criterion: str, one: CalibrationMap) -> dict:
    mapped = [] if one.mapped is None else one.mapped.tolist()
    return {
        "criterion": criterion,
        "kind": one.kind,
        "map": [
            [score, None if to != to else to]
            for score, to in zip(panel.rubric.scale, mapped, strict=False)
        ],
        "distinct": one.distinct,
        "failure": one.failure,
        "why_none": one.why_none,
        "before": _figures(one.before),
        "after": _figures(one.after),
    }


def _figures(found: dict) -> dict:
    return {one.key: found[one.key]._asdict() for one in FIGURES if one.key in found}


def _shown(criterion: str, scores: str, mapped: str, figures: dict) -> dict:
    return {
        said("criterion"): criterion,
        said("scores"): scores,
        said("maps to"): mapped,
        **{one.head: figure(figures[one.key], one.kind) for one in FIGURES},
    }


def _said(mapped: list) -> str:
    return ", ".join(f"{score}→{to:.3g}" for score, to in mapped if to is not None)
