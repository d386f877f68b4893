"""Failing verdicts against annotators': recall, precision, false alarms, F1, balanced accuracy.

Also the precision of refutations.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from concord.stats.core.clustered import kish
from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.estimate import (
    TOO_FEW,
    Estimate,
    Why,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.inclusion_weights import largest
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.names import term
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, distinct, ratio
from concord.stats.intervals.wilson import limits, proportion

NONE_FAILED = reason("no_failing_answer")
NONE_PASSED = reason("no_passing_answer")
NONE_CALLED = reason("no_failing_verdict")
NONE_SAID = reason("no_checked_verdict")
_QUANTILE = 1.959964


class FailureRecall(NamedTuple):
    """Recall of failing answers, with the number of failing answers.

    Attributes:
        share: 0 to 1; undefined where annotators failed no answer.
        items: Answers that at least one annotator failed.
        weight: Answers failed, each counted by the share of its annotators who failed it; equal to
            `items` where one annotator graded or annotators agree.
    """

    share: Estimate
    items: int
    weight: float


class VerdictCounts(NamedTuple):
    """Numbers of answers behind the figures of failing verdicts.

    Attributes:
        failing: Answers that at least one annotator failed.
        passing: Answers that at least one annotator passed.
        judge_failing: Answers with a score by an annotator that the judge failed; None where its
            grades are continuous numbers.
    """

    failing: int
    passing: int
    judge_failing: int | None


@dataclass(frozen=True, eq=False)
class FailingVerdicts:
    """Weighted pairs of a judge and annotators, by whether each side fails the answer.

    Attributes:
        by_annotator: (n,) which annotators' scores fail.
        by_judge: (n,) which of the judge's scores fail.
        heaviest: The largest weight of an item; None where all weigh the same.
        confidence: Level of the intervals.
    """

    pairs: Pairs
    by_annotator: np.ndarray
    by_judge: np.ndarray
    heaviest: float | None
    confidence: float = CONFIDENCE

    @classmethod
    def of(cls, pairs: Pairs, failing: Collection[int]) -> "FailingVerdicts":
        """The verdicts of pairs, by the scores that fail."""
        fails = list(failing)
        by_annotator, by_judge = np.isin(pairs.annotator, fails), np.isin(pairs.judge, fails)
        return cls(pairs, by_annotator, by_judge, largest(pairs.item_weights()))

    def counts(self) -> VerdictCounts:
        """Count the answers that annotators failed and passed, and those the judge failed."""
        chosen = (self.by_annotator, ~self.by_annotator, self.by_judge)
        return VerdictCounts(*(distinct(self.pairs.item[one]) for one in chosen))

    def recall(self) -> FailureRecall:
        """Return the recall of failing answers, with Wilson's interval.

        An answer counts by the share of its annotators who failed it: one failed by one of two
        annotators is half a failing answer. The interval uses only the questions that hold failing
        answers.
        """
        return self._share(self.by_annotator, self.by_judge, NONE_FAILED)

    def precision(self) -> FailureRecall:
        """Share of the answers the judge failed that annotators failed too.

        The recall with the two sides exchanged; `items` and `weight` are of the judge's fails.
        """
        return self._share(self.by_judge, self.by_annotator, NONE_CALLED)

    def false_alarm_rate(self) -> Estimate:
        """Return the share of passing answers that the judge failed, with Wilson's interval.

        One minus specificity. An answer counts by the share of its annotators who passed it;
        undefined where annotators passed none.
        """
        return self._share(~self.by_annotator, self.by_judge, NONE_PASSED).share

    def _share(self, chosen: np.ndarray, hit: np.ndarray, why_none: Why) -> FailureRecall:
        """The share of the chosen pairs' weight that hits; undefined where none is chosen."""
        rows = np.flatnonzero(chosen)
        if len(rows) == 0:
            return FailureRecall(undefined(why_none), 0, 0.0)
        weight, cluster = self.pairs.weight[rows], self.pairs.cluster[rows]
        base = np.bincount(cluster, weights=weight)
        hits = np.bincount(cluster, weights=weight * hit[rows])
        by_item = np.bincount(self.pairs.item[rows], weights=weight)
        by_item = by_item[by_item > 0]
        share = proportion(hits, base, kish(by_item), self.heaviest, confidence=self.confidence)
        return FailureRecall(share, len(by_item), float(by_item.sum()))


def balanced_accuracy(tables: np.ndarray, fails: np.ndarray) -> np.ndarray:
    """Return the mean of recall and specificity of failing verdicts, 0 to 1; 0.5 is chance.

    Args:
        tables: (..., K, K) summed weights, rows = annotator, columns = judge.
        fails: (K,) which scores fail.

    Returns:
        (...) NaN where annotators fail nothing or pass nothing.
    """
    by_annotator = tables.sum(axis=-1)
    recall = ratio(
        tables[..., fails, :][..., :, fails].sum(axis=(-2, -1)), by_annotator[..., fails].sum(-1)
    )
    specificity = ratio(
        tables[..., ~fails, :][..., :, ~fails].sum(axis=(-2, -1)), by_annotator[..., ~fails].sum(-1)
    )
    return (recall + specificity) / 2


def failure_f1(tables: np.ndarray, fails: np.ndarray) -> np.ndarray:
    """Return the F1 of failing verdicts: the harmonic mean of recall and precision, 0 to 1.

    Args:
        tables: (..., K, K) summed weights, rows = annotator, columns = judge.
        fails: (K,) which scores fail.

    Returns:
        (...) 2 * both fail / (annotator fails + judge fails); NaN where either fails nothing.
    """
    by_annotator = tables[..., fails, :].sum(axis=(-2, -1))
    by_judge = tables[..., :, fails].sum(axis=(-2, -1))
    both = tables[..., fails, :][..., :, fails].sum(axis=(-2, -1))
    found = ratio(2 * both, by_annotator + by_judge)
    return np.where((by_annotator > NEGLIGIBLE) & (by_judge > NEGLIGIBLE), found, np.nan)


def refutation_precision(right: np.ndarray, cluster: np.ndarray) -> Estimate:
    """Return the share of refutations that are right, with Wilson's interval.

    With one refutation per question they are independent, and the interval is Wilson's (1927) at
    their number; otherwise it is that of `wilson.proportion` at the effective number.

    Both are (N,): where the refutation was confirmed, and the question, or document, of each.

    Returns:
        0 to 1; undefined where N is 0, the interval is withheld below 10 questions.
    """
    if len(right) == 0:
        return undefined(NONE_SAID)
    _, place = np.unique(cluster, return_inverse=True)
    base = np.bincount(place).astype(float)
    hits = np.bincount(place, weights=right.astype(float))
    if len(base) < len(right):
        return proportion(hits, base, kish(np.ones(len(right))))
    share = float(right.mean())
    if len(base) < QUESTION_FLOOR:
        return without_interval(share, TOO_FEW)
    low, high = map(float, limits(share, len(right), _QUANTILE))
    return with_interval(share, low, high, term("Wilson at n {n}, a question each", n=len(right)))
