"""One row of a comparison: a variant on the shared answers."""

from collections.abc import Mapping

from concord.messages import said
from concord.reports.comparison import constant_baseline, two_judges, variant_scores
from concord.reports.comparison.constant_baseline import Baseline
from concord.reports.comparison.paired_variants import Side
from concord.reports.comparison.results import IS_BASE, MAPPED, ComparedVariant
from concord.reports.decision.cost import Cost
from concord.reports.panel.variants import Variant
from concord.reports.ranking.order import Order
from concord.stats.core.estimate import Estimate, undefined

UNPRICED = Cost(
    why_none=said("no price is known"), why_no_seconds=said("no response time is known")
)


def row(
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
        own=variant_scores.own_scale(side, variant),
        spread=variant_scores.score_use(side, variant),
        test_retest=variant_scores.retest(side, variant),
        no_score=variant_scores.no_score(side, variant),
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
        else two_judges.tested(variant, base, side.annotators, side.target, side.on.kind),
        cost=(costs or {}).get(variant.judge.id, UNPRICED),
        note=variant.panel.range_note(side.target, variant.judge.id),
    )
