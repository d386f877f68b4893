"""Baselines: what a judge or a metric reaches that tells nothing apart.

Of a judge, every statistic of the registry of always giving one score; of a similarity of texts,
that of unrelated ones, and which pairs exceed it.
"""

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


AT_MOST = 1500  # texts, evenly spaced: a million pairs say what more would say
QUANTILES = (0.05, 0.5, 0.95)


class Unrelated(NamedTuple):
    """The cosines of pairs of texts of different clusters.

    Attributes:
        cosines: (P,) in rising order, each pair once.
        texts: How many texts they are of.
    """

    cosines: np.ndarray
    texts: int

    def quantiles(self) -> list[float]:
        """The 5th, 50th and 95th percentile."""
        return [float(one) for one in np.quantile(self.cosines, QUANTILES)]

    def percentile(self, value: float) -> float:
        """Return the share of pairs less similar than `value`, 0 to 1; ties count half."""
        below, upto = (np.searchsorted(self.cosines, value, side) for side in ("left", "right"))
        return float((below + upto) / 2 / len(self.cosines))

    def auc(self, values: Sequence[float]) -> float:
        """Return the probability that a value is above a pair of unrelated texts, 0 to 1."""
        return float(np.mean([self.percentile(value) for value in values]))


def unrelated(vectors: np.ndarray, cluster: np.ndarray) -> Unrelated | None:
    """Return the cosines of all pairs of texts from different clusters; None without pairs.

    `vectors` is (n, d), and `cluster` (n,) the index of each text's cluster.
    """
    step = max(1, -(-len(vectors) // AT_MOST))
    vectors, cluster = np.asarray(vectors, float)[::step], np.asarray(cluster)[::step]
    lengths = np.linalg.norm(vectors, axis=1) if len(vectors) else np.zeros(0)
    vectors, cluster = vectors[lengths > NEGLIGIBLE], cluster[lengths > NEGLIGIBLE]
    if len(set(cluster.tolist())) < 2:
        return None
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    apart = np.triu(cluster[:, None] != cluster[None, :], 1)
    cosines = np.clip((directions @ directions.T)[apart], -1, 1)
    return Unrelated(np.sort(cosines), len(vectors))
