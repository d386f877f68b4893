"""Paired variants: variants on the answers that all of them scored and annotators graded.

The target of the comparison is a criterion of the annotators' or the composite, mapped to [0, 1].
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from concord.messages import joined, said, span, spoken
from concord.model import Grader
from concord.reports.decision.cost import Cost
from concord.reports.document import FLAT, OPTIONAL
from concord.reports.panel import provenance
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, PairStatistics, ground
from concord.reports.panel.panel import COMPOSITE, OTHER, Panel
from concord.reports.panel.provenance import Annotator, named
from concord.reports.panel.variants import Variant, shared_panel
from concord.reports.ranking.ranking import Order
from concord.reports.reliability.test_retest import JudgeRetest
from concord.stats.baselines import Spread
from concord.stats.comparison.paired_tests import Discordant, McNemar, SignFlip
from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.resampling import Draws, jackknife, leave_out

# Figures on [0, 1], so that scales can be compared.
MAPPED = ("mae", "bias", "ccc")
OWN_FIGURES = ("exact", "within_one", "qwk", "failure_recall")
IS_BASE = "it is the variant the others are compared with"
NEARER, FURTHER, UNSURE = "nearer", "further", "unsure"


@dataclass(frozen=True)
class HoldingBack:
    """A variant without which more answers would be shared.

    Attributes:
        variant: Its label.
        without: How many answers the others share.
    """

    variant: str
    without: int


@dataclass(frozen=True)
class OwnScale:
    """Figures on a scale on which annotators graded; `n` answers, 0 for none."""

    n: int
    exact: Estimate
    within_one: Estimate
    qwk: Estimate
    failure_recall: Estimate
    failing: int | None
    why_none: str | None = None


@dataclass(frozen=True)
class BaselineFigures:
    """The baseline's score, figures on [0, 1], and those on the annotators' own scale."""

    score: float | None
    mae: Estimate
    bias: Estimate
    ccc: Estimate
    own: OwnScale | None


@dataclass(frozen=True)
class Withheld:
    """A reason why the nearest variant makes no headline."""

    code: str
    against: str
    difference: Estimate
    sentence: str


@dataclass(frozen=True)
class PairedTest:
    """The paired comparison of two judges with annotators.

    Attributes:
        metric: `exact`, the share of exact agreement, where both judges score on the annotators'
            scale; else `distance`, how much nearer to annotators, as a share of the scale.
        difference: First minus second; Tango's interval where `mcnemar` is given, else the
            question jackknife's.
        test: Sign flips of question sums.
        mcnemar: Where every question has one answer.
    """

    first: str
    second: str
    target: str
    metric: str
    n: int
    questions: int
    clusters: int
    difference: Estimate
    test: SignFlip
    mcnemar: McNemar | None
    sentence: str


@dataclass(frozen=True)
class NoScore:
    """The share of `asked` answers without a score, and `why`, counts by status."""

    estimate: Estimate = field(metadata=FLAT)
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
        note: A warning of continuous numbers that may be on another range than the scale.
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
    spread: Spread
    test_retest: JudgeRetest
    no_score: NoScore
    skill: Estimate
    ccc_difference: Estimate
    failure_recall_difference: Estimate
    order: Order
    further: Estimate
    paired: PairedTest | None
    cost: Cost
    note: str | None = field(default=None, metadata=OPTIONAL)


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
class Study:
    """The preset of a comparison: its question, what a published study found, and a note."""

    name: str
    question: str
    published: str
    note: str


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
        study: The preset that picked the variants; None without one.
    """

    sheet: str
    annotator_rubric: str
    target: str
    reference: str
    base: str | None
    n: int
    questions: int
    clusters: int
    annotators: tuple[Annotator, ...]
    uncounted: Mapping[str, str]
    weighting: str
    left_out: dict[str, int]
    holding_back: tuple[HoldingBack, ...]
    ceiling: Ceiling
    annotator_scale: tuple[int, ...]
    annotator_spread: Spread
    majority_baseline: BaselineFigures
    variants: tuple[ComparedVariant, ...]
    headline: Headline
    not_compared: dict[str, str]
    compared: int
    signature: str
    study: Study | None = field(default=None, metadata=OPTIONAL)

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


def beyond(difference: Estimate) -> str:
    """Classify a difference of distances: `nearer`, `further`, or `unsure` where 0 is in its CI."""
    if difference.high is not None and difference.high < 0:
        return NEARER
    return FURTHER if difference.low is not None and difference.low > 0 else UNSURE


