"""Verdict on each judge: good enough, not, or inconclusive, by simultaneous intervals.

Non-inferiority to a reference judge that failed, or agreement below the majority-class baseline,
shows nothing (assay sensitivity, ICH E10): without a fixed minimum, neither is good enough.

Pure: a panel and terms in, verdicts out, so that it can be replayed over other panels and terms.
"""

from typing import NamedTuple

import numpy as np

from concord.messages import said
from concord.model import Grader
from concord.reports.decision.results import (
    CANNOT_TELL,
    CEILING,
    DIFFERENCE,
    GOOD_ENOUGH,
    KAPPA,
    MAJORITY,
    MINIMUM,
    NOT,
    QUESTIONS_FLOOR,
    REFERENCE,
    Condition,
    Judged,
    Terms,
    Verdicts,
)
from concord.reports.panel.candidates import Field
from concord.stats.agreement.failure_recall import FailureRecall, failure_recall
from concord.stats.agreement.majority_baseline import Constant, constant
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.reasons import under
from concord.stats.core.tables import NEGLIGIBLE, positions
from concord.stats.intervals import family_member
from concord.stats.intervals.alpha_spending import LEVEL
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import simultaneous
from concord.stats.statistics import floor

RESAMPLES = 4000
NO_OVERLAP = said("no answer was graded by two annotators, so how well annotators agree is unknown")
TOO_LITTLE_OVERLAP = said(
    "annotators overlap on fewer than 10 questions, so how well they agree is unknown"
)


class _Sums(NamedTuple):
    """Sums per question of the common answers, the same questions for all judges."""

    clusters: np.ndarray
    base: np.ndarray
    shared: np.ndarray
    annotators: np.ndarray
    annotators_base: np.ndarray


def verdicts(
    found: Field, terms: Terms, level: float | None = LEVEL, draws: Draws | None = None
) -> Verdicts:
    """The verdict on every judge of a field.

    Args:
        found: The judges and the answers.
        terms: The margin, the minimum and the least recall of failing answers.
        level: One-sided error of the limits; None where no look is left, and then there is no
            verdict.
        draws: The resamples of questions.
    """
    draws = draws or Draws(RESAMPLES)
    pairs = {judge.id: _pairs(found, judge) for judge in found.judges}
    sums = _sums(found, pairs[found.reference.id])
    members = {judge.id: _members(found, judge, pairs, sums) for judge in found.judges}
    every = [(judge, name) for judge, own in members.items() for name in own]
    known = simultaneous([members[i][name] for i, name in every], level or LEVEL, draws)
    limits = dict(zip(every, known.estimates, strict=True))
    majority = _constant(found, pairs[found.reference.id])
    judged: list[Judged] = []
    for judge in found.judges:
        own = {name: limits[judge.id, name] for name in members[judge.id]}
        assay = _assay(own[MINIMUM], majority, terms, judged[0] if judged else None)
        stopped = _stopped(level, len(sums.clusters))
        judged.append(
            _judged(found, judge, pairs[judge.id], members[judge.id], own, terms, assay, stopped)
        )
    overlap = int(sums.shared.sum())
    return Verdicts(
        judges=judged,
        answers=int(found.common.sum()),
        questions=len(np.unique(found.on.panel.question[found.common])),
        clusters=len(sums.clusters),
        overlap=overlap,
        below=known.below,
        ceiling=float(sums.annotators.sum() / sums.annotators_base.sum()) if overlap else None,
        constant=majority,
    )


def _constant(found: Field, pairs: Pairs) -> Constant | None:
    scale = found.on.panel.rubric.scale
    place = positions(pairs.annotator, scale)
    return constant(np.bincount(place, weights=pairs.weight, minlength=len(scale)), scale)


def _pairs(found: Field, judge: Grader) -> Pairs:
    pairs = found.on.pairs(judge)
    return pairs.where(found.common[pairs.item])


def _sums(found: Field, pairs: Pairs) -> _Sums:
    clusters = np.unique(pairs.cluster)
    between = found.on.ceiling(found.common)
    annotators = between.pairs
    hits, base = _hits(annotators, clusters)
    return _Sums(clusters, _hits(pairs, clusters)[1], between.on & found.common, hits, base)


