"""Scores of all judges by question, as the procedure of a decision tests them."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, Self

import numpy as np

from concord.stats.core.tables import NEGLIGIBLE, ratio


class Grades(NamedTuple):
    """Tables of one or of many simulated sheets, rows = annotator, columns = judge.

    Attributes:
        judges: (..., J, G, K, K) summed weights per judge and question, the reference judge first.
        shared: (..., J, G, K, K) of the answers that two annotators or more scored.
        annotators: (..., G, K, K) of the annotators with one another on these.
        scale: All scores, rising.
        failing: The scores that fail.
        squares: (..., J, G, K, K) summed squared weights of the same pairs of scores; None where
            all of them weigh 1.
        times: (..., G) whole numbers, how often a sheet holds each question, 0 for not at all;
            None for once. Simulated sheets share their tables and differ in this alone.
    """

    judges: np.ndarray
    shared: np.ndarray
    annotators: np.ndarray
    scale: Sequence[int]
    failing: Collection[int]
    squares: np.ndarray | None = None
    times: np.ndarray | None = None

    @property
    def fails(self) -> np.ndarray:
        """(K,) which scores fail."""
        return np.isin(np.asarray(self.scale), list(self.failing))

    @property
    def per_answer(self) -> float:
        """Mean number of annotators per answer."""
        return 1.0 if self.squares is None else float(self.judges.sum() / self.squares.sum())

    def by_judge(self) -> dict[str, np.ndarray]:
        """The tables that each judge has, by the name of their attribute."""
        names = ("judges", "shared", "squares")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def total(self, tables: np.ndarray | None = None) -> np.ndarray:
        """Return (..., J, K, K) the judges' tables, or others, of all questions together."""
        size, tables = len(self.scale), self.judges if tables is None else tables
        found = self.summed(tables.reshape(*tables.shape[:-2], size**2))
        return found.reshape(*found.shape[:-1], size, size)

    def units(self, cells: np.ndarray) -> np.ndarray:
        """Return (..., J) how many equally weighted pairs of scores there are in (K, K) cells."""
        weight = self.total()[..., cells].sum(axis=-1)
        if self.squares is None:
            return weight
        return ratio(weight**2, self.total(self.squares)[..., cells].sum(axis=-1))

    def summed(self, rows: np.ndarray) -> np.ndarray:
        """Return (..., J, F) sums of (..., J, G, F) rows over all questions."""
        if self.times is None:
            return rows.sum(axis=-2)
        return (self.times[..., None, None, :].astype(float) @ rows)[..., 0, :]

    def number(self, which: np.ndarray) -> np.ndarray:
        """Return (..., J) how many questions are among (..., J, G) of them."""
        return (which if self.times is None else which * self.times[..., None, :]).sum(axis=-1)

    def present(self, tables: np.ndarray) -> np.ndarray:
        """Return (..., J, G) which questions have an answer in (..., J, G, K, K) tables."""
        cells = tables.reshape(*tables.shape[:-2], len(self.scale) ** 2)
        found = cells @ np.ones(cells.shape[-1]) > NEGLIGIBLE  # much faster than sums over axes
        return found if self.times is None else found & (self.times[..., None, :] > 0)

    def sampled(self) -> Self:
        """Return simulated sheets each with its own questions, where these are few of all.

        What every sheet leaves out costs as much time as what it holds, and changes no figure.
        """
        held = self.times > 0
        most = held.sum(axis=-1).max()
        if 2 * most > held.shape[-1]:
            return self
        own = np.argsort(~held, axis=-1, kind="stable")[:, :most]
        made = {name: np.moveaxis(one[:, own], 0, 1) for name, one in self.by_judge().items()}
        times = np.take_along_axis(self.times, own, axis=-1)
        return self._replace(**made, annotators=self.annotators[own], times=times)
