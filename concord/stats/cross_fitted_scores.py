"""Agreement of cross-fitted scores, with intervals that repeat the fits.

Figures of the summed tables have the jackknife of `cross_fitting`. Shares keep Wilson's interval;
their effective n is divided by how many times as large their jackknife variance is when the fits
are repeated.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from concord.stats.composite import question_moments
from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, ratio
from concord.stats.intervals.cross_fitting import CrossFit, Sums
from concord.stats.intervals.resampling import LeftOut
from concord.stats.paired_scores import PairedComposites, PairedScores
from concord.stats.statistics import BY_KEY


@dataclass(frozen=True, eq=False)
class CrossFittedScores(PairedScores):
    """Scores of one criterion by fits to other questions; `fitted` has the sums of `tables_of`."""

    fitted: CrossFit = field(kw_only=True)

    @cached_property
    def left_out(self) -> LeftOut:
        """The tables summed over all questions, and without each group with the fits repeated."""
        return self.fitted.left_out

    def share(self, hit: np.ndarray) -> Estimate:
        """The share of the weight in the (K, K) cells that hit, with Wilson's interval."""
        return super().share(hit, inflation=self._inflation(hit))

    def _inflation(self, hit: np.ndarray) -> float:
        if not len(self.left_out.deleted):
            return 1.0
        own = self.pairs._replace(cluster=self.fitted.group).tables(self.scale)
        repeated, given = (
            float(ratio(tables[:, hit].sum(axis=1), tables.sum(axis=(1, 2))).var())
            for tables in (self.left_out.deleted, self.left_out.total - own)
        )
        # Where all groups agree equally, nothing shows how much more that is.
        return max(1.0, repeated / given) if given > NEGLIGIBLE**2 else 1.0


@dataclass(frozen=True, eq=False)
class CrossFittedComposites(PairedComposites):
    """Numbers by fits to other questions; `fitted` has the sums of `moments_of`."""

    fitted: CrossFit = field(kw_only=True)

    @cached_property
    def moments(self) -> LeftOut:
        """Summed over all questions, and without each group with the fits repeated."""
        return self.fitted.left_out


def tables_of(pairs: Pairs, scale: Sequence[int]) -> Sums:
    """Sum scores to a (K, K) table: rows = annotator, columns = cross-fitted score."""
    together = pairs._replace(cluster=np.zeros_like(pairs.cluster))
    return lambda weight, scores: together._replace(weight=weight, judge=scores).tables(scale)[0]


def moments_of(pairs: Pairs) -> Sums:
    """Sum numbers to the (8,) moments that figures of composites are made of."""
    together = pairs._replace(cluster=np.zeros_like(pairs.cluster))
    return lambda weight, numbers: question_moments(
        together._replace(weight=weight, judge=numbers)
    )[0]


def figures(
    pairs: Pairs, fitted: CrossFit, scale: Sequence[int], names: Collection[str]
) -> dict[str, Estimate]:
    """Return statistics of cross-fitted scores by key.

    Args:
        pairs: That were fitted; the judge's own scores are not used.
        fitted: With the sums of `tables_of`.
        scale: All scores of the rubric, rising.
        names: Of shares of answers, errors, kappas and correlations of scores.
    """
    paired = CrossFittedScores(pairs._replace(judge=fitted.values), False, scale, fitted=fitted)
    return {key: fitted.noted(BY_KEY[key].of(paired)) for key in names}


def composite_figures(
    pairs: Pairs, fitted: CrossFit, names: Collection[str]
) -> dict[str, Estimate]:
    """Return `mae`, `bias` or `ccc` of cross-fitted numbers by key; `fitted` is of `moments_of`."""
    paired = CrossFittedComposites(pairs._replace(judge=fitted.values), False, fitted=fitted)
    return {key: fitted.noted(BY_KEY[key].of(paired)) for key in names}
