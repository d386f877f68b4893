"""Comparison of judge variants on the same answers.

The same answers are those that every variant compared scored and annotators graded; what is left
out is counted. Agreement with annotators is on [0, 1], so that scales can be compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.grading.annotators import NOT_CHOSEN
from concord.messages import said
from concord.reports.comparison import majority_baseline, two_judges
from concord.reports.comparison.majority_baseline import Baseline, BaselineFigures, Withheld
from concord.reports.comparison.paired_variants import HoldingBack, Side, first_target, side_by_side
from concord.reports.comparison.two_judges import PairedTest
from concord.reports.decision.cost import Cost
from concord.reports.panel.comparison import ground
from concord.reports.panel.panel import COMPOSITE, STATUS_NAMES, Panel
from concord.reports.panel.provenance import synthetic, versions, weighting
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.variants import Variant
from concord.reports.ranking import ranking
from concord.reports.reliability.test_retest import JudgeRetest, of_judge
from concord.stats.comparison.score_spread import spread
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import ranked
from concord.stats.intervals.family_member import Member, difference
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import simultaneous
from concord.stats.intervals.wilson import proportion

LEVEL = 0.05
MAPPED = ("mae", "bias", "ccc")
OWN = ("exact", "within_one", "qwk", "failure_recall")
NO_OWN_ANNOTATORS = said("no annotator graded these answers on this scale")
NO_OWN_SCALE = said("a composite is no score of the scale")
NO_COST = said("nothing is known of what it costs")
IS_BASE = said("it is the variant the others are compared with")
NOT_ASKED = said("it was asked about no answer")
NEARER, FURTHER, UNSURE = "nearer", "further", "unsure"


@dataclass(frozen=True)
class OwnScale:
    """Figures on the variant's own scale, if annotators graded on it; `n` answers, 0 for none."""

    n: int
    exact: Estimate
    within_one: Estimate
    qwk: Estimate
    failure_recall: Estimate
    failing: int | None
    why_none: str | None


@dataclass(frozen=True)
class ScoreUse:
    """Use of scores on a scale of `of` scores; the other fields as in `Spread`."""

    counts: tuple[int, ...]
    used: int
    commonest: int | None
    share: float | None
    effective: float | None
    of: int


@dataclass(frozen=True)
class NoScore:
    """The share of `asked` answers without a score, an estimate, and `why`, counts by status."""

    value: float | None
    low: float | None
    high: float | None
    method: str
    why_none: str | None
    asked: int
    why: dict[str, int]


@dataclass(frozen=True)
class ComparedVariant:
    """A variant on the shared answers.

    Attributes:
        variant: Its label; `judge` and `fingerprint` name the judge, `rubric` its rubric.
        model: With `prompt`, `examples`, `temperature` and `calls`, None where not known.
        floor: It is the baseline of text features.
        graded: How many answers it scored.
        mae: Distance from annotators on [0, 1]; `bias` and `ccc` on the same.
        skill: 1 - distance / distance of the majority-class baseline.
        further: How much further from annotators than the base; intervals are simultaneous.
        paired: The paired tests against the base; None for the base itself.
        order: Its order of the answering models compared with that of annotators.
    """

    variant: str
    judge: str
    fingerprint: str
    model: str | None
    prompt: str | None
    examples: str | None
    rubric: str
    scale: tuple[int, ...]
    temperature: float | None
    calls: str | None
    simulated: bool
    floor: bool
    graded: int
    mae: Estimate
    bias: Estimate
    ccc: Estimate
    own: OwnScale
    spread: ScoreUse
    steadiness: JudgeRetest
    no_score: NoScore
    skill: Estimate
    ccc_difference: Estimate
    failure_recall_difference: Estimate
    order: ranking.Order
    further: Estimate
    paired: PairedTest | None
    cost: Cost


@dataclass(frozen=True)
class Ceiling:
    """Distance between annotators on the `n` shared answers that two or more graded."""

    n: int
    mae: Estimate
    bias: Estimate
    ccc: Estimate


@dataclass(frozen=True)
class Headline:
    """The variant nearest to annotators, and why it makes no headline."""

    variant: str | None
    withheld: tuple[Withheld, ...]


