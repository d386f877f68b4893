"""Comparison of judge variants (prompts, models, scales, reading rules, juries) on equal answers.

The same answers are those that every variant compared scored and annotators graded; what is left
out is counted. The target is a criterion of the annotators' or the composite. Agreement with
annotators is on [0, 1], so that scales can be compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from concord.grading.annotators import NOT_CHOSEN
from concord.messages import Problem, joined, span, spoken
from concord.model import Grader, Sheet
from concord.reports.comparison import presets
from concord.reports.decision.cost import Cost, costs
from concord.reports.document import OPTIONAL
from concord.reports.panel import provenance, variants
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, OTHER, STATUS_NAMES, Panel
from concord.reports.panel.provenance import Annotator, counted_annotators, weighting
from concord.reports.panel.variants import Variant, mapped_scores, shared_panel
from concord.reports.ranking import ranking
from concord.reports.ranking.ranking import Order
from concord.reports.reliability.test_retest import JudgeRetest, of_judge
from concord.rubrics.model import Rubric
from concord.stats.baselines import Spread, spread
from concord.stats.comparison import paired_tests
from concord.stats.comparison.paired_tests import Discordant, mcnemar, question_sums, sign_flip
from concord.stats.continuous import CONTINUOUS, NEEDS_CUT, lin_ccc, question_moments
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import commonest, distinct, ranked, ratio
from concord.stats.intervals.resampling import Draws, jackknife, leave_out
from concord.stats.intervals.simultaneous import difference, simultaneous
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import NOTHING, floor
from concord.store.database import Store

# Figures on [0, 1], so that scales can be compared.
MAPPED = ("mae", "bias", "ccc")
OWN_FIGURES = ("exact", "within_one", "qwk", "failure_recall")
EXACT, DISTANCE = "exact", "distance"
LEVEL = 0.05
# Mapped scores are real numbers: closer than SAME counts as the same score.
SAME = 1e-9
IS_BASE = "it is the variant the others are compared with"
NOT_SHARED = "not scored by every variant compared"
NO_ANSWER = "the two have scored no answer in common that annotators graded"
NO_OWN_ANNOTATORS = "no annotator graded these answers on this scale"
NO_OWN_SCALE = "a composite is not a score on the scale"
NOT_ASKED = "it graded no answer"
NO_BASELINE = "the majority-class baseline has distance 0, so nothing can be nearer"
NO_FAILING = "failing answers are defined for a criterion, not for the composite"
NONE_FAILED = "annotators failed no answer"
UNPRICED = Cost(why_none="no price is known", why_no_seconds="no response time is known")


@dataclass(frozen=True)
class ComparedVariant:
    """A variant on the shared answers.

    Attributes:
        variant: Its label; `judge` and `fingerprint` name the judge, `rubric` its rubric.
        model: With `prompt`, `examples`, `temperature` and `calls`, None where not known.
        floor: It is the baseline of text features.
        graded: How many answers it scored.
        mae: Distance from annotators on [0, 1]; `bias` and `ccc` on the same.
        own: `OWN_FIGURES`, `n` and `failing` on a scale on which annotators graded, `why_none`.
        no_score: The share of `asked` answers without a score, and `why`, counts by status.
        skill: 1 - distance / distance of the majority-class baseline.
        further: How much further from annotators than the base; intervals are simultaneous.
        paired: From `tested` against the base; None for the base itself.
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
    own: Mapping[str, Any]
    spread: Spread
    test_retest: JudgeRetest
    no_score: Mapping[str, Any]
    skill: Estimate
    ccc_difference: Estimate
    failure_recall_difference: Estimate
    order: Order
    further: Estimate
    paired: Mapping[str, Any] | None
    cost: Cost
    note: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class Comparison:
    """Variants compared on the same answers.

    Attributes:
        base: The label of the variant the others are compared with.
        n: Shared answers, to `questions` in `clusters`.
        left_out: Reason -> count of answers in no figure.
        holding_back: Each `variant` `without` which so many answers would be shared.
        ceiling: Annotators compared with one another on `n` answers.
        majority_baseline: Its `score`, `MAPPED` figures, and `own` as of a variant.
        headline: The `variant` nearest to annotators, and why it is `withheld`: `code`, `against`
            and `difference`.
        not_compared: Label -> reason of variants without a figure.
        compared: How many differences from the base hold together.
        signature: How it was made, in one line.
        study: The preset that picked the variants: `name`, `question`, `note`; None without one.
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
    left_out: Mapping[str, int]
    holding_back: list[Mapping[str, Any]]
    ceiling: Mapping[str, Any]
    annotator_scale: tuple[int, ...]
    annotator_spread: Spread
    majority_baseline: Mapping[str, Any]
    variants: tuple[ComparedVariant, ...]
    headline: Mapping[str, Any]
    not_compared: Mapping[str, str]
    compared: int
    signature: str
    study: Mapping[str, str] | None = field(default=None, metadata=OPTIONAL)

    @property
    def real(self) -> list[ComparedVariant]:
        """The variants without the baseline of text features."""
        return [row for row in self.variants if not row.floor]

    def of(self, label: str | None) -> ComparedVariant | None:
        """Return a variant by label."""
        return next((row for row in self.variants if row.variant == label), None)


class ComparisonRequest(NamedTuple):
    """A requested comparison; omitted fields have defaults.

    An empty `judges` is all variants, `study` a preset that picks among them, `against` the variant
    the others are compared with, `target` a criterion of the annotators' or `composite`, and
    `rubric` the annotators' by name.
    """

    judges: tuple[str, ...] = ()
    against: str | None = None
    target: str | None = None
    reference: str = EACH
    rubric: str | None = None
    annotators: tuple[str, ...] = ()
    study: str | None = None


def compare(store: Store, sheet: Sheet, asked: ComparisonRequest) -> Comparison:
    """The comparison; a Problem where something it names does not exist."""
    found = variants.read(store, sheet)
    annotators = found.annotators(asked.rubric, asked.annotators)
    chosen = found.named(asked.judges) if asked.judges else list(found.every)
    base, study = None, None
    if asked.study is not None:
        (chosen, base, _), study = presets.pick(store, annotators, chosen, asked.study)
    if asked.against:
        base = found.named([asked.against])[0]
    if base is not None and base not in chosen:
        chosen = [base, *chosen]
    if asked.target is not None and asked.target not in (known := targets(chosen, annotators)):
        raise Problem(
            "“{target}” cannot be compared here. These judges and annotators share: {known}.",
            target=asked.target,
            known=joined(", ", known) or "none",
        )
    priced = costs(store, sheet, [variant.judge for variant in chosen])
    return report(chosen, annotators, asked.target, base, asked.reference, priced, study=study)


def report(
    chosen: Sequence[Variant],
    annotators: Panel,
    target: str | None = None,
    base: Variant | None = None,
    kind: str = EACH,
    costs: Mapping[int, Cost] | None = None,
    draws: Draws | None = None,
    study: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare variants on the answers that all of them scored and annotators graded.

    `target` is a criterion or `composite`, by default `first_target`; `base`, by default the first
    variant that is not the baseline. `kind` is `each` annotator or their `consensus`; `costs` are
    by grader id, and `draws` resample questions for the order of the answering models. `study` is
    the preset that picked the variants.
    """
    target = target or first_target(chosen, annotators)
    side = side_by_side(chosen, annotators, target, kind)
    base = _base(side.chosen, base)
    draws = draws or Draws()
    orders = ranking.orders(side.panel, draws)
    always = _majority(side)
    further = _further(side, base, draws)
    rows = tuple(
        _variant(side, place, base, always, order, apart, costs or {})
        for place, (order, apart) in enumerate(zip(orders, further, strict=True))
    )
    on = side.shared
    ceiling = side.on.ceiling(on)
    return Comparison(
        sheet=annotators.sheet.name,
        annotator_rubric=annotators.rubric.name,
        target=side.target,
        reference=side.on.kind,
        base=base.label if base else None,
        n=int(on.sum()),
        questions=ranked(annotators.question[on])[0],
        clusters=ranked(annotators.cluster[on])[0],
        annotators=counted_annotators(side.on.annotators_on(on)),
        uncounted=annotators.uncounted,
        weighting=weighting(annotators),
        left_out=side.left_out(),
        holding_back=side.holding_back(),
        ceiling={"n": ceiling.n} | {name: ceiling.figures[name] for name in MAPPED},
        annotator_scale=annotators.rubric.scale,
        annotator_spread=_annotator_score_use(side),
        majority_baseline=_baseline(side, always),
        variants=rows,
        headline=_headline(side, rows, always),
        not_compared={
            v.label: v.why_not(target, annotators) for v in chosen if v not in side.chosen
        },
        compared=max(0, len(rows) - 1),
        signature=_signature(side, base, draws),
        study=study,
    )


