"""The majority-class baseline of a comparison, skill over it, and what withholds a headline.

Of composites it is what the commonest grade of each criterion makes. A judge that hardly varies
comes as near without telling any answer from another, which CCC and the recall of failing answers
show.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Numeral, Said, said
from concord.reports.comparison.paired_variants import (
    BaselineFigures,
    OwnScale,
    Side,
    Withheld,
    by_question,
    far,
    own_figures,
)
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.variants import mapped_scores
from concord.rubrics.model import Rubric
from concord.stats.continuous import NEEDS_CUT, lin_ccc, question_moments
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import commonest, distinct, ratio
from concord.stats.intervals.resampling import jackknife, leave_out
from concord.stats.statistics import NOTHING, floor

NO_BASELINE = "the majority-class baseline has distance 0, so nothing can be nearer"
NO_FAILING = "failing answers are defined for a criterion, not for the composite"
NONE_FAILED = "annotators failed no answer"
_NO_NEARER, _UNSURE, _CCC, _RECALL = "baseline", "baseline_unsure", "ccc", "failure_recall"
_WITHHELD = {
    _NO_NEARER: "the {baseline} is {share:.1f}% of the scale away",
    _UNSURE: "the {baseline}, {share:.1f}% of the scale away, is within the error",
    _CCC: "{other} has a higher CCC ({ours}, compared with {theirs})",
    _RECALL: "{other} has a higher recall of failing answers, by {points:.0f} points",
}


class Baseline(NamedTuple):
    """The score that annotators give most; of composites what those of the criteria make.

    Attributes:
        score: On the annotators' own scale; a real number for the composite.
        pairs: The pairs on [0, 1] with it as the judge.
    """

    score: float
    pairs: Pairs


def baseline(side: Side) -> Baseline | None:
    """The baseline on the shared answers; None where there are none."""
    pairs = side.pairs(0) if side.chosen else None
    if pairs is None or not len(pairs.item):
        return None
    names = side.annotators.weights if side.target == COMPOSITE else {side.target: 1}
    score = round(sum(float(w) * _commonest(side, name) for name, w in names.items()), 9)
    at = mapped_scores(np.full(len(pairs.item), score), side.annotators.rubric.scale)
    return Baseline(score, pairs._replace(judge=at))


def _commonest(side: Side, criterion: str) -> float:
    """The score that annotators give most on the shared answers, which weigh alike."""
    panel = side.annotators
    given = ground(panel, criterion, side.on.kind).annotators
    on = side.shared[given.item]
    item, score = given.item[on], given.score[on]
    values, place = np.unique(score, return_inverse=True)
    weight = panel.weight[item] / np.bincount(item)[item]
    return float(values[commonest(np.bincount(place, weight))][0])


def figures(side: Side, found: Baseline | None) -> BaselineFigures:
    """Return the statistics of the baseline; all undefined without one."""
    if found is None:
        nothing = undefined(NOTHING)
        return BaselineFigures(None, nothing, nothing, nothing, None)
    mapped = side.on.measured(found.pairs).figures
    ccc = mapped["ccc"]
    return BaselineFigures(
        score=int(found.score) if found.score == int(found.score) else found.score,
        mae=mapped["mae"],
        bias=mapped["bias"],
        ccc=ccc if ccc.value is None else ccc._replace(value=0.0),  # exact for a constant
        own=None if side.target == COMPOSITE else _own(side, found),
    )


def skill(side: Side, place: int, found: Baseline | None) -> Estimate:
    """1 - distance / distance of the baseline: 1 is no distance, 0 that of the baseline."""
    if found is None:
        return undefined(NOTHING)
    sums = by_question(found.pairs, far(side.pairs(place)), far(found.pairs), 1.0)
    return jackknife(
        leave_out(sums, 2),
        lambda rows: 1 - ratio(rows[..., 0], rows[..., 1]),
        bounds=(-np.inf, 1),
        why_none=NO_BASELINE,
    )


def ccc_difference(side: Side, place: int, other: int) -> Estimate:
    """CCC of one variant minus that of another on the same answers."""
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


def recall_difference(side: Side, place: int, other: int) -> Estimate:
    """Recall of failing answers of one variant minus another's; each fails by its own rubric."""
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
    sums = by_question(pairs, *both, failed)
    return jackknife(
        leave_out(sums[sums[:, 2] > 0], 2),
        lambda rows: ratio(rows[..., 0] - rows[..., 1], rows[..., 2]),
        bounds=(-1, 1),
    )


def withheld(side: Side, rows: Sequence[Any], best: int, found: Baseline) -> list[Withheld]:
    """Return why the nearest variant makes no headline.

    It is not nearer than the baseline beyond the error, or another variant has a higher CCC, or a
    higher recall of failing answers, with a 95% CI of the difference that excludes 0.
    """
    over, against = skill(side, best, found), baseline_name(found.score)
    reasons = []
    if over.value is None or over.value <= 0 or (over.low is not None and over.low <= 0):
        code = _UNSURE if over.value is not None and over.value > 0 else _NO_NEARER
        distance = np.average(far(found.pairs), weights=found.pairs.weight)
        why = said(_WITHHELD[code], baseline=against, share=100 * float(distance))
        reasons.append(Withheld(code, against, over, why))
    for place, row in enumerate(rows):
        if place == best or row.floor:
            continue
        ccc, recall = (one(side, best, place) for one in (ccc_difference, recall_difference))
        if ccc.high is not None and ccc.high < 0:
            both = (Numeral(f"{one.ccc.value:.2f}") for one in (row, rows[best]))
            figures = dict(zip(("ours", "theirs"), both, strict=True))
            why = said(_WITHHELD[_CCC], other=row.variant, **figures)
            reasons.append(Withheld(_CCC, row.variant, ccc, why))
        if recall.high is not None and recall.high < 0:
            why = said(_WITHHELD[_RECALL], other=row.variant, points=-100 * recall.value)
            reasons.append(Withheld(_RECALL, row.variant, recall, why))
    return reasons


def baseline_name(score: float) -> Said:
    """Return the display name of the baseline, with its score."""
    return said("majority-class baseline (always {score:g})", score=score)


def _own(side: Side, found: Baseline) -> OwnScale:
    pairs = found.pairs._replace(
        judge=np.full(len(found.pairs.item), int(found.score)),
        annotator=_annotators_own(side, found.pairs).astype(int),
    )
    return own_figures(ground(side.annotators, side.target, side.on.kind).measured(pairs))


def _annotators_own(side: Side, pairs: Pairs) -> np.ndarray:
    """Return (n,) the annotators' mapped scores on their own scale again."""
    scale = side.annotators.rubric.scale
    return np.rint(pairs.annotator * (scale[-1] - scale[0]) + scale[0])


def _fails(rubric: Rubric, target: str, scores: np.ndarray) -> np.ndarray:
    return np.isin(scores, list(rubric.failing(rubric.criterion(target))))
