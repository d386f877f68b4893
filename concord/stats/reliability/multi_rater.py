"""Ratings: agreement of any number of graders at once, any of whose scores may be missing.

Two graders, or a judge against each of several annotators, are `coefficients`; this is the
reliability of a whole panel.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from concord.stats.agreement import coefficients
from concord.stats.core.estimate import Estimate, reason
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.resampling import FISHER, jackknife, leave_out

NOTHING_SHARED = reason("scores_equal_or_single")


def krippendorff_alpha(
    ratings: np.ndarray,
    scale: Sequence[int],
    metric: str = "ordinal",
    cluster: np.ndarray | None = None,
) -> Estimate:
    """Return Krippendorff's alpha with its question jackknife interval.

    Answers with fewer than two scores are left out. Source: Krippendorff (2011), Computing
    Krippendorff's alpha-reliability.

    Args:
        ratings: (graders, n) scores, NaN where missing.
        scale: All scores of the rubric, rising.
        metric: "ordinal" (ranks by frequency of use) or "interval".
        cluster: (n,) index of each answer's cluster, or None for one cluster per answer.
    """
    counts, cluster = _score_counts(ratings, scale, cluster)
    number = counts.sum(axis=1)
    counts, number, cluster = counts[number > 1], number[number > 1], cluster[number > 1]
    ordered = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(scale))
    # `agreement` puts a table and its mirror together; these tables are both already.
    tables = _by_question(ordered / (2 * (number - 1))[:, None, None], cluster)
    statistic = partial(coefficients.krippendorff_alpha, scale=scale, metric=metric)
    return jackknife(leave_out(tables), statistic, FISHER, why_none=NOTHING_SHARED)


def gwet_ac2(
    ratings: np.ndarray, scale: Sequence[int], cluster: np.ndarray | None = None
) -> Estimate:
    """Return Gwet's AC2 (quadratic weights) with its question jackknife interval.

    Agreement over answers with two or more scores, use of the scores over answers with one or more.
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, ch. 5.

    Args:
        ratings: (graders, n) scores, NaN where missing.
        scale: All scores of the rubric, rising.
        cluster: (n,) index of each answer's cluster, or None for one cluster per answer.
    """
    counts, cluster = _score_counts(ratings, scale, cluster)
    number = counts.sum(axis=1)
    near = counts @ (1 - coefficients.disagreement(scale, "quadratic"))
    agreed = (counts * (near - 1)).sum(axis=1) / np.maximum(1, number * (number - 1))
    terms = np.column_stack([number > 1, agreed, number > 0, ratio(counts, number[:, None])])
    rows = _by_question(np.nan_to_num(terms), cluster)

    def statistic(sums: np.ndarray) -> np.ndarray:
        used = ratio(sums[..., 3:], sums[..., 2:3])
        return coefficients.gwet(ratio(sums[..., 1], sums[..., 0]), used, scale)

    return jackknife(leave_out(rows, 0), statistic, FISHER, why_none=NOTHING_SHARED)


def _score_counts(
    ratings: np.ndarray, scale: Sequence[int], cluster: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(n, K) how often each score was given to each answer, and the answers' clusters."""
    counts = np.stack([(ratings == score).sum(axis=0) for score in scale], axis=-1).astype(float)
    return counts, np.arange(len(counts)) if cluster is None else np.asarray(cluster)


def _by_question(terms: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """(G, ...) sums of (n, ...) terms; one empty question where there is no answer."""
    if len(terms) == 0:
        return np.zeros((1, *terms.shape[1:]))
    questions, group = ranked(cluster)
    sums = np.zeros((questions, *terms.shape[1:]))
    np.add.at(sums, group, terms)
    return sums
