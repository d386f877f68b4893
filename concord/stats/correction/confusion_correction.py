"""Confusion matrix correction of a score distribution for a judge's errors.

Column s of a confusion matrix says which scores a judge gives to answers that annotators score s.
If it is the same elsewhere, the judge's spread b there is the annotators' spread pi seen through
it, M pi = b, which is solved for pi by least squares among the spreads (no share below 0, sum 1).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from concord.stats.core.estimate import Why, reason
from concord.stats.core.minimums import SCORE_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, ratio

CONDITION_LIMIT = 20.0
UNSEEN = reason("score_too_rare", n=SCORE_FLOOR)
SINGULAR = reason("confusion_matrix_singular")
_HEAVY = 1e4


class Corrected(NamedTuple):
    """The annotators' score distribution, estimated from the judge's.

    Attributes:
        shares: (K,) share of each score, none below 0, sum 1; None where undefined.
        condition: Condition number of the matrix (2-norm); None where it has an empty column.
        why_none: Why `shares` is None.
    """

    shares: np.ndarray | None
    condition: float | None
    why_none: Why | None = None


def corrected(table: np.ndarray, judged: np.ndarray) -> Corrected:
    """Return the annotators' score distribution where the judge's is `judged`.

    Undefined where annotators gave a score to fewer than 10 of the answers behind the table, and
    where the condition number is above 20, which amplifies errors of the matrix.

    Args:
        table: (K, K) summed weights, rows = annotator, columns = judge.
        judged: (K,) summed weights of the judge's scores where annotators' are unknown.
    """
    if (table.sum(axis=1) < SCORE_FLOOR).any():
        return Corrected(None, None, UNSEEN)
    matrix = rates(table)
    condition = float(np.linalg.cond(matrix))
    if not condition <= CONDITION_LIMIT:
        return Corrected(None, condition, SINGULAR)
    return Corrected(spread(matrix, judged / judged.sum()), condition)


def means(tables: np.ndarray, judged: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return the corrected mean score of several sets of answers, for resampled sums at once.

    Args:
        tables: (..., K, K) summed weights, rows = annotator, columns = judge.
        judged: (..., M, K) how often the judge gives each score in each of M sets.
        scale: The K scores.

    Returns:
        (..., M); NaN for an empty set, and where the matrix is near singular or a score is unseen.
    """
    size, sets = tables.shape[-1], judged.shape[-2]
    flat, counts = tables.reshape(-1, size, size), judged.reshape(-1, sets, size)
    matrix = np.swapaxes(ratio(flat, flat.sum(axis=-1, keepdims=True)), -1, -2)
    usable = np.isfinite(matrix).all(axis=(-2, -1))
    # The condition number of a matrix with NaN is an error, so those are left out first.
    usable[usable] = np.linalg.cond(matrix[usable]) <= CONDITION_LIMIT
    shares = np.full(counts.shape, np.nan)
    seen = ratio(counts, counts.sum(axis=-1, keepdims=True))
    shares[usable] = np.swapaxes(
        np.linalg.solve(matrix[usable], np.swapaxes(seen[usable], -1, -2)), -1, -2
    )
    # One by one: few resamples leave the simplex, and the least squares are slow.
    for place in zip(*np.nonzero((shares < -NEGLIGIBLE).any(axis=-1)), strict=True):
        shares[place] = spread(matrix[place[0]], seen[place])
    return (shares @ np.asarray(scale)).reshape(judged.shape[:-1])


def rates(table: np.ndarray) -> np.ndarray:
    """(K, K) M[j, s]: of the answers annotators score s, the share the judge scores j.

    Columns sum to 1; one is NaN where annotators never give that score.
    """
    return (table / table.sum(axis=1, keepdims=True)).T


def spread(matrix: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """Return the distribution pi nearest to M pi = b by least squares; exact where feasible.

    Since the columns of M and b add up to 1, so does the solution of M pi = b; where it has a share
    below 0 the sum is held by a heavy equation of its own.

    The columns of `matrix` (K, K) add up to 1, as does `judged` (K,).
    """
    exact = np.linalg.solve(matrix, judged)
    if (exact >= -NEGLIGIBLE).all():
        return np.maximum(exact, 0)
    heavy = np.full((1, len(judged)), _HEAVY)
    shares, _ = nnls(np.vstack([matrix, heavy]), np.append(judged, _HEAVY))
    return shares / shares.sum()