@dataclass(frozen=True)
class Comparison:
    """Variants compared on the same answers.

    Attributes:
        base: The label of the variant the others are compared with.
        n: Shared answers, to `questions` in `clusters`.
        left_out: Reason -> count of answers in no figure.
        holding_back: Variants without which more answers would be shared.
        ceiling: Annotators compared with one another.
        not_compared: Label -> reason of variants without a figure.
        compared: How many differences from the base hold together.
        signature: How it was made, in one line.
    """

    sheet: str
    annotator_rubric: str
    target: str
    reference: str
    base: str | None
    n: int
    questions: int
    clusters: int
    annotators: tuple[HoldingBack, ...]
    uncounted: Mapping[str, str]
    weighting: str
    left_out: dict[str, int]
    holding_back: tuple[HoldingBack, ...]
    ceiling: Ceiling
    annotator_scale: tuple[int, ...]
    annotator_spread: ScoreUse
    majority_baseline: BaselineFigures
    variants: tuple[ComparedVariant, ...]
    headline: Headline
    not_compared: dict[str, str]
    compared: int
    signature: str

    @property
    def real(self) -> list[ComparedVariant]:
        """The variants without the baseline of text features."""
        return [row for row in self.variants if not row.floor]

    @property
    def nearest(self) -> ComparedVariant | None:
        """The variant nearest to annotators, but for the text-feature baseline; first on a tie."""
        known = [row for row in self.real if row.mae.value is not None]
        return min(known, key=lambda row: row.mae.value, default=None)

    def of(self, label: str | None) -> ComparedVariant | None:
        """Return a variant by label."""
        return next((row for row in self.variants if row.variant == label), None)


def report(
    chosen: Sequence[Variant],
    annotators: Panel,
    target: str | None = None,
    base: Variant | None = None,
    kind: str = EACH,
    costs: Mapping[int, Cost] | None = None,
    draws: Draws | None = None,
) -> Comparison:
    """Compare variants on the answers that all of them scored and annotators graded.

    Args:
        chosen: The variants.
        annotators: The annotators they are compared with.
        target: A criterion or `composite`; else `first_target`.
        base: The variant the others are compared with; else the first that is not the baseline.
        kind: `each` annotator or their `consensus`.
        costs: What each judge costs, by grader id; unknown for others.
        draws: The resamples of questions, for the order of the answering models.
    """
    target = target or first_target(chosen, annotators)
    side = side_by_side(chosen, annotators, target, kind)
    base = _base(side.chosen, base)
    draws = draws or Draws()
    orders = ranking.report(side.panel, draws).orders
    always = majority_baseline.baseline(side)
    further = _further(side, base, draws)
    rows = tuple(
        _row(side, place, base, always, order, apart, costs)
        for place, (order, apart) in enumerate(zip(orders, further, strict=True))
    )
    on = side.shared
    return Comparison(
        sheet=annotators.sheet.name,
        annotator_rubric=annotators.rubric.name,
        target=side.target,
        reference=side.on.kind,
        base=base.label if base else None,
        n=int(on.sum()),
        questions=ranked(annotators.question[on])[0],
        clusters=ranked(annotators.cluster[on])[0],
        annotators=_names(side),
        uncounted=annotators.uncounted,
        weighting=weighting(annotators),
        left_out=side.left_out(),
        holding_back=tuple(side.holding_back()),
        ceiling=_ceiling(side),
        annotator_scale=annotators.rubric.scale,
        annotator_spread=_annotator_spread(side),
        majority_baseline=majority_baseline.figures(side, always),
        variants=rows,
        headline=_headline(side, rows, always),
        not_compared={
            v.label: said("it does not grade {target}", target=target)
            for v in chosen
            if v not in side.chosen
        },
        compared=max(0, len(rows) - 1),
        signature=_signature(side, base, draws),
    )


def _names(side: Side) -> tuple[dict, ...]:
    on = side.on.annotators_on(side.shared)
    return tuple({"name": one.name, "simulated": one.simulated} for one in on)


