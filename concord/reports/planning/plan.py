"""Plan: the sample size before anything is labelled, with hours and minimum sizes.

The width of an interval is planned by formula, with answers to one question from independent to
much alike, and where annotators have graded by resampling what they graded. A decision is planned
by simulating it (`power`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from concord.grading import assignments
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.decision_conditions import Floor, floors
from concord.reports.panel.panel import Panel
from concord.reports.planning.interval_width import (
    HALF_WIDTH,
    RANGE,
    ByPilot,
    Extent,
    Needed,
    Sizes,
    by_formula,
    by_pilot,
    extent_of,
    sized,
)
from concord.reports.planning.power import (
    JUDGES,
    PlannedDecision,
    PowerCurve,
    SimulatedPower,
    power_curve,
    simulated_power,
)
from concord.stats.intervals.group_sequential import ERROR as LEVEL
from concord.stats.planning.simulated_power import POWER
from concord.store.database import Store

TYPICAL_S = 60
REPEATED = 1.1  # a tenth of the answers come back hidden


@dataclass(frozen=True)
class Plan:
    """The plan for one criterion.

    Attributes:
        formula: Questions for the half-width, by formula.
        needed: By target, what to plan with.
        hours: Of one annotator for each target, low and high, None for no number; from
            `seconds_per_answer` of the fastest and the slowest annotator, typical ones where they
            are not `measured`.
    """

    sheet: str
    rubric: str
    criterion: str
    half_width: float
    level: float
    power: float
    extent: Extent = field(metadata=FLAT)
    formula: Sizes
    pilot: ByPilot
    decision: SimulatedPower
    needed: Mapping[str, Needed]
    floors: tuple[Floor, ...]
    hours: Mapping[str, Any]
    reweighted: bool


def plan(
    store: Store,
    panel: Panel,
    half_width: float = HALF_WIDTH,
    decided: PlannedDecision | None = None,
    criterion: str | None = None,
    against: str | None = None,
    candidate: str | None = None,
    compare: str = JUDGES,
    curves: bool = True,
) -> Plan:
    """Return the plan.

    Args:
        store: The open store.
        panel: The grades; there need not be any yet.
        half_width: Of the 95% CI of exact agreement, 0 to 1.
        decided: The decision that is planned.
        criterion: Its name; the heaviest unless one is named.
        against: The reference judge's label; the judge that agrees most without.
        candidate: The label of the judge compared with it; the next best without.
        compare: What the power curves compare, one of `power.COMPARED`.
        curves: Simulate them, which takes longest.
    """
    name = panel.rubric.criterion(criterion).name if criterion else panel.rubric.heaviest().name
    on, extent = ground(panel, name, EACH), extent_of(panel)
    decided = decided or PlannedDecision()
    formula = by_formula(half_width, decided.share, extent)
    pilot = by_pilot(on, half_width)
    decision = simulated_power(panel, name, decided, extent, compare, against, candidate)
    needed = {
        "half_width": _needed(formula, pilot.half_width, extent),
        "margin": Needed(decision.by, sized(decision.needed[:3], extent)),
    }
    found = Plan(
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        criterion=name,
        half_width=half_width,
        level=LEVEL,
        power=POWER,
        extent=extent,
        formula=formula,
        pilot=pilot,
        decision=decision,
        needed=needed,
        floors=tuple(floors(on)),
        hours=_hours(store, panel, needed),
        reweighted=panel.reweighted,
    )
    if not curves:
        return found
    return with_curves(found, [curve(panel, found, one) for one in decision.variants()])


def comparing(found: Plan, compare: str) -> Plan:
    """Return a plan without curves for another comparison, which changes nothing else."""
    return replace(found, decision=replace(found.decision, compare=compare))


def curve(panel: Panel, found: Plan, compared: str | float) -> PowerCurve:
    """Return the power curve of one of the variants that a plan compares."""
    return power_curve(panel, found.criterion, found.extent, found.decision, compared)


def with_curves(found: Plan, curves: Iterable[PowerCurve]) -> Plan:
    """Return a plan with its power curves."""
    return replace(found, decision=replace(found.decision, curves=tuple(curves)))


def _needed(formula: Sizes, found: Sequence[Mapping[str, Any]], extent: Extent) -> Needed:
    """The range to plan with: that of the pilot where it has one, else the formula's.

    Over several judges, from the least any of them needs to the most.
    """
    known = [one for one in found if one["why_none"] is None]
    if not known:
        return Needed("formula", formula)
    least = min((one["low"] for one in known if one["low"]), default=None)
    clusters = [least, *(_most([one[key] for one in known]) for key in RANGE[1:])]
    return Needed("pilot", sized(clusters, extent))


def _most(numbers: list[float | None]) -> float | None:
    return None if None in numbers else max(numbers)


def _hours(store: Store, panel: Panel, needed: Mapping[str, Needed]) -> Mapping[str, Any]:
    """Hours of one annotator's grading, with the hidden repeats, at the annotators' own pace."""
    paces = [pace for i in panel.annotators if (pace := assignments.pace(store, i))]
    seconds = (min(paces, default=TYPICAL_S), max(paces, default=TYPICAL_S))
    by_target = {
        target: tuple(
            None if count is None else round(count * REPEATED * pace / 3600, 1)
            for count, pace in zip(one.sizes.answers[::2], seconds, strict=True)
        )
        for target, one in needed.items()
    }
    return {"seconds_per_answer": seconds, "measured": bool(paces), **by_target}
