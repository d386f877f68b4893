"""Differences of two judges in agreement with annotators, answer by answer. Pure."""

from typing import NamedTuple

import numpy as np

from concord.messages import said
from concord.stats.comparison.paired_tests import Discordant
from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.resampling import jackknife, leave_out

EXACT, DISTANCE = "exact", "distance"
# Mapped scores are real numbers: closer than SAME counts as the same score.
SAME = 1e-9
NO_ANSWER = said("the two have scored no answer in common that annotators graded")


class Differences(NamedTuple):
    """Difference in agreement of two judges, answer by answer.

    Attributes:
        item: (n,) indices of the answers.
        cluster: (n,) their clusters.
        weight: (n,) their weights.
        value: (n,) from -1 to 1, above 0 where the first is nearer to annotators.
        metric: `exact` or `distance`.
    """

    item: np.ndarray
    cluster: np.ndarray
    weight: np.ndarray
    value: np.ndarray
    metric: str


def nearness(pairs: Pairs, metric: str) -> np.ndarray:
    """Return 1 per pair with the same scores; by distance, less the farther they are apart."""
    apart = far(pairs)
    return (apart < SAME).astype(float) if metric == EXACT else 1 - apart


def far(pairs: Pairs) -> np.ndarray:
    """Return (n,) the distance of the judge's score from the annotator's in each pair."""
    return np.abs(pairs.judge - pairs.annotator)


def by_question(pairs: Pairs, *columns: np.ndarray | float) -> np.ndarray:
    """Return (G, C) the weighted sum of each column per question."""
    questions, group = ranked(pairs.cluster)
    sums = [np.bincount(group, pairs.weight * one, questions) for one in columns]
    return np.stack(sums, axis=1)


def by_item(pairs: Pairs, value: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the items, their weights, and the values averaged over each item's annotators."""
    weight = np.bincount(pairs.item, weights=pairs.weight)
    total = np.bincount(pairs.item, weights=pairs.weight * value)
    item = np.flatnonzero(weight > 0)
    return item, weight[item], total[item] / weight[item]


def mean_difference(apart: Differences) -> Estimate:
    """The mean difference with its question jackknife."""
    _, group = ranked(apart.cluster)
    sums = np.stack(
        [
            np.bincount(group, weights=apart.weight * apart.value),
            np.bincount(group, weights=apart.weight),
        ],
        axis=1,
    )
    if not len(sums):
        return Estimate(None, why_none=NO_ANSWER)
    return jackknife(
        leave_out(sums, 1), lambda rows: ratio(rows[..., 0], rows[..., 1]), bounds=(-1, 1)
    )


def discordant(apart: Differences) -> Discordant | None:
    """Return the counts for McNemar and Tango: one answer per question, equal weights."""
    n = len(apart.item)
    if apart.metric != EXACT or not n or n > ranked(apart.cluster)[0]:
        return None
    if np.ptp(apart.weight) > SAME or not np.isin(apart.value, (-1, 0, 1)).all():
        return None
    return Discordant(int((apart.value > 0).sum()), int((apart.value < 0).sum()), n, n)
