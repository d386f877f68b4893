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
    duels = []  # by annotator: items, at least as close as the annotator, and the other way round
    for place, own in enumerate(annotators):
        others = np.delete(annotators, place, axis=0)
        # The same items and others for both, so that their distances can be compared.
        both = ~np.isnan(own) & ~np.isnan(judge) & ~np.isnan(others).all(axis=0)
        items, others = np.flatnonzero(both), others[:, both]
        if len(items) < ALT_TEST_FLOOR:
            continue
        losses = []
        for scores in (judge[both], own[both]):
            # Summed over the others: their order is that of the alignments, and ties are exact.
            apart = others != scores if alignment == "accuracy" else (others - scores) ** 2
            losses.append(np.where(np.isnan(others), 0, apart).sum(axis=0))
        duels.append((items, losses[0] <= losses[1], losses[1] <= losses[0]))
    compared = len(duels), len(np.unique(np.concatenate([one[0] for one in duels] or [[]])))
    if len(duels) < ALT_TEST_ANNOTATORS:
        floors = {"annotators": ALT_TEST_ANNOTATORS, "items": ALT_TEST_FLOOR}
        why = reason("too_few_annotators_or_items", **floors)
        return [AltTest(epsilon, None, None, *compared, (), why) for epsilon in epsilons]
    rho = float(np.mean([judge_wins.mean() for _, judge_wins, _ in duels]))
    # 1 where the annotator is closer than the judge, -1 where the judge is, 0 for a tie.
    advantages = [person.astype(float) - judge_wins for _, judge_wins, person in duels]
    means = []
    if cluster is not None:
        for (items, *_), advantage in zip(duels, advantages, strict=True):
            _, group = ranked(cluster[items])
            means.append(np.bincount(group, weights=advantage) / np.bincount(group))
    by_question = means if min(map(len, means), default=0) > 1 else []
    found = []
    for epsilon in epsilons:
        each, by = (
            tuple(_p_value(one, epsilon) for one in every) for every in (advantages, by_question)
        )
        omega = _omega(by) if by else None
        found.append(AltTest(epsilon, _omega(each), rho, *compared, each, None, omega, by))
    return found


def _omega(p_values: Sequence[float]) -> float:
    return float((benjamini_yekutieli(p_values) <= LEVEL).mean())


def _p_value(advantage: np.ndarray, epsilon: float) -> float:
    mean, count = advantage.mean(), len(advantage)
    error = advantage.std(ddof=1) / np.sqrt(count)
    if error == 0:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(count - 1, (mean - epsilon) / error))
