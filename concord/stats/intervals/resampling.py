"""Draws: resamples of whole questions, made once and shared by all figures."""

from dataclasses import dataclass, field

import numpy as np

RESAMPLES = 2000
SEED = 20231
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Draws:
    """Bootstrap resamples of questions; the same seed and number of questions give the same ones.

    Each resample draws G of the G questions with replacement. The counts are made on first use
    and kept while this object lives, so pass one object to all judges and criteria of a report.

    Attributes:
        resamples: How many.
        seed: Any whole number from 0; no global random state is read or changed.
        size: How many questions each resample draws, at most G; None for all G.
    """

    resamples: int = RESAMPLES
    seed: int = SEED
    size: int | None = None
    _made: dict[int, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    def counts(self, clusters: int) -> np.ndarray:
        """(resamples, clusters) how often each question was drawn; read-only, one byte each.

        A byte is enough: with many questions a count is Poisson(1), beyond 255 with odds of 1e-500.
        """
        if clusters not in self._made:
            self._made[clusters] = self._draw(clusters)
        return self._made[clusters]

    def totals(self, rows: np.ndarray) -> np.ndarray:
        """Sum over the drawn questions: (G, ...) per question becomes (resamples, ...).

        One matrix product in blocks of bounded memory. To resample several judges together (the
        same draw for all, and less work) put them side by side along a trailing axis.
        """
        clusters = len(rows)
        flat = np.ascontiguousarray(rows, float).reshape(clusters, -1)
        totals = np.empty((self.resamples, flat.shape[1]))
        for block in self._blocks(clusters):
            np.matmul(self.counts(clusters)[block].astype(float), flat, out=totals[block])
        return totals.reshape(self.resamples, *rows.shape[1:])

    def _draw(self, clusters: int) -> np.ndarray:
        size = clusters if self.size is None else self.size
        if size > clusters:
            raise ValueError(f"a resample of {size} cannot be drawn from {clusters} questions")
        random = np.random.default_rng([self.seed, clusters])
        counts = np.empty((self.resamples, clusters), np.uint8)
        for row in counts:
            drawn = random.integers(0, clusters, size, dtype=np.int32)
            row[:] = np.bincount(drawn, minlength=clusters)
        counts.flags.writeable = False
        return counts

    def _blocks(self, clusters: int) -> list[slice]:
        size = max(1, _CELLS_AT_ONCE // max(1, clusters))
        starts = range(0, self.resamples, size)
        return [slice(start, min(start + size, self.resamples)) for start in starts]
