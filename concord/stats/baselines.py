"""Baselines: every statistic of the registry of a judge that always gives one score."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.tables import NEGLIGIBLE, commonest
from concord.stats.statistics import BY_KEY, STATISTICS, PairedScores
from concord.stats.statistics import KEYS as EVERY

KEYS = ("score", *EVERY, "best_within_one", "best_within_one_score")


class MajorityClass(NamedTuple):
    """A judge that always gives one score.

    Attributes:
        score: The commonest score; the lowest of them where several are.
        exact: Share of annotators' scores it equals, 0 to 1.
    """

    score: int
    exact: float


def constant(annotators: np.ndarray, scale: Sequence[int]) -> MajorityClass | None:
    """Return the majority-class baseline of a criterion.

    `annotators` is (K,) summed weights of their scores, `tables.sum(axis=(0, 2))`.

    Returns:
        None where annotators gave no score.
    """
    if annotators.sum() <= 0:
        return None
    place = int(np.argmax(commonest(annotators)))
    return MajorityClass(int(scale[place]), float(annotators[place] / annotators.sum()))


def every_statistic(
    annotators: np.ndarray, scale: Sequence[int], failing: Collection[int]
) -> dict[str, float | int | None]:
    """Return every statistic of a judge that always gives the commonest score.

    `annotators` is (K,) summed weights of their scores, of which one at least is above 0.

    Returns:
        The values by `key`, the commonest score by `score`, and by `best_within_one` the best
        agreement within one point of any constant score. None where a statistic is undefined, such
        as kappa where annotators gave one score alone.
    """
    always = {
        score: PairedScores.constant(score, annotators, scale, failing) for score in map(int, scale)
    }
    score, within = constant(annotators, scale).score, BY_KEY["within_one"]
    near = {score: within.of_constant(paired) for score, paired in always.items()}
    best = max(near.values())
    return {
        "score": score,
        **{one.key: one.of_constant(always[score]) for one in STATISTICS},
        "best_within_one": best,
        "best_within_one_score": next(s for s, one in near.items() if one > best - NEGLIGIBLE),
    }
