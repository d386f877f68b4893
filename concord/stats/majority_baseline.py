"""Majority-class baseline: every statistic of the registry of always giving one score."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.paired_scores import PairedScores
from concord.stats.statistics import STATISTICS, Statistic

KEYS = (
    "score",
    *dict.fromkeys(
        key
        for one in STATISTICS
        for key in (one.key, one.baseline, one.baseline_score)
        if key != "score"
    ),
)


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
    share = annotators / annotators.sum()
    # Shares are sums of weights: equal ones may differ by rounding, and the lowest score wins.
    commonest = int(np.argmax(share > share.max() - NEGLIGIBLE))
    return MajorityClass(int(scale[commonest]), float(share[commonest]))


def every_statistic(
    annotators: np.ndarray, scale: Sequence[int], failing: Collection[int]
) -> dict[str, float | int | None]:
    """Return every statistic of a judge that always gives the commonest score.

    `annotators` is (K,) summed weights of their scores, of which one at least is above 0.

    Returns:
        The values by `key` and the commonest score by `score`. Of a statistic with `best_baseline`
        also the best value of any such judge, by `baseline`, and its score by `baseline_score`.
        None where a statistic is undefined, such as kappa where annotators gave one score alone.
    """
    always = {
        score: PairedScores.constant(score, annotators, scale, failing) for score in map(int, scale)
    }
    score = constant(annotators, scale).score
    found: dict[str, float | int | None] = {"score": score}
    for one in STATISTICS:
        found[one.key] = one.of_constant(always[score])
        if one.best_baseline:
            values = {score: one.of_constant(paired) for score, paired in always.items()}
            best = _best(one, values)
            found |= {one.baseline: values.get(best), one.baseline_score: best}
    return found


def _best(one: Statistic, values: Mapping[int, float | None]) -> int | None:
    """The score with the best value, the lowest of several; None where all are undefined."""
    known = {score: one.better(value) for score, value in values.items() if value is not None}
    return next((s for s, value in known.items() if value > max(known.values()) - NEGLIGIBLE), None)


def median(values: np.ndarray, weight: np.ndarray) -> float:
    """Return the weighted median, the constant with the least mean distance; the lower of two.

    Both are (n,), n at least 1; the weights are positive.
    """
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[order])
    # The tolerance keeps the lower median where rounding pushes half of the mass just below.
    return float(values[order][np.searchsorted(mass, mass[-1] / 2 - 1e-9)])
