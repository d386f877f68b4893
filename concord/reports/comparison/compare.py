"""Comparison of judge variants on the same answers.

The same answers are those that every variant compared scored and annotators graded; what is left
out is counted. Agreement with annotators is on [0, 1], so that scales can be compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from concord.grading.annotators import NOT_CHOSEN
from concord.messages import Problem, joined, said
from concord.model import Sheet
from concord.reports.cells import written
from concord.reports.comparison import constant_baseline, presets
from concord.reports.comparison.constant_baseline import Baseline
from concord.reports.comparison.paired_variants import (
    DISTANCE,
    EXACT,
    IS_BASE,
    MAPPED,
    OWN_FIGURES,
    Ceiling,
    ComparedVariant,
    Comparison,
    Differences,
    Headline,
    NoScore,
    OwnScale,
    PairedTest,
    Side,
    Study,
    by_item,
    by_question,
    discordant,
    far,
    first_target,
    mean_difference,
    nearness,
    own_figures,
    side_by_side,
    signature,
    target_name,
    targets,
)
from concord.reports.decision.cost import Cost, costs
from concord.reports.panel import variants
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import COMPOSITE, STATUS_NAMES, Panel
from concord.reports.panel.provenance import counted_annotators, weighting
from concord.reports.panel.variants import Variant
from concord.reports.ranking import ranking
from concord.reports.ranking.ranking import Order
from concord.reports.reliability.test_retest import JudgeRetest, of_judge
from concord.stats.baselines import Spread, spread
from concord.stats.comparison import paired_tests
from concord.stats.comparison.paired_tests import mcnemar, question_sums, sign_flip
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import ranked
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import difference, simultaneous
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import NOTHING
from concord.store.database import Store

NO_OWN_ANNOTATORS = "no annotator graded these answers on this scale"
NO_OWN_SCALE = "a composite is not a score on the scale"
NOT_ASKED = "it graded no answer"


def own_scale(side: Side, variant: Variant) -> OwnScale:
    """Exact, within one, QWK and failure recall where annotators graded on the same scale."""
    criterion = _own_criterion(side, variant)
    if criterion is None:
        return _no_own(NO_OWN_SCALE)
    if variant.is_continuous(criterion):
        return _no_own(CONTINUOUS)
    on = ground(_own_annotators(side, variant), criterion, side.on.kind)
    pairs = on.pairs(variant.judge)
    pairs = pairs.where(side.shared[pairs.item])
    if not len(pairs.item):
        return _no_own(NO_OWN_ANNOTATORS if side.shared.any() else NOTHING)
    return own_figures(on.measured(pairs))


def _no_own(why: str) -> OwnScale:
    return OwnScale(0, **dict.fromkeys(OWN_FIGURES, undefined(why)), failing=None, why_none=why)


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


def score_use(side: Side, variant: Variant) -> Spread:
    """Return the variant's score distribution on shared answers; of a composite all criteria."""
    every = [
        variant.panel.of(name, variant.judge.id)
        for name in _graded_as(side.target, variant)
        if not variant.is_continuous(name)
    ]
    scores = [marks.score[side.shared & marks.scored] for marks in every]
    return spread(np.concatenate([np.zeros(0), *scores]), variant.rubric.scale)


def annotator_score_use(side: Side) -> Spread:
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


def no_score(side: Side, variant: Variant) -> NoScore:
    """The share of the answers it was asked about that have no score, and why, by status."""
    marks = variant.marks(side.target, side.annotators)
    asked = marks.status >= 0
    n = int(asked.sum())
    if not n:
        return NoScore(undefined(NOT_ASKED), asked=0, why={})
    why = Counter(STATUS_NAMES[code] for code in marks.status[marks.status > 0])
    _, group = ranked(side.annotators.cluster[asked])
    hits = np.bincount(group, weights=~marks.scored[asked])
    return NoScore(proportion(hits, np.bincount(group).astype(float)), n, dict(why))


def retest(side: Side, variant: Variant) -> JudgeRetest:
    """Return the variant's test-retest reliability on the criteria that the target is made of."""
    return of_judge(variant.panel, variant.judge.id, _graded_as(side.target, variant))


LEVEL = 0.05


def further_than(side: Side, base: Variant | None, draws: Draws) -> list[Estimate]:
    """Return how much further from annotators than the base each variant is, on [0, 1].

    Negative is nearer. The limits are simultaneous.
    """
    if base is None:
        return []
    at = side.chosen.index(base)
    every = [side.pairs(place) for place in range(len(side.chosen))]
    apart = [
        difference(*by_question(one, far(one), far(every[at]), 1.0).T)
        for place, one in enumerate(every)
        if place != at
    ]
    found = simultaneous(apart, LEVEL, draws).estimates if apart else []
    return [*found[:at], undefined(IS_BASE), *found[at:]]


METRICS = {
    EXACT: "Exact agreement with annotators",
    DISTANCE: "Nearness to annotators, % of the scale",
}
_LEVEL = 0.05


