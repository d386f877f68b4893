"""Member: one figure of a family whose limits hold together, as sums per question."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.clustered import clustered_variance
from concord.stats.core.tables import NEGLIGIBLE, ratio


class Member(NamedTuple):
    """One figure of a family, as sums per question.

    Attributes:
        kind: `share`, `difference` or `kappa`.
        rows: (G, C) sums; the first column is what is averaged (for kappa the squared distance),
            the second the weight of the answers, and kappa has three more (see `kappa`).
        answers: How many equally weighted answers a share rests on; of no use elsewhere.
        distance: The squared length of the scale; of use for kappa alone.
    """

    kind: str
    rows: np.ndarray
    answers: float = 0.0
    distance: float = 1.0

    @property
    def value(self) -> float:
        """The figure over all questions; NaN where it is undefined."""
        return float(statistic(self.kind, self.rows.sum(axis=0)))

    @property
    def used(self) -> np.ndarray:
        """The rows of the questions that have answers."""
        return self.rows[self.rows[:, 1] > NEGLIGIBLE]

    @property
    def moved(self) -> int:
        """Number of questions that could move a difference off 0, or a kappa off 0 or 1."""
        return int((np.abs(self.used[:, 0]) > NEGLIGIBLE).sum())

    @property
    def spread(self) -> float:
        """Standard error: CR1 over questions; for kappa the delete-one-question jackknife."""
        rows = self.used
        if self.kind != "kappa":
            return float(np.sqrt(clustered_variance(rows[:, 0], rows[:, 1])))
        deleted = statistic("kappa", rows.sum(axis=0) - rows)
        deleted = deleted[~np.isnan(deleted)]
        return float(np.sqrt((len(rows) - 1) * deleted.var()))


def share(hits: np.ndarray, base: np.ndarray, answers: float) -> Member:
    """A share of answers, from (G,) summed weights of those that hit and of all."""
    return Member("share", np.stack([hits, base], axis=1), answers)


def difference(one: np.ndarray, other: np.ndarray, base: np.ndarray) -> Member:
    """The share `one` minus the share `other` on the same answers, from (G,) summed weights."""
    apart = one - other
    apart[np.abs(apart) < NEGLIGIBLE] = 0
    return Member("difference", np.stack([apart, base], axis=1))


def kappa(tables: np.ndarray, scale: Sequence[int]) -> Member:
    """Quadratic kappa, from (G, K, K) tables per question, rows = annotator, columns = judge."""
    steps = np.asarray(scale, float) - scale[0]
    annotator, judge = tables.sum(axis=2), tables.sum(axis=1)
    squared = (steps[:, None] - steps[None, :]) ** 2
    columns = [
        (tables * squared).sum(axis=(1, 2)),
        tables.sum(axis=(1, 2)),
        annotator @ steps,
        judge @ steps,
        (annotator + judge) @ steps**2,
    ]
    return Member("kappa", np.stack(columns, axis=1), distance=float(squared.max()))


def statistic(kind: str, sums: np.ndarray) -> np.ndarray:
    """The figure of sums (..., C) over questions; NaN where it is undefined."""
    if kind != "kappa":
        return ratio(sums[..., 0], sums[..., 1])
    apart, base, annotator, judge, squares = np.moveaxis(sums, -1, 0)
    expected = ratio(squares, base) - 2 * ratio(annotator, base) * ratio(judge, base)
    return 1 - ratio(ratio(apart, base), expected)