def _base(chosen: Sequence[Variant], wanted: Variant | None) -> Variant | None:
    if wanted in chosen:
        return wanted
    real = [variant for variant in chosen if not variant.floor]
    return next(iter(real or chosen), None)


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

    def holding_back(self) -> list[Mapping[str, Any]]:
        """Return the variants without which more answers would be shared, largest gain first."""
        found = []
        for place, variant in enumerate(self.chosen):
            others = np.delete(self.scored, place, axis=0)
            without = int((self.has & others.all(axis=0)).sum()) if len(others) else 0
            if without > self.shared.sum():
                found.append({"variant": variant.label, "without": without})
        return sorted(found, key=lambda one: -one["without"])


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


def _scored(panel: Panel) -> np.ndarray:
    rows = [panel.of(COMPOSITE, judge).scored for judge in panel.judges]
    return np.array(rows, bool).reshape(len(rows), len(panel.items))


def _variant(
    side: Side,
    place: int,
    base: Variant | None,
    always: tuple[float, Pairs] | None,
    order: Order,
    further: Estimate,
    costs: Mapping[int, Cost],
) -> ComparedVariant:
    """Return the variant at a place of the side, compared with annotators and with the base."""
    variant, mapped = side.chosen[place], side.on.judged(side.mapped(place)).figures
    asked, other = variant.asked, None
    if base is not None and variant is not base:
        other = side.chosen.index(base)
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
        own=_own_scale(side, variant),
        spread=_score_use(side, variant),
        test_retest=of_judge(variant.panel, variant.judge.id, _graded_as(side.target, variant)),
        no_score=_no_score(side, variant),
        skill=_skill(side, place, always),
        ccc_difference=ccc_difference(side, place, other),
        failure_recall_difference=recall_difference(side, place, other),
        order=order,
        further=further,
        paired=None
        if other is None
        else tested(variant, base, side.annotators, side.target, side.on.kind),
        cost=costs.get(variant.judge.id, UNPRICED),
        note=variant.panel.range_note(side.target, variant.judge.id),
    )