def variant_name(row: ComparedVariant) -> str:
    """Return a variant as a sentence names it."""
    if row.floor:
        return "the text-feature baseline"
    return named(row.variant, row.simulated)


def scores_used(spread: Spread) -> str | None:
    """Return how many scores of a scale are used, as `3 of 4 (effectively 2.4)`."""
    if spread.effective is None:
        return None
    return said(
        "{used} of {of} (effectively {effective:.1f})",
        used=spread.used,
        of=spread.of,
        effective=spread.effective,
    )


EXACT, DISTANCE = "exact", "distance"
# Mapped scores are real numbers: closer than SAME counts as the same score.
SAME = 1e-9
NO_ANSWER = "the two have scored no answer in common that annotators graded"


class Differences(NamedTuple):
    """Difference in agreement of two judges, answer by answer.

    Attributes:
        item: (n,) indices of the answers.
        cluster: (n,) their clusters.
        weight: (n,) their weights.
        value: (n,) from -1 to 1, above 0 where the first is nearer to annotators.
        metric: `exact` or `distance`.
    """

    item: np.ndarray
    cluster: np.ndarray
    weight: np.ndarray
    value: np.ndarray
    metric: str


def nearness(pairs: Pairs, metric: str) -> np.ndarray:
    """Return 1 per pair with the same scores; by distance, less the farther they are apart."""
    apart = far(pairs)
    return (apart < SAME).astype(float) if metric == EXACT else 1 - apart


def far(pairs: Pairs) -> np.ndarray:
    """Return (n,) the distance of the judge's score from the annotator's in each pair."""
    return np.abs(pairs.judge - pairs.annotator)


def by_question(pairs: Pairs, *columns: np.ndarray | float) -> np.ndarray:
    """Return (G, C) the weighted sum of each column per question."""
    questions, group = ranked(pairs.cluster)
    sums = [np.bincount(group, pairs.weight * one, questions) for one in columns]
    return np.stack(sums, axis=1)


