"""Comparison of judge variants on the same answers.

The same answers are those that every variant compared scored and annotators graded; what is left
out is counted. Agreement with annotators is on [0, 1], so that scales can be compared.
"""

from collections.abc import Mapping, Sequence

from concord.reports.comparison import compared_variant, constant_baseline
from concord.reports.comparison.constant_baseline import Baseline
from concord.reports.comparison.distance import LEVEL, further_than
from concord.reports.comparison.paired_variants import (
    Side,
    first_target,
    side_by_side,
    signature,
)
from concord.reports.comparison.results import (
    MAPPED,
    Ceiling,
    ComparedVariant,
    Comparison,
    Headline,
    Study,
)
from concord.reports.comparison.variant_scores import annotator_score_use
from concord.reports.decision.cost import Cost
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import weighting
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.simulated import counted
from concord.reports.panel.variants import Variant
from concord.reports.ranking import ranking
from concord.stats.core.tables import ranked
from concord.stats.intervals.resampling import Draws


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
        compared_variant.row(side, place, base, always, order, apart, costs)
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
        annotators=counted(side.on.annotators_on(on)),
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