def _own_scale(side: Side, variant: Variant) -> Mapping[str, Any]:
    """Exact, within one, QWK and failure recall where annotators graded on the same scale."""
    criterion = side.target
    if criterion == COMPOSITE:
        names = [one.name for one in variant.rubric.criteria]
        criterion = names[0] if len(names) == 1 else None
    if criterion is None:
        return _no_own(NO_OWN_SCALE)
    if variant.is_continuous(criterion):
        return _no_own(CONTINUOUS)
    on = ground(_own_annotators(side, variant), criterion, side.on.kind)
    pairs = on.pairs(variant.judge)
    pairs = pairs.where(side.shared[pairs.item])
    if not len(pairs.item):
        return _no_own(NO_OWN_ANNOTATORS if side.shared.any() else NOTHING)
    return _own_figures(on, pairs)


def _no_own(why: str) -> Mapping[str, Any]:
    nothing = dict.fromkeys(OWN_FIGURES, undefined(why))
    return {"n": 0, **nothing, "failing": None, "why_none": why}


def _own_figures(on: CriterionPanel, pairs: Pairs) -> Mapping[str, Any]:
    found = on.measured(pairs)
    figures = {name: found.figures[name] for name in OWN_FIGURES}
    return {"n": found.n, **figures, "failing": found.failing, "why_none": None}


