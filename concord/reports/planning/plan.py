"""Plan: the sample size before anything is labelled, with hours and minimum sizes.

By formula, with answers to one question from independent to much alike; and where annotators have
graded, by resampling what they graded. The true difference of two judges is planned as zero: that
of a pilot is mostly chance.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from concord.grading import assignments
from concord.messages import Problem, joined, said
from concord.model import BASELINE
from concord.reports.document import FLAT
from concord.reports.panel.comparison import Ground, ground
from concord.reports.panel.minimum_sizes import VERDICT_FLOOR, Floor, floors
from concord.reports.panel.panel import LEAKED, Panel
from concord.reports.panel.reference_standard import EACH
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.group_sequential import ERROR as LEVEL
from concord.stats.planning import pilot, pilot_of_share, sample_size
from concord.stats.planning.pilot import Range
from concord.stats.planning.pilot_of_share import Shares, exact_shares, hits
from concord.store.database import Store

POWER = 0.8
SIZES = (20, 30)  # questions of a usual pilot
TYPICAL_S = 60
REPEATED = 1.1  # a tenth of the answers come back hidden
ALIKE = (0.0, 0.3, 0.6)  # how alike answers to one question are, from not at all to very
RANGE = ("low", "likely", "high")
NEVER = said("no number up to 100,000")
NO_JUDGE = said("annotators and a judge have not graded the same answers yet")

Count = int | None  # None for `NEVER`


class Terms(NamedTuple):
    """Targets, and assumptions before anything is labelled. All are shares, 0 to 1.

    Attributes:
        half_width: Of the 95% CI of exact agreement.
        margin: The non-inferiority margin.
        share: The exact agreement expected.
        discordant: The answers on which only one of two judges is expected to be right.
    """

    half_width: float = 0.05
    margin: float = 0.10
    share: float = 0.8
    discordant: float = 0.2


class Extent(NamedTuple):
    """Size of the sheet, as far as it may be graded.

    Attributes:
        clusters: Number of clusters (documents), the independent units; a question without one is
            its own.
    """

    answers: int
    questions: int
    clusters: int


@dataclass(frozen=True)
class Sizes:
    """Sample sizes, each low, likely and high."""

    clusters: tuple[Count, ...]
    questions: tuple[Count, ...]
    answers: tuple[Count, ...]


@dataclass(frozen=True)
class FormulaWidth:
    """Half-width of a CI of exact agreement with so many clusters, by formula."""

    clusters: int
    low: float
    likely: float
    high: float


@dataclass(frozen=True)
class ByFormula:
    """Sample sizes by formula, and the half-width with the sizes of usual pilots."""

    half_width: Sizes
    margin: Sizes
    at: tuple[FormulaWidth, ...]
    alike: tuple[float, ...]


@dataclass(frozen=True)
class PilotWidth:
    """Half-width of a CI of exact agreement with so many clusters, over all judges."""

    clusters: int
    forecast: Range = field(metadata=FLAT)


@dataclass(frozen=True)
class JudgeForecast:
    """Clusters for the half-width of one judge, and its exact agreement so far."""

    judge: str
    value: float
    forecast: Range = field(metadata=FLAT)


@dataclass(frozen=True)
class MarginForecast:
    """Clusters to show one judge non-inferior to the reference judge."""

    judge: str
    against: str
    forecast: Range = field(metadata=FLAT)


@dataclass(frozen=True)
class ByPilot:
    """Forecasts from the grades so far, and how many there are."""

    clusters: int
    questions: int
    answers: int
    annotators: int
    half_width: tuple[JudgeForecast, ...]
    margin: tuple[MarginForecast, ...]
    at: tuple[PilotWidth, ...]
    judge: str | None
    why_none: str | None


@dataclass(frozen=True)
class Needed:
    """The sample size to plan with, by `pilot` or `formula`."""

    by: str
    sizes: Sizes = field(metadata=FLAT)


@dataclass(frozen=True)
class Hours:
    """Hours of one annotator for each target, low and high.

    Attributes:
        seconds_per_answer: Of the fastest and the slowest annotator; typical ones without.
        measured: The seconds are those of annotators.
        by_target: By target; None for no number.
    """

    seconds_per_answer: tuple[float, ...]
    measured: bool
    by_target: dict[str, tuple[float | None, ...]] = field(metadata=FLAT)


@dataclass(frozen=True)
class Plan:
    """The plan for one criterion."""

    sheet: str
    rubric: str
    criterion: str
    terms: Terms = field(metadata=FLAT)
    level: float
    power: float
    extent: Extent = field(metadata=FLAT)
    formula: ByFormula
    pilot: ByPilot
    needed: Mapping[str, Needed]
    floors: tuple[Floor, ...]
    hours: Hours
    reweighted: bool


def plan(
    store: Store,
    panel: Panel,
    terms: Terms,
    criterion: str | None = None,
    against: str | None = None,
) -> Plan:
    """Return the plan.

    There need not be any grades yet. The criterion is the heaviest unless one is named, and
    `against`, the reference judge's label, the judge that agrees most.
    """
    name = panel.rubric.criterion(criterion).name if criterion else panel.rubric.heaviest().name
    on, extent = ground(panel, name, EACH), extent_of(panel)
    formula = by_formula(terms, extent)
    found = _pilot(on, terms, against)
    needed = {
        target: _needed(target, getattr(formula, target), getattr(found, target), extent)
        for target in TARGETS
    }
    return Plan(
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        criterion=name,
        terms=terms,
        level=LEVEL,
        power=POWER,
        extent=extent,
        formula=formula,
        pilot=found,
        needed=needed,
        floors=tuple(floors(on)),
        hours=_hours(store, panel, needed),
        reweighted=panel.reweighted,
    )


def extent_of(panel: Panel) -> Extent:
    """Return how large the sheet is without few-shot examples; a Problem for nothing else."""
    may = (panel.items["closed"] != LEAKED).to_numpy()
    if not may.any():
        raise Problem(
            "No question of sheet “{sheet}” may be graded: judges may have seen all of them as "
            "examples. Move some to evaluation, or import more.",
            sheet=panel.sheet.name,
        )
    questions, clusters = (len(np.unique(index[may])) for index in (panel.question, panel.cluster))
    return Extent(int(may.sum()), questions, clusters)


_QUANTILE = 1.96  # of the normal, for 95 percent
TARGETS = ("half_width", "margin")


def by_formula(terms: Terms, extent: Extent) -> ByFormula:
    """Return sample sizes by formula, and the half-width with the sizes of usual pilots."""
    per_cluster = extent.answers / extent.clusters
    effects = [1 + (per_cluster - 1) * alike for alike in ALIKE]
    share, margin = (
        [size(effect) for effect in effects]
        for size in (
            lambda effect: sample_size.for_share(terms.half_width, terms.share, effect),
            lambda effect: sample_size.for_non_inferiority(
                terms.margin, terms.discordant, 0, effect, LEVEL, POWER
            ),
        )
    )
    spread = _QUANTILE * np.sqrt(terms.share * (1 - terms.share) * np.array(effects) / per_cluster)
    return ByFormula(
        half_width=sized([n / per_cluster for n in share], extent),
        margin=sized([n / per_cluster for n in margin], extent),
        at=tuple(FormulaWidth(n, *(spread / np.sqrt(n)).tolist()) for n in SIZES),
        alike=ALIKE,
    )


def sized(clusters: Sequence[float | None], extent: Extent) -> Sizes:
    """Return low, likely and high clusters as questions and answers too."""
    questions, answers = (n / extent.clusters for n in (extent.questions, extent.answers))
    return Sizes(
        clusters=tuple(count and math.ceil(count) for count in clusters),
        questions=tuple(_scaled(count, questions) for count in clusters),
        answers=tuple(_scaled(count, answers) for count in clusters),
    )


def _scaled(clusters: float | None, each: float) -> int | None:
    # Rounded first, so that a rounding error does not add a question.
    return None if clusters is None else math.ceil(round(clusters * each, 6))


def _pilot(on: Ground, terms: Terms, against: str | None) -> ByPilot:
    shares = _shares(on)
    graded = np.unique(on.annotators.item)
    widths = (
        (label, one, pilot_of_share.questions_for_half_width(one, terms.half_width))
        for label, one in shares.items()
    )
    return ByPilot(
        clusters=ranked(on.panel.cluster[graded])[0] if len(graded) else 0,
        questions=len(np.unique(on.panel.question[graded])),
        answers=len(graded),
        annotators=len(on.annotators_on(np.ones(len(on.panel.items), bool))),
        half_width=tuple(JudgeForecast(label, _value(one), found) for label, one, found in widths),
        margin=_margins(on, shares, terms.margin, against),
        at=_at(list(shares.values())) if shares else (),
        judge=max(shares, key=lambda label: _value(shares[label]), default=None),
        why_none=None if shares else NO_JUDGE,
    )


def _shares(on: Ground) -> dict[str, Shares]:
    """Return each judge's exact agreement so far; the baseline's only without another judge."""
    judges = {
        on.panel.labels[i]: judge
        for i, judge in on.panel.judges.items()
        if judge.kind == "judge" and len(on.pairs(judge).item)
    }
    real = {label: judge for label, judge in judges.items() if judge.name != BASELINE}
    return {label: exact_shares(on.pairs(judge)) for label, judge in (real or judges).items()}


def _value(one: Shares) -> float:
    hits, base = one.rows.sum(axis=0)
    return float(hits / base)


def _at(shares: list[Shares]) -> tuple[PilotWidth, ...]:
    """The half-width that usual pilots, and as many clusters as there are, would give any judge."""
    there = max(pilot.QUESTION_FLOOR, *(len(one.rows) for one in shares))
    return tuple(PilotWidth(size, _any(shares, size)) for size in sorted({*SIZES, there}))


def _any(shares: list[Shares], size: int) -> Range:
    """Over the judges, from the least that one of them gets to the most."""
    found = [pilot_of_share.half_width(one, size) for one in shares]
    known = [one for one in found if one.why_none is None]
    if not known:
        return found[0]
    most = max(known, key=lambda one: one.likely)
    low, high = min(one.low for one in known), max(one.high for one in known)
    return most._replace(low=low, high=high)


def _margins(
    on: Ground, shares: dict[str, Shares], margin: float, against: str | None
) -> tuple[MarginForecast, ...]:
    """Forecasts for each judge against the reference judge."""
    if against and against not in shares:
        raise Problem(
            "“{judge}” cannot be the reference judge here. Name one of: {judges}.",
            judge=against,
            judges=joined(", ", shares) or said("none yet"),
        )
    if len(shares) < 2:
        return ()
    best = against or max(shares, key=lambda label: _value(shares[label]))

    def forecast(label: str) -> Range:
        rows = _paired(on, label, best)
        return pilot.questions_for_power(rows, _difference, -margin, 0, LEVEL, POWER)

    return tuple(MarginForecast(label, best, forecast(label)) for label in shares if label != best)


def _paired(on: Ground, label: str, against: str) -> np.ndarray:
    """(G, 3) hits of one judge, of the other, and weights, on the answers both scored."""
    ids = {name: i for i, name in on.panel.labels.items()}
    pairs = [on.pairs(on.panel.judges[ids[name]]) for name in (label, against)]
    both = np.intersect1d(*(one.item for one in pairs))
    return hits(*(one.on(both) for one in pairs))


def _difference(rows: np.ndarray) -> np.ndarray:
    """Difference of two shares from (..., 3) sums."""
    return ratio(rows[..., 0] - rows[..., 1], rows[..., 2])


def _needed(
    target: str,
    formula: Sizes,
    found: Sequence[JudgeForecast | MarginForecast],
    extent: Extent,
) -> Needed:
    """The range to plan with: that of the pilot where it has one, else the formula's.

    Over several judges, from the least any of them needs to the most; a margin takes a verdict,
    which has a floor of its own.
    """
    known = [one.forecast for one in found if one.forecast.why_none is None]
    clusters: Sequence[float | None] = formula.clusters
    if known:
        least = min((one.low for one in known if one.low), default=None)
        clusters = [least, *(_most([getattr(one, key) for one in known]) for key in RANGE[1:])]
    if target == "margin":
        clusters = [count and max(count, VERDICT_FLOOR) for count in clusters]
    return Needed("pilot" if known else "formula", sized(clusters, extent))


def _most(numbers: list[float | None]) -> float | None:
    return None if None in numbers else max(numbers)


def _hours(store: Store, panel: Panel, needed: Mapping[str, Needed]) -> Hours:
    """Hours of one annotator's grading, with the hidden repeats, at the annotators' own pace."""
    paces = [pace for i in panel.annotators if (pace := assignments.pace(store, i))]
    seconds = (min(paces, default=TYPICAL_S), max(paces, default=TYPICAL_S))
    return Hours(
        seconds_per_answer=seconds,
        measured=bool(paces),
        by_target={
            target: tuple(
                None if count is None else round(count * REPEATED * pace / 3600, 1)
                for count, pace in zip(one.sizes.answers[::2], seconds, strict=True)
            )
            for target, one in needed.items()
        },
    )
