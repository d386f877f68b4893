"""Failing verdicts against annotators': counts, balanced accuracy, F1, precision of refutations."""

from collections.abc import Collection
from typing import NamedTuple, Self

import numpy as np

from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, distinct, ratio
from concord.stats.intervals.wilson import proportion

NONE_FAILED = reason("no_failing_answer")
NONE_PASSED = reason("no_passing_answer")
NONE_CALLED = reason("no_failing_verdict")
NONE_SAID = reason("no_checked_verdict")


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

    @classmethod
    def of(cls, pairs: Pairs, failing: Collection[int]) -> Self:
        """Count the answers of some pairs, by the scores that fail."""
        by_annotator, by_judge = (
            np.isin(one, list(failing)) for one in (pairs.annotator, pairs.judge)
        )
        return cls(*(distinct(pairs.item[one]) for one in (by_annotator, ~by_annotator, by_judge)))


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
    """Return the share of refutations that are right, with Wilson's interval at the effective n.

    Both are (N,): where the refutation was confirmed, and the question, or document, of each.

    Returns:
        0 to 1; undefined where N is 0, the interval is withheld below 10 effective questions.
    """
    if len(right) == 0:
        return undefined(NONE_SAID)
    _, place = np.unique(cluster, return_inverse=True)
    return proportion(np.bincount(place, right), np.bincount(place).astype(float))
