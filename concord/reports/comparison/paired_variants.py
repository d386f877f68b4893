"""Paired variants: variants on the answers that all of them scored and annotators graded.

The target of the comparison is a criterion of the annotators' or the composite, mapped to [0, 1].
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from concord.messages import joined, said, short, span, spoken
from concord.model import Grader
from concord.reports.comparison.results import OWN_FIGURES, HoldingBack, OwnScale
from concord.reports.panel import provenance
from concord.reports.panel.criterion_comparison import CriterionPanel, PairStatistics, ground
from concord.reports.panel.panel import COMPOSITE, OTHER, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.variants import Variant, shared_panel
from concord.stats.core.pairs import Pairs
from concord.stats.intervals.resampling import Draws

NOT_SHARED = said("not scored by every variant compared")


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
    return said("the composite") if target == COMPOSITE else spoken(target)


def signature(side: Side, base: Variant | None, draws: Draws, level: float) -> str:
    """One line that says how the comparison was made, so that it can be made again."""
    judges = [
        said("{judge} by {rubric}", judge=v.judge.label(), rubric=v.rubric.name)
        for v in side.chosen
    ]
    rubric = side.annotators.rubric
    names = joined(", ", [p.name for p in side.on.annotators_on(side.shared)])
    entries = {
        short("variants", said("variant")): joined(", ", judges) or provenance.NOTHING,
        said("base"): base.label if base else provenance.NOTHING,
        short("target", said("criterion")): (
            COMPOSITE if side.target == COMPOSITE else rubric.named(side.target)
        ),
        provenance.REFERENCE: provenance.reference_name(side.on.kind),
        said("annotators"): names or provenance.NOTHING,
        short("annotators' rubric", said("rubric")): rubric.name,
        provenance.VERSIONS: provenance.versions(side.annotators, side.target),
        said("answers"): int(side.shared.sum()),
        **provenance.synthetic(side.annotators),
        said("scores"): said("mapped to [0, 1] by (score - lowest) / (highest - lowest)"),
        short("limits", provenance.INTERVAL): said(
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