def _hits(pairs: Pairs, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(G,) summed weight of the pairs with one score, and of all."""
    group = np.searchsorted(clusters, pairs.cluster)
    same = pairs.weight * (pairs.judge == pairs.annotator)
    return tuple(
        np.bincount(group, weights=weights, minlength=len(clusters))
        for weights in (same, pairs.weight)
    )


def _members(
    found: Field, judge: Grader, pairs: dict[int, Pairs], sums: _Sums
) -> dict[str, family_member.Member]:
    """The figures of a judge; the reference judge has no difference to itself."""
    own, scale = pairs[judge.id], found.on.panel.rubric.scale
    hits, base = _hits(own, sums.clusters)
    made = {
        MINIMUM: family_member.share(hits, base, float(found.common.sum())),
        KAPPA: family_member.kappa(own.tables(scale), scale),
    }
    if judge.id != found.reference.id:
        reference, _ = _hits(pairs[found.reference.id], sums.clusters)
        made[DIFFERENCE] = family_member.difference(hits, reference, base)
    if sums.shared.any():
        shared, _ = _hits(own.where(sums.shared[own.item]), sums.clusters)
        made[CEILING] = family_member.difference(shared, sums.annotators, sums.annotators_base)
    return made


def _judged(
    found: Field,
    judge: Grader,
    pairs: Pairs,
    members: dict[str, family_member.Member],
    own: dict[str, Estimate],
    terms: Terms,
    assay: dict[str, Condition],
    stopped: str | None,
) -> Judged:
    few = floor("qwk", len(pairs.item))
    if few:
        own[KAPPA] = undefined(few)
    failing = found.on.panel.rubric.failing(found.on.criterion)
    catches = failure_recall(pairs, failing)
    conditions = _conditions(own, terms) | assay
    verdict, why = _verdict(conditions, catches, terms)
    if stopped:
        verdict, why = CANNOT_TELL, [stopped]
    return Judged(judge, verdict, why, conditions, own[MINIMUM], catches, members)


def _stopped(level: float | None, questions: int) -> str | None:
    if level is None:
        return said(
            "all four interim looks are spent, so there is no error rate left for a verdict"
        )
    if questions < QUESTIONS_FLOOR:
        return under(QUESTIONS_FLOOR, said("there is no verdict"))
    return None


def _conditions(own: dict[str, Estimate], terms: Terms) -> dict[str, Condition]:
    found = {}
    if DIFFERENCE in own:
        found[DIFFERENCE] = _condition(DIFFERENCE, own[DIFFERENCE], -terms.margin)
    found[MINIMUM] = _condition(MINIMUM, own[MINIMUM], terms.minimum)
    found[KAPPA] = _condition(KAPPA, own[KAPPA], 0.0)
    ceiling = own.get(CEILING) or undefined(NO_OVERLAP)
    if ceiling.value is not None and ceiling.low is None:
        ceiling = ceiling._replace(why_none=TOO_LITTLE_OVERLAP)
    known = ceiling.low is not None
    found[CEILING] = _condition(CEILING, ceiling, -terms.margin if known else None)
    return found


def _assay(
    exact: Estimate, majority: Constant | None, terms: Terms, reference: Judged | None
) -> dict[str, Condition]:
    """Return the assay sensitivity conditions; none apply where a minimum was fixed.

    Args:
        exact: The judge's exact agreement.
        majority: The majority-class baseline.
        terms: The terms.
        reference: The reference judge; None for itself.
    """
    named = bool(terms.minimum) or majority is None or exact.value is None
    above = None if named else majority.exact
    below = above is not None and exact.value < above - NEGLIGIBLE
    state = "none" if named else "open" if below else "clear"
    found = {MAJORITY: Condition(MAJORITY, exact, above, state)}
    if reference is not None:
        failed = reference.verdict == NOT
        weak = failed or reference.conditions[MAJORITY].state == "open"
        state = "none" if named else "open" if weak else "clear"
        why = _REFERENCE_FAILED if failed else _REFERENCE_BELOW
        found[REFERENCE] = Condition(REFERENCE, reference.exact, None, state, why)
    return found


def _condition(name: str, estimate: Estimate, above: float | None) -> Condition:
    if above is None:
        return Condition(name, estimate, None, "none")
    if estimate.low is None:
        return Condition(name, estimate, above, "open")
    reached = estimate.low >= above if name == MINIMUM else estimate.low > above
    lost = estimate.high < above if name == MINIMUM else estimate.high <= above
    return Condition(name, estimate, above, "clear" if reached else "fails" if lost else "open")


def _verdict(
    conditions: dict[str, Condition], catches: FailureRecall, terms: Terms
) -> tuple[str, list[str]]:
    why = [_FAILS[one.name] for one in conditions.values() if one.state == "fails"]
    if vetoed(catches, terms):
        why.append(said("its recall of failing answers is below the minimum"))
    if why:
        return NOT, why
    why = [
        one.estimate.why_none if one.estimate.low is None else one.why_open or _OPEN[one.name]
        for one in conditions.values()
        if one.state == "open"
    ]
    return (CANNOT_TELL, why) if why else (GOOD_ENOUGH, [])


def vetoed(catches: FailureRecall, terms: Terms) -> bool:
    """True where the judge's recall of failing answers is significantly below the minimum."""
    high = catches.share.high
    return terms.failure_recall is not None and high is not None and high < terms.failure_recall


_FAILS = {
    DIFFERENCE: said("it is worse than the reference judge by more than the margin"),
    MINIMUM: said("its agreement is below the minimum"),
    KAPPA: said("its agreement is not better than chance"),
    CEILING: said("its agreement is below inter-annotator agreement by more than the margin"),
}
_OPEN = {
    DIFFERENCE: said("it may be worse than the reference judge by more than the margin"),
    MINIMUM: said("its agreement may be below the minimum"),
    KAPPA: said("its agreement may not be better than chance"),
    CEILING: said("its agreement may be below inter-annotator agreement by more than the margin"),
    MAJORITY: said("its exact agreement is below the majority-class baseline"),
}
_REFERENCE_FAILED = said(
    "the reference judge is not good enough itself, so non-inferiority to it shows nothing"
)
_REFERENCE_BELOW = said(
    "the reference judge agrees less than the majority-class baseline, so non-inferiority to it "
    "shows nothing"
)