def tested(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str = EACH
) -> PairedTest:
    """Return the paired test of two judges on a criterion of the annotators' or `composite`."""
    apart = _differences(first, second, annotators, target, kind)
    alone = discordant(apart)
    difference = paired_tests.difference(alone) if alone else mean_difference(apart)
    test = sign_flip(question_sums(apart.value, apart.cluster, apart.weight))
    about = {"one": first.label, "other": second.label}
    if difference.value is None:
        why = difference.why_none
        sentence = said("{one} and {other} cannot be compared: {why}", **about, why=why)
    else:
        sentence = said(
            "{figure} on {target}, {one} minus {other}: {points} points ({verdict})",
            figure=METRICS[apart.metric],
            target=target_name(target),
            points=written(difference, "points"),
            verdict="significant" if test.p_value < _LEVEL else "not significant",
            **about,
        )
    return PairedTest(
        first=first.label,
        second=second.label,
        target=target,
        metric=apart.metric,
        n=len(apart.item),
        questions=ranked(annotators.question[apart.item])[0],
        clusters=ranked(apart.cluster)[0],
        difference=difference,
        test=test,
        mcnemar=mcnemar(alone) if alone else None,
        sentence=sentence,
    )


def _differences(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str
) -> Differences:
    """Return the differences of two judges on the answers that both scored."""
    side = side_by_side([first, second], annotators, target, kind)
    scales = {first.rubric.scale, second.rubric.scale, annotators.rubric.scale}
    numbers = target == COMPOSITE or any(one.is_continuous(target) for one in (first, second))
    metric = EXACT if len(scales) == 1 and not numbers else DISTANCE
    mine, theirs = (nearness(side.pairs(place), metric) for place in (0, 1))
    pairs = side.pairs(0)
    item, weight, value = by_item(pairs, mine - theirs)
    return Differences(item, side.panel.cluster[item], weight, value, metric)


UNPRICED = Cost(why_none="no price is known", why_no_seconds="no response time is known")


def compared_variant_row(
    side: Side,
    place: int,
    base: Variant | None,
    always: Baseline | None,
    order: Order,
    further: Estimate,
    costs: Mapping[int, Cost] | None,
) -> ComparedVariant:
    """Return the variant at a place of the side, compared with annotators and with the base."""
    variant, mapped = side.chosen[place], side.on.judged(side.mapped(place)).figures
    asked, itself = variant.asked, base is None or variant is base
    other = None if itself else side.chosen.index(base)
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
        own=own_scale(side, variant),
        spread=score_use(side, variant),
        test_retest=retest(side, variant),
        no_score=no_score(side, variant),
        skill=constant_baseline.skill(side, place, always),
        ccc_difference=undefined(IS_BASE)
        if itself
        else constant_baseline.ccc_difference(side, place, other),
        failure_recall_difference=undefined(IS_BASE)
        if itself
        else constant_baseline.recall_difference(side, place, other),
        order=order,
        further=further,
        paired=None
        if variant is base
        else tested(variant, base, side.annotators, side.target, side.on.kind),
        cost=(costs or {}).get(variant.judge.id, UNPRICED),
        note=variant.panel.range_note(side.target, variant.judge.id),
    )


def report(
    chosen: Sequence[Variant],
    annotators: Panel,
    target: str | None = None,
    base: Variant | None = None,
    kind: str = EACH,
    costs: Mapping[int, Cost] | None = None,
    draws: Draws | None = None,
    study: Study | None = None,
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
    orders = ranking.report(side.panel, draws).orders
    always = constant_baseline.baseline(side)
    further = further_than(side, base, draws)
    rows = tuple(
        compared_variant_row(side, place, base, always, order, apart, costs)
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
        annotators=counted_annotators(side.on.annotators_on(on)),
        uncounted=annotators.uncounted,
        weighting=weighting(annotators),
        left_out=side.left_out(),
        holding_back=tuple(side.holding_back()),
        ceiling=_ceiling(side),
        annotator_scale=annotators.rubric.scale,
        annotator_spread=annotator_score_use(side),
        majority_baseline=constant_baseline.figures(side, always),
        variants=rows,
        headline=_headline(side, rows, always),
        not_compared={
            v.label: v.why_not(target, annotators) for v in chosen if v not in side.chosen
        },
        compared=max(0, len(rows) - 1),
        signature=signature(side, base, draws, LEVEL),
        study=study,
    )


def _base(chosen: Sequence[Variant], wanted: Variant | None) -> Variant | None:
    if wanted in chosen:
        return wanted
    real = [variant for variant in chosen if not variant.floor]
    return next(iter(real or chosen), None)


def _ceiling(side: Side) -> Ceiling:
    annotators = side.on.ceiling(side.shared)
    return Ceiling(annotators.n, **{name: annotators.figures[name] for name in MAPPED})


def _headline(side: Side, rows: Sequence[ComparedVariant], always: Baseline | None) -> Headline:
    known = [i for i, row in enumerate(rows) if not row.floor and row.mae.value is not None]
    if not known or always is None:
        return Headline(None, ())
    best = min(known, key=lambda place: rows[place].mae.value)
    reasons = constant_baseline.withheld(side, rows, best, always)
    return Headline(rows[best].variant, tuple(reasons))


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
