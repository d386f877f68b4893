"""Scores of one variant: agreement on its own scale, use of the scale, answers without a score."""

from collections import Counter
from dataclasses import replace

import numpy as np

from concord.grading.annotators import NOT_CHOSEN
from concord.messages import said
from concord.reports.comparison.paired_variants import Side, own_figures
from concord.reports.comparison.results import OWN_FIGURES, NoScore, OwnScale
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import COMPOSITE, STATUS_NAMES, Panel
from concord.reports.panel.variants import Variant
from concord.reports.reliability.results import JudgeRetest
from concord.reports.reliability.test_retest import of_judge
from concord.stats.comparison.score_spread import Spread, spread
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.estimate import undefined
from concord.stats.core.tables import ranked
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import NOTHING

NO_OWN_ANNOTATORS = said("no annotator graded these answers on this scale")
NO_OWN_SCALE = said("a composite is not a score on the scale")
NOT_ASKED = said("it graded no answer")


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
