"""The alternative annotator test: may a judge replace one of the annotators?

Source: Calderon, Reichart and Dror (ACL 2025), implemented from the paper. The t-test treats items
as independent, as published; it does not know which answers share a question.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from concord.stats.core.estimate import Why, reason
from concord.stats.core.minimums import ALT_TEST_ANNOTATORS, ALT_TEST_FLOOR
from concord.stats.core.tables import ranked
from concord.stats.intervals.simultaneous import benjamini_yekutieli

EPSILONS = (0.0, 0.1, 0.15, 0.2)
LEVEL = 0.05


class AltTest(NamedTuple):
    """The outcome for one epsilon, the advantage allowed to annotators for being dearer.

    Attributes:
        epsilon: 0 to 1; the paper has .2 for experts, .15 for skilled annotators, .1 for a crowd.
        omega: Share of annotators the judge may replace; the judge passes from .5 on.
        rho: Mean share of items on which the judge is at least as close to the others as the
            annotator left out; ties count, so it runs high on coarse scales.
        annotators: Annotators with enough items to be compared.
        items: Items on which at least one of them was compared.
        p_values: One per compared annotator, unadjusted.
        why_none: Why omega and rho are None.
        omega_by_question: Omega with the t-test on question means, which knows that answers to one
            question are alike; None without clusters or where an annotator has under two questions.
        p_values_by_question: The same for the p-values.
    """

    epsilon: float
    omega: float | None
    rho: float | None
    annotators: int
    items: int
    p_values: tuple[float, ...] = ()
    why_none: Why | None = None
    omega_by_question: float | None = None
    p_values_by_question: tuple[float, ...] = ()


class _Duel(NamedTuple):
    """Judge against one annotator on the items both scored and someone else did too."""

    judge_at_least: np.ndarray
    person_at_least: np.ndarray
    items: np.ndarray


def alt_test(
    annotators: np.ndarray,
    judge: np.ndarray,
    epsilons: Sequence[float] = EPSILONS,
    alignment: str = "rmse",
    cluster: np.ndarray | None = None,
) -> list[AltTest]:
    """Run the alternative annotator test: is the judge closer to the others than each annotator is?

    Each annotator is left out in turn, with a one-sided t-test of "annotators win by epsilon or
    more" against "by less"; p-values are adjusted by Benjamini and Yekutieli at .05. Annotators
    with under 30 items to compare still count among the others but are not compared; with fewer
    than three compared annotators the result is undefined. Without variance p is 0 or 1.

    Args:
        annotators: (annotators, items) scores of one criterion, NaN where missing.
        judge: (items,) the judge's scores, NaN where missing.
        epsilons: One result each.
        alignment: "rmse" (negative root mean squared difference) or "accuracy" (share equal).
        cluster: (items,) question or cluster of each; also gives the figures by question.
    """
    duels = [_duel(annotators, judge, annotator, alignment) for annotator in range(len(annotators))]
    duels = [duel for duel in duels if len(duel.items) >= ALT_TEST_FLOOR]
    compared = [duel.items for duel in duels]
    items = int((np.bincount(np.concatenate(compared)) > 0).sum()) if duels else 0
    if len(duels) < ALT_TEST_ANNOTATORS:
        why = reason(
            "too_few_annotators_or_items",
            annotators=ALT_TEST_ANNOTATORS,
            items=ALT_TEST_FLOOR,
        )
        return [AltTest(eps, None, None, len(duels), items, (), why) for eps in epsilons]
    rho = float(np.mean([duel.judge_at_least.mean() for duel in duels]))
    return [_result(duels, epsilon, rho, items, cluster) for epsilon in epsilons]


def _duel(annotators: np.ndarray, judge: np.ndarray, annotator: int, alignment: str) -> _Duel:
    others = np.delete(annotators, annotator, axis=0)
    # The same items and the same others for both, so that their distances can be compared.
    both = ~np.isnan(annotators[annotator]) & ~np.isnan(judge) & ~np.isnan(others).all(axis=0)
    items = np.flatnonzero(both)
    losses = [
        _loss(others[:, items], grader[items], alignment)
        for grader in (judge, annotators[annotator])
    ]
    return _Duel(losses[0] <= losses[1], losses[1] <= losses[0], items)


def _loss(others: np.ndarray, own: np.ndarray, alignment: str) -> np.ndarray:
    """Distance summed over the others, who are the same for both sides.

    So the order of two losses is that of the alignments, and whole numbers make ties exact.
    """
    if alignment == "accuracy":
        apart = np.where(np.isnan(others), 0, others != own)
    else:
        apart = np.nan_to_num((others - own) ** 2)
    return apart.sum(axis=0)


def _result(
    duels: list[_Duel], epsilon: float, rho: float, items: int, cluster: np.ndarray | None
) -> AltTest:
    p_values = [_p_value(_advantage(duel), epsilon) for duel in duels]
    found = AltTest(epsilon, _omega(p_values), rho, len(duels), items, tuple(p_values))
    if cluster is None:
        return found
    means = [_question_means(_advantage(duel), cluster[duel.items]) for duel in duels]
    if min(map(len, means)) < 2:
        return found
    by_question = tuple(_p_value(mean, epsilon) for mean in means)
    return found._replace(omega_by_question=_omega(by_question), p_values_by_question=by_question)


def _omega(p_values: Sequence[float]) -> float:
    return float((benjamini_yekutieli(p_values) <= LEVEL).mean())


def _advantage(duel: _Duel) -> np.ndarray:
    """(n,) 1 where the annotator is closer than the judge, -1 where the judge is, 0 for a tie."""
    return duel.person_at_least.astype(float) - duel.judge_at_least


def _question_means(advantage: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    _, group = ranked(cluster)
    return np.bincount(group, weights=advantage) / np.bincount(group)


def _p_value(advantage: np.ndarray, epsilon: float) -> float:
    mean, count = advantage.mean(), len(advantage)
    error = advantage.std(ddof=1) / np.sqrt(count)
    if error == 0:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(count - 1, (mean - epsilon) / error))