def _own_annotators(side: Side, variant: Variant) -> Panel:
    """The annotators who graded under the variant's rubric; those named, where any were."""
    if variant.rubric.name == side.annotators.rubric.name:
        return side.annotators
    if NOT_CHOSEN not in side.annotators.uncounted.values():
        return variant.panel
    names = {person.name for person in side.annotators.annotators.values()}
    persons = variant.panel.persons.items()
    return replace(variant.panel, annotators={i: p for i, p in persons if p.name in names})


def _score_use(side: Side, variant: Variant) -> Spread:
    """Return the variant's score distribution on shared answers; of a composite all criteria."""
    every = [
        variant.panel.of(name, variant.judge.id)
        for name in _graded_as(side.target, variant)
        if not variant.is_continuous(name)
    ]
    scores = [marks.score[side.shared & marks.scored] for marks in every]
    return spread(np.concatenate([np.zeros(0), *scores]), variant.rubric.scale)


def _annotator_score_use(side: Side) -> Spread:
    """The same of the annotators, on their own scale."""
    scores = [
        side.annotators.of(name, person).score[side.annotators.counted(name, person) & side.shared]
        for name in (side.annotators.weights if side.target == COMPOSITE else [side.target])
        for person in side.annotators.annotators
    ]
    return spread(np.concatenate([np.zeros(0), *scores]), side.annotators.rubric.scale)


def _graded_as(target: str, variant: Variant) -> list[str]:
    """The variant's own criteria that a target is made of."""
    return list(variant.rubric.weights()) if target == COMPOSITE else [target]


def _no_score(side: Side, variant: Variant) -> Mapping[str, Any]:
    """The share of the answers it was asked about that have no score, and why, by status."""
    marks = variant.marks(side.target, side.annotators)
    asked = marks.status >= 0
    n = int(asked.sum())
    if not n:
        return undefined(NOT_ASKED)._asdict() | {"asked": 0, "why": {}}
    why = Counter(STATUS_NAMES[code] for code in marks.status[marks.status > 0])
    _, group = ranked(side.annotators.cluster[asked])
    hits = np.bincount(group, weights=~marks.scored[asked])
    share = proportion(hits, np.bincount(group).astype(float))
    return share._asdict() | {"asked": n, "why": dict(why)}


def _further(side: Side, base: Variant | None, draws: Draws) -> list[Estimate]:
    """Return how much further from annotators than the base each variant is, on [0, 1].

    Negative is nearer. The limits are simultaneous.
    """
    if base is None:
        return []
    at = side.chosen.index(base)
    every = [side.pairs(place) for place in range(len(side.chosen))]
    apart = [
        difference(*_by_question(one, far(one), far(every[at]), 1.0).T)
        for place, one in enumerate(every)
        if place != at
    ]
    found = simultaneous(apart, LEVEL, draws).estimates if apart else []
    return [*found[:at], undefined(IS_BASE), *found[at:]]


def tested(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str = EACH
) -> Mapping[str, Any]:
    """Return the paired test of two judges on the answers that both scored.

    `metric` is `exact`, the share of exact agreement, where both judges score on the annotators'
    scale; else `distance`, how much nearer to annotators, as a share of the scale. `difference` is
    the first minus the second: Tango's interval where `mcnemar` is given, as every question has one
    answer, else the question jackknife's. `test` flips the signs of question sums.
    """
    side = side_by_side([first, second], annotators, target, kind)
    scales = {first.rubric.scale, second.rubric.scale, annotators.rubric.scale}
    numbers = target == COMPOSITE or any(one.is_continuous(target) for one in (first, second))
    exact = len(scales) == 1 and not numbers
    apart = [far(side.pairs(place)) for place in (0, 1)]
    value = (apart[0] < SAME) * 1.0 - (apart[1] < SAME) if exact else apart[1] - apart[0]
    pairs = side.pairs(0)
    weight = np.bincount(pairs.item, weights=pairs.weight)
    total = np.bincount(pairs.item, weights=pairs.weight * value)
    item = np.flatnonzero(weight > 0)
    weight, value, cluster = weight[item], total[item] / weight[item], side.panel.cluster[item]
    n, clusters, alone = len(item), ranked(cluster)[0], None
    whole = np.isin(value, (-1, 0, 1)).all() and n and np.ptp(weight) <= SAME
    if exact and n == clusters and whole:
        alone = Discordant(int((value > 0).sum()), int((value < 0).sum()), n, n)
    return {
        "first": first.label,
        "second": second.label,
        "target": target,
        "metric": EXACT if exact else DISTANCE,
        "n": n,
        "questions": ranked(annotators.question[item])[0],
        "clusters": clusters,
        "difference": paired_tests.difference(alone)
        if alone
        else _mean_difference(cluster, weight, value),
        "test": sign_flip(question_sums(value, cluster, weight)),
        "mcnemar": mcnemar(alone) if alone else None,
    }