def _signature(side: Side, base: Variant | None, draws: Draws) -> str:
    """One line that says how the comparison was made, so that it can be made again."""
    judges = [v.judge.label() + f" by {v.rubric.name}" for v in side.chosen]
    parts = {
        "variants": ", ".join(judges) or "none",
        "base": base.label if base else "none",
        "target": side.target,
        "reference": side.on.kind,
        "annotators": ", ".join(p.name for p in side.on.annotators_on(side.shared)) or "none",
        "annotators' rubric": side.annotators.rubric.name,
        "versions": versions(side.annotators, side.target),
        "answers": int(side.shared.sum()),
        **synthetic(side.annotators),
        "scores": "mapped to [0, 1] by (score - lowest) / (highest - lowest)",
        "limits": f"question jackknife; differences simultaneous, question max-t at {LEVEL:g}",
        "seed": f"{draws.seed}, {draws.resamples} resamples",
    }
    return " | ".join(f"{key}: {value}" for key, value in parts.items())


def _base(chosen: Sequence[Variant], wanted: Variant | None) -> Variant | None:
    if wanted in chosen:
        return wanted
    real = [variant for variant in chosen if not variant.floor]
    return next(iter(real or chosen), None)


def _row(
    side: Side,
    place: int,
    base: Variant | None,
    always: Baseline | None,
    order: ranking.Order,
    further: Estimate,
    costs: Mapping[int, Cost] | None,
) -> ComparedVariant:
    variant, mapped = side.chosen[place], side.on.judged(side.mapped(place)).figures
    asked, itself = variant.asked, base is None or variant is base
    other = None if itself else side.chosen.index(base)
    unpriced = Cost(why_none=NO_COST, why_no_seconds=NO_COST)
    return ComparedVariant(
        variant=variant.label,
        judge=variant.judge.name,
        fingerprint=variant.judge.fingerprint,
        model=asked and asked.model,
        prompt=variant.prompt,
        examples=variant.examples,
        rubric=variant.rubric.name,
        scale=variant.rubric.scale,
        temperature=asked and asked.temperature,
        calls=asked and asked.calls,
        simulated=variant.judge.simulated,
        floor=variant.floor,
        graded=int(side.scored[place].sum()),
        **{name: mapped[name] for name in MAPPED},
        own=_own(side, variant),
        spread=_spread(side, variant),
        steadiness=of_judge(variant.panel, variant.judge.id, _graded_as(side.target, variant)),
        no_score=_no_score(side, variant),
        skill=majority_baseline.skill(side, place, always),
        ccc_difference=undefined(IS_BASE)
        if itself
        else majority_baseline.ccc_difference(side, place, other),
        failure_recall_difference=undefined(IS_BASE)
        if itself
        else majority_baseline.recall_difference(side, place, other),
        order=order,
        further=further,
        paired=None
        if variant is base
        else two_judges.tested(variant, base, side.annotators, side.target, side.on.kind),
        cost=(costs or {}).get(variant.judge.id, unpriced),
    )


def _ceiling(side: Side) -> Ceiling:
    annotators = side.on.ceiling(side.shared)
    return Ceiling(annotators.n, **{name: annotators.figures[name] for name in MAPPED})


def _further(side: Side, base: Variant | None, draws: Draws) -> list[Estimate]:
    """Return how much further from annotators than the base each variant is, on [0, 1].

    Negative is nearer. The limits are simultaneous.
    """
    if base is None:
        return []
    others = [place for place, variant in enumerate(side.chosen) if variant is not base]
    members = [apart(side, place, side.chosen.index(base)) for place in others]
    found = simultaneous(members, LEVEL, draws, two_sided=True).estimates if members else []
    limits = dict(zip(others, found, strict=True))
    return [limits.get(place, undefined(IS_BASE)) for place in range(len(side.chosen))]


def apart(side: Side, place: int, base: int) -> Member:
    """The mean distances of two variants from annotators, per question."""
    mine, others = side.pairs(place), side.pairs(base)
    questions, group = ranked(mine.cluster)
    columns = (np.abs(mine.judge - mine.annotator), np.abs(others.judge - others.annotator), 1.0)
    return difference(
        *(np.bincount(group, weights=mine.weight * c, minlength=questions) for c in columns)
    )


