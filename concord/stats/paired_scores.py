"""Paired scores: the weighted pairs of two graders, summed per question once for all statistics."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from concord.stats.agreement import coefficients
from concord.stats.composite import question_moments
from concord.stats.core.clustered import kish
from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.estimate import Estimate
from concord.stats.core.inclusion_weights import largest
from concord.stats.core.names import term
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import DistinctSums, alike, distinct, ranked
from concord.stats.intervals.resampling import (
    PLAIN,
    LeftOut,
    Statistic,
    Stretch,
    jackknife,
    leave_out,
)
from concord.stats.intervals.wilson import proportion

_CELLS = 100_000
_FEW_GROUPS = 20


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
    def weights(self) -> np.ndarray:
        """The summed weight of each item."""
        return self.pairs.item_weights()

    @cached_property
    def heaviest(self) -> float | None:
        """The largest weight of an item; None where all weigh the same."""
        return largest(self.weights)

    @cached_property
    def failed_by_annotator(self) -> np.ndarray:
        """(n,) which annotators' scores fail."""
        return np.isin(self.pairs.annotator, list(self.failing))

    @cached_property
    def failed_by_judge(self) -> np.ndarray:
        """(n,) which of the judge's scores fail."""
        return np.isin(self.pairs.judge, list(self.failing))

    @cached_property
    def tables(self) -> DistinctSums:
        """The (K, K) tables of the questions, rows = annotator, columns = judge."""
        return alike(self.pairs.tables(self.scale))

    @cached_property
    def left_out(self) -> LeftOut:
        """The same summed over all questions and over all but one."""
        return leave_out(self.tables, self.confidence)

    @cached_property
    def apart(self) -> np.ndarray:
        """(K, K) absolute differences of scores."""
        return coefficients.differences(self.scale)

    def fails(self) -> np.ndarray:
        """(K,) which scores of the scale fail."""
        return np.isin(np.asarray(self.scale), list(self.failing))

    def share(self, hit: np.ndarray) -> Estimate:
        """The share of the weight in the (K, K) cells that hit, with Wilson's interval.

        With the floor of the design effect that a decision has, so the same grades have the same
        interval there. Pairs of annotators are not independent of one another, so theirs is 1.
        """
        return self.share_of(hit)

    def share_of(self, hit: np.ndarray, inflation: float = 1.0) -> Estimate:
        """The same, where the variance is so many times as large as that over questions."""
        weight, heaviest = self.weights, self.heaviest
        answers = len(weight) if heaviest is None else kish(weight)
        cells = self.tables.rows.reshape(len(self.tables.rows), -1)
        hits = cells @ hit.ravel().astype(float)
        base, times = cells.sum(axis=1), self.tables.times
        each = 1.0 if self.between_annotators else len(self.pairs.item) / len(weight)
        return proportion(hits, base, answers, heaviest, times, self.confidence, each, inflation)


@dataclass(frozen=True, eq=False)
class PairedComposites:
    """Composites, weighted means of criteria, by two graders: real numbers and no scores.

    Attributes:
        pairs: The weighted pairs; a composite exists only where all criteria are scored.
        between_annotators: As of `PairedScores`.
        denominator: What composites are whole multiples of one over; only for `left_out`.
    """

    pairs: Pairs
    between_annotators: bool
    denominator: int = 0

    @property
    def count(self) -> int:
        """Number of answers, however many annotators graded each."""
        return distinct(self.pairs.item)

    @cached_property
    def moments(self) -> LeftOut:
        """The `question_moments`, summed over all questions and over all but one."""
        return leave_out(question_moments(self.pairs))

    @cached_property
    def whole(self) -> Pairs:
        """The pairs as whole numbers: composites times the denominator."""
        return self.pairs._replace(
            judge=np.rint(self.pairs.judge * self.denominator).astype(int),
            annotator=np.rint(self.pairs.annotator * self.denominator).astype(int),
        )

    @cached_property
    def scale(self) -> np.ndarray:
        """The different values there are, times the denominator; each has a row and a column."""
        return np.union1d(self.whole.judge, self.whole.annotator)

    @cached_property
    def _groups(self) -> tuple[int, int, np.ndarray]:
        """Return the number of questions, of leave-out groups, and each question's group."""
        questions, rank = ranked(self.whole.cluster)
        groups = min(questions, max(_FEW_GROUPS, _CELLS // len(self.scale) ** 2))
        return questions, groups, rank % groups

    @cached_property
    def left_out(self) -> LeftOut:
        """Tables summed over all questions and over all but one.

        Where a sheet has so many questions that their tables would not fit, questions are left out
        in groups, dealt in turn.
        """
        grouped = self.whole._replace(cluster=self._groups[2])
        return leave_out(grouped.tables(self.scale))

    def ranked_figure(self, statistic: Statistic, stretch: Stretch) -> Estimate:
        """A figure of the tables with its jackknife interval; `method` names the groups."""
        found, (questions, groups, _) = jackknife(self.left_out, statistic, stretch), self._groups
        if groups == questions:
            return found
        method = term(
            "{method}; {questions:,} questions in {groups:,} groups",
            method=found.method,
            questions=questions,
            groups=groups,
        )
        return found._replace(method=method)


Paired = PairedScores | PairedComposites
Compute = Callable[[PairedScores], Estimate]
ComputeComposites = Callable[[PairedComposites], Estimate]


def resampled(statistic: Callable[..., np.ndarray], stretch: Stretch = PLAIN, **options) -> Compute:
    """Compute a function of (tables, scale) with the question jackknife."""

    def compute(paired: PairedScores) -> Estimate:
        return jackknife(
            paired.left_out, lambda tables: statistic(tables, paired.scale, **options), stretch
        )

    return compute


def resampled_ranks(
    statistic: Callable[..., np.ndarray], stretch: Stretch = PLAIN, **options
) -> ComputeComposites:
    """Compute a function of (tables, scale) of composites with the question jackknife."""

    def compute(paired: PairedComposites) -> Estimate:
        return paired.ranked_figure(
            lambda tables: statistic(tables, paired.scale, **options), stretch
        )

    return compute


def resampled_moments(statistic: Statistic, stretch: Stretch = PLAIN) -> ComputeComposites:
    """Compute a function of the moments of composites with the question jackknife."""
    return lambda paired: jackknife(paired.moments, statistic, stretch)