def _mean_difference(cluster: np.ndarray, weight: np.ndarray, value: np.ndarray) -> Estimate:
    """The mean difference with its question jackknife."""
    if not len(value):
        return undefined(NO_ANSWER)
    _, group = ranked(cluster)
    sums = [np.bincount(group, weight * value), np.bincount(group, weight)]
    mean = lambda rows: ratio(rows[..., 0], rows[..., 1])  # noqa: E731
    return jackknife(leave_out(np.stack(sums, axis=1), 1), mean, bounds=(-1, 1))


def far(pairs: Pairs) -> np.ndarray:
    """Return (n,) the distance of the judge's score from the annotator's in each pair."""
    return np.abs(pairs.judge - pairs.annotator)


def _by_question(pairs: Pairs, *columns: np.ndarray | float) -> np.ndarray:
    """Return (G, C) the weighted sum of each column per question."""
    questions, group = ranked(pairs.cluster)
    sums = [np.bincount(group, pairs.weight * one, questions) for one in columns]
    return np.stack(sums, axis=1)


def _majority(side: Side) -> tuple[float, Pairs] | None:
    """The score that annotators give most, on their own scale, and its pairs on [0, 1].

    Of composites what those of the criteria make. None without shared answers.
    """
    pairs = side.pairs(0) if side.chosen else None
    if pairs is None or not len(pairs.item):
        return None
    names = side.annotators.weights if side.target == COMPOSITE else {side.target: 1}
    score = round(sum(float(w) * _commonest(side, name) for name, w in names.items()), 9)
    at = mapped_scores(np.full(len(pairs.item), score), side.annotators.rubric.scale)
    return score, pairs._replace(judge=at)


def _commonest(side: Side, criterion: str) -> float:
    """The score that annotators give most on the shared answers, which weigh alike."""
    panel = side.annotators
    given = ground(panel, criterion, side.on.kind).annotators
    on = side.shared[given.item]
    item, score = given.item[on], given.score[on]
    values, place = np.unique(score, return_inverse=True)
    weight = panel.weight[item] / np.bincount(item)[item]
    return float(values[commonest(np.bincount(place, weight))][0])


def _baseline(side: Side, always: tuple[float, Pairs] | None) -> Mapping[str, Any]:
    """Return the figures of the majority-class baseline; all undefined without one."""
    if always is None:
        return {"score": None, **dict.fromkeys(MAPPED, undefined(NOTHING)), "own": None}
    score, pairs = always
    mapped, own = side.on.measured(pairs).figures, None
    ccc = mapped["ccc"]
    if side.target != COMPOSITE:
        judge = np.full(len(pairs.item), int(score))
        whole = pairs._replace(judge=judge, annotator=_annotators_own(side, pairs).astype(int))
        own = _own_figures(ground(side.annotators, side.target, side.on.kind), whole)
    return {
        "score": int(score) if score == int(score) else score,
        "mae": mapped["mae"],
        "bias": mapped["bias"],
        "ccc": ccc if ccc.value is None else ccc._replace(value=0.0),  # exact for a constant
        "own": own,
    }


def _skill(side: Side, place: int, always: tuple[float, Pairs] | None) -> Estimate:
    """1 - distance / distance of the baseline: 1 is no distance, 0 that of the baseline."""
    if always is None:
        return undefined(NOTHING)
    sums = _by_question(always[1], far(side.pairs(place)), far(always[1]), 1.0)
    return jackknife(
        leave_out(sums, 2),
        lambda rows: 1 - ratio(rows[..., 0], rows[..., 1]),
        bounds=(-np.inf, 1),
        why_none=NO_BASELINE,
    )


