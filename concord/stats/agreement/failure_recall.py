"""Failing verdicts against annotators': recall, precision, false alarms, F1, balanced accuracy.

Also the precision of refutations.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from concord.stats.core.clustered import kish
from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.estimate import (
    QUESTION_FLOOR,
    TOO_FEW,
    Estimate,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.inclusion_weights import largest
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


def verdict_counts(pairs: Pairs, failing: Collection[int]) -> VerdictCounts:
    """Count the answers that annotators failed and passed, and those the judge failed."""
    fails = list(failing)
    by_annotator, by_judge = np.isin(pairs.annotator, fails), np.isin(pairs.judge, fails)
    chosen = (by_annotator, ~by_annotator, by_judge)
    return VerdictCounts(*(distinct(pairs.item[one]) for one in chosen))


def failure_recall(
    pairs: Pairs, failing: Collection[int], confidence: float = CONFIDENCE
) -> FailureRecall:
    """Return the recall of failing answers, with Wilson's interval.

    An answer counts by the share of its annotators who failed it: one failed by one of two
    annotators is half a failing answer. The interval uses only the questions that hold failing
    answers.
    """
    failed = np.flatnonzero(np.isin(pairs.annotator, list(failing)))
    if len(failed) == 0:
        return FailureRecall(undefined(NONE_FAILED), 0, 0.0)
    weight, cluster = pairs.weight[failed], pairs.cluster[failed]
    base = np.bincount(cluster, weights=weight)
    hits = np.bincount(cluster, weights=weight * np.isin(pairs.judge[failed], list(failing)))
    by_item = np.bincount(pairs.item[failed], weights=weight)
    by_item = by_item[by_item > 0]
    heaviest = largest(pairs.item_weights())
    share = proportion(hits, base, kish(by_item), heaviest, confidence=confidence)
    return FailureRecall(share, len(by_item), float(by_item.sum()))


def failure_precision(
    pairs: Pairs, failing: Collection[int], confidence: float = CONFIDENCE
) -> FailureRecall:
    """Share of the answers the judge failed that annotators failed too.

    `failure_recall` with the two sides exchanged; `items` and `weight` are of the judge's fails.
    """
    exchanged = pairs._replace(judge=pairs.annotator, annotator=pairs.judge)
    found = failure_recall(exchanged, failing, confidence)
    return found if found.items else found._replace(share=undefined(NONE_CALLED))


def false_alarm_rate(
    pairs: Pairs, failing: Collection[int], confidence: float = CONFIDENCE
) -> Estimate:
    """Return the share of passing answers that the judge failed, 0 to 1, with Wilson's interval.

    One minus specificity. An answer counts by the share of its annotators who passed it; undefined
    where annotators passed none.
    """
    passes = (~np.isin(pairs.annotator, list(failing))).astype(int)
    fails = np.isin(pairs.judge, list(failing)).astype(int)
    found = failure_recall(pairs._replace(annotator=passes, judge=fails), (1,), confidence)
    return found.share if found.items else undefined(NONE_PASSED)


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
    return with_interval(share, low, high, f"Wilson at n {len(right)}, a question each")