def by_item(pairs: Pairs, value: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the items, their weights, and the values averaged over each item's annotators."""
    weight = np.bincount(pairs.item, weights=pairs.weight)
    total = np.bincount(pairs.item, weights=pairs.weight * value)
    item = np.flatnonzero(weight > 0)
    return item, weight[item], total[item] / weight[item]


def mean_difference(apart: Differences) -> Estimate:
    """The mean difference with its question jackknife."""
    _, group = ranked(apart.cluster)
    sums = np.stack(
        [
            np.bincount(group, weights=apart.weight * apart.value),
            np.bincount(group, weights=apart.weight),
        ],
        axis=1,
    )
    if not len(sums):
        return Estimate(None, why_none=NO_ANSWER)
    return jackknife(
        leave_out(sums, 1), lambda rows: ratio(rows[..., 0], rows[..., 1]), bounds=(-1, 1)
    )


def discordant(apart: Differences) -> Discordant | None:
    """Return the counts for McNemar and Tango: one answer per question, equal weights."""
    n = len(apart.item)
    if apart.metric != EXACT or not n or n > ranked(apart.cluster)[0]:
        return None
    if np.ptp(apart.weight) > SAME or not np.isin(apart.value, (-1, 0, 1)).all():
        return None
    return Discordant(int((apart.value > 0).sum()), int((apart.value < 0).sum()), n, n)


NOT_SHARED = "not scored by every variant compared"


class Side(NamedTuple):
    """Variants side by side on one criterion (or the composite).

    Attributes:
        chosen: The variants compared, those that grade the target.
        annotators: The annotators' panel, on the annotators' own scale.
        target: A criterion of the annotators', or `composite`.
        panel: Everything mapped to [0, 1]; judges are the variants under negative ids, in order,
            and only the shared answers are open.
        on: The ground in `panel`, of the target under the name of the composite, since mapped
            scores are real numbers.
        has: (N,) the answers that annotators graded.
        scored: (V, N) the answers each variant scored.
        shared: (N,) the answers in every figure.
    """

    chosen: tuple[Variant, ...]
    annotators: Panel
    target: str
    panel: Panel
    on: CriterionPanel
    has: np.ndarray
    scored: np.ndarray
    shared: np.ndarray

    def mapped(self, place: int) -> Grader:
        """A variant as a judge of `panel`, by its place in `chosen`."""
        return self.panel.judges[-place - 1]

    def pairs(self, place: int) -> Pairs:
        """Return a variant's mapped scores paired with the annotators'."""
        return self.on.pairs(self.mapped(place))

    def left_out(self) -> dict[str, int]:
        """Count the answers of the sheet left out of the statistics, by reason."""
        found = Counter(self.on.left_out()[1])
        del found[OTHER]
        return dict(found)

    def holding_back(self) -> list[HoldingBack]:
        """Return the variants without which more answers would be shared, largest gain first."""
        found = []
        for place, variant in enumerate(self.chosen):
            others = np.delete(self.scored, place, axis=0)
            without = int((self.has & others.all(axis=0)).sum()) if len(others) else 0
            if without > self.shared.sum():
                found.append(HoldingBack(variant.label, without))
        return sorted(found, key=lambda one: -one.without)


def target_name(target: str) -> str:
    """Return a criterion, or the composite, as a sentence names it."""
    return "the composite" if target == COMPOSITE else spoken(target)


def signature(side: Side, base: Variant | None, draws: Draws, level: float) -> str:
    """One line that says how the comparison was made, so that it can be made again."""
    judges = [
        said("{judge} by {rubric}", judge=v.judge.label(), rubric=v.rubric.name)
        for v in side.chosen
    ]
    rubric = side.annotators.rubric
    names = joined(", ", [p.name for p in side.on.annotators_on(side.shared)])
    entries = {
        "variants": joined(", ", judges) or provenance.NOTHING,
        "base": base.label if base else provenance.NOTHING,
        "target": (COMPOSITE if side.target == COMPOSITE else rubric.named(side.target)),
        provenance.REFERENCE: provenance.reference_name(side.on.kind),
        "annotators": names or provenance.NOTHING,
        "annotators' rubric": rubric.name,
        provenance.VERSIONS: provenance.versions(side.annotators, side.target),
        "answers": int(side.shared.sum()),
        **provenance.synthetic(side.annotators),
        "scores": "mapped to [0, 1] by (score - lowest) / (highest - lowest)",
        "limits": said(
            "question jackknife; differences simultaneous, question max-t at {level:g}", level=level
        ),
        provenance.SEED: joined(", ", [str(draws.seed), provenance.resamples(draws.resamples)]),
    }
    return provenance.in_one_line(entries)


def scale_name(scale: Sequence[int]) -> str:
    """Return a scale by its ends, as `0-3`."""
    return span(scale[0], scale[-1])


def targets(chosen: Sequence[Variant], annotators: Panel) -> list[str]:
    """Return the comparison targets: shared criteria with the annotators, and the composite."""
    names = [name for name in annotators.weights if any(name in v.criteria for v in chosen)]
    whole = [v for v in chosen if v.marks(COMPOSITE, annotators) is not None]
    several = len(annotators.weights) > 1 or any(not set(v.criteria) & set(names) for v in whole)
    return [*names, COMPOSITE] if whole and several else names


def first_target(chosen: Sequence[Variant], annotators: Panel) -> str:
    """The heaviest criterion where all grade it, else what most of them grade."""
    heaviest = annotators.rubric.heaviest().name
    order = [heaviest, COMPOSITE, *annotators.weights]
    able = Counter({t: sum(v.why_not(t, annotators) is None for v in chosen) for t in order})
    return max(order, key=lambda target: able[target])


def side_by_side(
    chosen: Sequence[Variant], annotators: Panel, target: str, kind: str = EACH
) -> Side:
    """Lay variants side by side; those that do not grade the target are left out."""
    able = tuple(v for v in chosen if v.why_not(target, annotators) is None)
    whole = shared_panel(able, annotators)
    if target != COMPOSITE:
        whole = whole.weighing({target: Fraction(1)})
    has, _ = ground(whole, COMPOSITE, kind).left_out()
    scored = _scored(whole)
    shared = has & np.all(scored, axis=0) if len(scored) else np.zeros(len(has), bool)
    items = whole.items.copy()
    items.loc[has & ~shared, "closed"] = NOT_SHARED
    panel = replace(whole, items=items)
    return Side(
        able, annotators, target, panel, ground(panel, COMPOSITE, kind), has, scored, shared
    )


def own_figures(found: PairStatistics) -> OwnScale:
    """Return the figures of pairs on a scale on which annotators graded."""
    figures = {name: found.figures[name] for name in OWN_FIGURES}
    return OwnScale(found.n, **figures, failing=found.failing)


def _scored(panel: Panel) -> np.ndarray:
    rows = [panel.of(COMPOSITE, judge).scored for judge in panel.judges]
    return np.array(rows, bool).reshape(len(rows), len(panel.items))