def ccc_difference(side: Side, place: int, other: int | None) -> Estimate:
    """CCC of one variant minus that of another on the same answers."""
    if other is None:
        return undefined(IS_BASE)
    both = [side.pairs(one) for one in (place, other)]
    why = NOTHING if not len(both[0].item) else floor("ccc", distinct(both[0].item))
    if why:
        return undefined(why)
    moments = np.stack([question_moments(pairs) for pairs in both], axis=1)
    return jackknife(
        leave_out(moments, (0, 0)),
        lambda m: lin_ccc(m[..., 0, :]) - lin_ccc(m[..., 1, :]),
        bounds=(-2, 2),
    )


def recall_difference(side: Side, place: int, other: int | None) -> Estimate:
    """Recall of failing answers of one variant minus another's; each fails by its own rubric."""
    if other is None:
        return undefined(IS_BASE)
    chosen = [side.chosen[one] for one in (place, other)]
    pairs = side.pairs(place)
    if side.target == COMPOSITE or not len(pairs.item):
        return undefined(NO_FAILING if len(pairs.item) else NOTHING)
    if any(variant.is_continuous(side.target) for variant in chosen):
        return undefined(NEEDS_CUT)
    failed = _fails(side.annotators.rubric, side.target, _annotators_own(side, pairs))
    if not failed.any():
        return undefined(NONE_FAILED)
    given = [v.panel.of(side.target, v.judge.id).score[pairs.item] for v in chosen]
    both = [_fails(v.rubric, side.target, s) & failed for v, s in zip(chosen, given, strict=True)]
    sums = _by_question(pairs, *both, failed)
    return jackknife(
        leave_out(sums[sums[:, 2] > 0], 2),
        lambda rows: ratio(rows[..., 0] - rows[..., 1], rows[..., 2]),
        bounds=(-1, 1),
    )


def _headline(
    side: Side, rows: Sequence[ComparedVariant], always: tuple[float, Pairs] | None
) -> Mapping[str, Any]:
    """Return the nearest variant, and why it makes no headline.

    It is not nearer than the baseline beyond the error, or another variant has a higher CCC, or a
    higher recall of failing answers, with a 95% CI of the difference that excludes 0.
    """
    known = [i for i, row in enumerate(rows) if not row.floor and row.mae.value is not None]
    if not known or always is None:
        return {"variant": None, "withheld": []}
    best = min(known, key=lambda place: rows[place].mae.value)
    over, against = rows[best].skill, f"always {always[0]:g}"
    withheld = []
    if over.value is None or over.value <= 0 or (over.low is not None and over.low <= 0):
        code = "baseline_unsure" if over.value is not None and over.value > 0 else "baseline"
        withheld.append({"code": code, "against": against, "difference": over})
    for place, row in enumerate(rows):
        if place == best or row.floor:
            continue
        for code, apart in (("ccc", ccc_difference), ("failure_recall", recall_difference)):
            one = apart(side, best, place)
            if one.high is not None and one.high < 0:
                withheld.append({"code": code, "against": row.variant, "difference": one})
    return {"variant": rows[best].variant, "withheld": withheld}


def _annotators_own(side: Side, pairs: Pairs) -> np.ndarray:
    """Return (n,) the annotators' mapped scores on their own scale again."""
    scale = side.annotators.rubric.scale
    return np.rint(pairs.annotator * (scale[-1] - scale[0]) + scale[0])


def _fails(rubric: Rubric, target: str, scores: np.ndarray) -> np.ndarray:
    return np.isin(scores, list(rubric.failing(rubric.criterion(target))))


def target_name(target: str) -> str:
    """Return a criterion, or the composite, as a sentence names it."""
    return "the composite" if target == COMPOSITE else spoken(target)


def _signature(side: Side, base: Variant | None, draws: Draws) -> str:
    """One line that says how the comparison was made, so that it can be made again."""
    judges = [f"{v.judge.label()} by {v.rubric.name}" for v in side.chosen]
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
        "limits": f"question jackknife; differences simultaneous, question max-t at {LEVEL:g}",
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