def _headline(side: Side, rows: Sequence[ComparedVariant], always: Baseline | None) -> Headline:
    known = [i for i, row in enumerate(rows) if not row.floor and row.mae.value is not None]
    if not known or always is None:
        return Headline(None, ())
    best = min(known, key=lambda place: rows[place].mae.value)
    reasons = majority_baseline.withheld(side, rows, best, always)
    return Headline(rows[best].variant, tuple(reasons))


def _own(side: Side, variant: Variant) -> OwnScale:
    """Exact, within one, QWK and failure recall where annotators graded on the same scale."""
    criterion = _own_criterion(side, variant)
    if criterion is None:
        return _no_own(NO_OWN_SCALE)
    on = ground(_own_annotators(side, variant), criterion, side.on.kind)
    pairs = on.pairs(variant.judge)
    pairs = pairs.where(side.shared[pairs.item])
    if not len(pairs.item):
        return _no_own(NO_OWN_ANNOTATORS)
    found = on.measured(pairs)
    figures = {name: found.figures[name] for name in OWN}
    return OwnScale(found.n, **figures, failing=found.failing, why_none=None)


def _no_own(why: str) -> OwnScale:
    return OwnScale(0, **dict.fromkeys(OWN, undefined(why)), failing=None, why_none=why)


def _own_criterion(side: Side, variant: Variant) -> str | None:
    """The criterion whose scores are compared on the variant's own scale."""
    if side.target != COMPOSITE:
        return side.target
    criteria = variant.rubric.criteria
    return criteria[0].name if len(criteria) == 1 else None


def _own_annotators(side: Side, variant: Variant) -> Panel:
    """The annotators who graded under the variant's rubric; those named, where any were."""
    if variant.rubric.name == side.annotators.rubric.name:
        return side.annotators
    if NOT_CHOSEN not in side.annotators.uncounted.values():
        return variant.panel
    names = {person.name for person in side.annotators.annotators.values()}
    persons = variant.panel.persons.items()
    return replace(variant.panel, annotators={i: p for i, p in persons if p.name in names})


def _spread(side: Side, variant: Variant) -> ScoreUse:
    """Return the variant's score distribution on shared answers; of a composite all criteria."""
    scores = [
        marks.score[side.shared & marks.scored]
        for name in _graded_as(side.target, variant)
        for marks in [variant.panel.of(name, variant.judge.id)]
    ]
    found = spread(np.concatenate(scores), variant.rubric.scale)
    return ScoreUse(*found, of=len(variant.rubric.scale))


def _annotator_spread(side: Side) -> ScoreUse:
    """The same of the annotators, on their own scale."""
    scores = [
        side.annotators.of(name, person).score[side.annotators.counted(name, person) & side.shared]
        for name in (side.annotators.weights if side.target == COMPOSITE else [side.target])
        for person in side.annotators.annotators
    ]
    found = spread(np.concatenate([np.zeros(0), *scores]), side.annotators.rubric.scale)
    return ScoreUse(*found, of=len(side.annotators.rubric.scale))


def _graded_as(target: str, variant: Variant) -> list[str]:
    """The variant's own criteria that a target is made of."""
    return list(variant.rubric.weights()) if target == COMPOSITE else [target]


def _no_score(side: Side, variant: Variant) -> NoScore:
    """The share of the answers it was asked about that have no score, and why, by status."""
    marks = variant.marks(side.target, side.annotators)
    asked = marks.status >= 0
    failed = (asked & ~marks.scored).astype(float)
    names = Counter(STATUS_NAMES[code] for code in marks.status[marks.status > 0])
    if not asked.any():
        return NoScore(*undefined(NOT_ASKED), asked=0, why={})
    questions, group = ranked(side.annotators.cluster[asked])
    hits = np.bincount(group, weights=failed[asked], minlength=questions)
    base = np.bincount(group, minlength=questions).astype(float)
    share = proportion(hits, base, int(asked.sum()))
    return NoScore(*share, asked=int(asked.sum()), why=dict(names))


def beyond(difference: Estimate) -> str:
    """Classify a difference of distances: `nearer`, `further`, or `unsure` where 0 is in its CI."""
    if difference.high is not None and difference.high < 0:
        return NEARER
    return FURTHER if difference.low is not None and difference.low > 0 else UNSURE
