"""Paired scores: the weighted pairs of two graders, summed per question once for all statistics."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from concord.stats.agreement import coefficients
from concord.stats.continuous import question_moments
from concord.stats.core.estimate import CONFIDENCE, Estimate, Why, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import (
    NEGLIGIBLE,
    DistinctSums,
    alike,
    distinct,
    effective_number,
)
from concord.stats.intervals.resampling import (
    PLAIN,
    LeftOut,
    Statistic,
    Stretch,
    jackknife,
    leave_out,
)
from concord.stats.intervals.wilson import proportion

NOTHING = reason("nothing_to_count")


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores of one criterion by two graders.

    Attributes:
        pairs: The weighted pairs.
        between_annotators: The pairs come from `annotators_pairs`, so each is there in both orders.
        scale: All scores of the rubric, rising.
        failing: The scores that fail.
        confidence: Level of the intervals.
    """

    pairs: Pairs
    between_annotators: bool
    scale: Sequence[int]
    failing: Sequence[int] = ()
    confidence: float = CONFIDENCE

    @classmethod
    def constant(
        cls, score: int, annotators: np.ndarray, scale: Sequence[int], failing: Sequence[int]
    ) -> Self:
        """A judge that always gives one score, with a pair for each score of annotators.

        For values alone: the (K,) summed weights of annotators' scores say nothing of questions.
        """
        given = np.flatnonzero(annotators > 0)
        pairs = Pairs(
            judge=np.full(len(given), score),
            annotator=np.asarray(scale)[given],
            weight=annotators[given],
            item=np.arange(len(given)),
            cluster=np.zeros(len(given), int),
        )
        return cls(pairs, False, scale, failing)

    @property
    def count(self) -> int:
        """Number of answers, however many annotators graded each."""
        return distinct(self.pairs.item)

    @cached_property
    def tables(self) -> DistinctSums:
        """The (K, K) tables of the questions, rows = annotator, columns = judge."""
        return alike(self.pairs.tables(self.scale))

    @cached_property
    def left_out(self) -> LeftOut:
        """The same summed over all questions and over all but one."""
        found = leave_out(self.tables, confidence=self.confidence)
        return replace(found, units=float(effective_number(self.pairs.weight)))

    def figure(self, statistic: Statistic, stretch: Stretch) -> Estimate:
        """A figure of the tables with its jackknife interval."""
        return jackknife(self.left_out, statistic, stretch)

    @cached_property
    def apart(self) -> np.ndarray:
        """(K, K) absolute differences of scores."""
        return coefficients.differences(self.scale)

    @cached_property
    def fails(self) -> np.ndarray:
        """(K,) which scores of the scale fail."""
        return np.isin(np.asarray(self.scale), list(self.failing))

    @property
    def annotator_fails(self) -> np.ndarray:
        """(K, K) in which cells the annotator's score fails."""
        return np.repeat(self.fails[:, None], len(self.fails), axis=1)

    @property
    def judge_fails(self) -> np.ndarray:
        """(K, K) in which cells the judge's score fails."""
        return self.annotator_fails.T

    @cached_property
    def squares(self) -> np.ndarray:
        """(K, K) summed squared weights of the pairs."""
        together = np.zeros_like(self.pairs.cluster)
        return self.pairs._replace(weight=self.pairs.weight**2, cluster=together).tables(
            self.scale
        )[0]

    def share(
        self,
        hit: np.ndarray,
        of: np.ndarray | None = None,
        why_none: Why = NOTHING,
        inflation: float = 1.0,
    ) -> Estimate:
        """The share of the weight in some (K, K) cells that hits, with Wilson's interval.

        With several annotators every pair of scores is an answer of its own, as alike as those of a
        question are.

        Args:
            hit: The cells that hit.
            of: Those it is a share of, all by default; undefined where they are empty.
            why_none: The reason given then.
            inflation: How many times as large the variance is as that over questions.
        """
        of = np.ones(hit.shape, bool) if of is None else of
        cells = self.tables.rows.reshape(len(self.tables.rows), -1)
        hits, base = (cells @ one.ravel().astype(float) for one in (hit & of, of))
        times, weight = self.tables.times, (self.tables.times * base).sum()
        if weight < NEGLIGIBLE:
            return undefined(why_none)
        units = float(weight**2 / self.squares[of].sum())
        return proportion(hits, base, units, times, self.confidence, inflation)


@dataclass(frozen=True, eq=False)
class PairedComposites:
    """Composites, weighted means of criteria, by two graders: real numbers and no scores.

    Attributes:
        pairs: The weighted pairs; a composite exists only where all criteria are scored.
        between_annotators: As of `PairedScores`.
    """

    pairs: Pairs
    between_annotators: bool

    @property
    def count(self) -> int:
        """Number of answers, however many annotators graded each."""
        return distinct(self.pairs.item)

    @cached_property
    def moments(self) -> LeftOut:
        """The `question_moments`, summed over all questions and over all but one."""
        return leave_out(question_moments(self.pairs), 0)


Paired = PairedScores | PairedComposites
Compute = Callable[[PairedScores], Estimate]
ComputeComposites = Callable[[PairedComposites], Estimate]


def resampled(statistic: Callable[..., np.ndarray], stretch: Stretch = PLAIN, **options) -> Compute:
    """Compute a function of (tables, scale) with the question jackknife."""
    return lambda paired: paired.figure(
        lambda tables: statistic(tables, paired.scale, **options), stretch
    )


def resampled_moments(statistic: Statistic, stretch: Stretch = PLAIN) -> ComputeComposites:
    """Compute a function of the moments of composites with the question jackknife."""
    return lambda paired: jackknife(paired.moments, statistic, stretch)
