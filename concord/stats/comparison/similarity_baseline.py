"""Similarity baseline: similarity of unrelated texts, and which pairs exceed it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.tables import NEGLIGIBLE

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
