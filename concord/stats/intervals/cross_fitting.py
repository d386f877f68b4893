"""Cross-fitting: every question is scored by a fit to other questions, in five folds.

A sheet of other questions would have other fits, so the intervals repeat them: the questions are
left out of fitting and scoring alike, one at a time, or a fiftieth at a time where there are more,
and the others stay in their folds. This jackknife was chosen by simulation over one that takes the
fits as given, which falls short for recalibration, and over the bootstrap with repeated fits, whose
intervals are as wide and take five times as many fits; docs/statistics.md has the simulated
coverage.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Estimate, reason
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct
from concord.stats.intervals.resampling import SEED, LeftOut

FOLDS = 5
GROUPS = 10 * FOLDS  # a multiple, so that all questions of a group are in the same fold
TOO_FEW = reason("too_few_questions_for_map", n=FOLDS)
# From a mask of groups to learn from and the rows to apply it to, to (rows, ...) values.
Made = Callable[[np.ndarray, np.ndarray], np.ndarray]
# From (n,) weights and (n, ...) values to what figures are made of.
Sums = Callable[[np.ndarray, np.ndarray], np.ndarray]


class CrossFit(NamedTuple):
    """Cross-fitted values of pairs.

    Attributes:
        values: (n, ...) of each pair, by a fit that has not seen its question.
        group: (n,) from `groups`.
        left_out: The sums over all pairs, then without each group of questions, with the fits
            repeated; only the first below 10 questions.
        note: What the method of an interval says of it.
    """

    values: np.ndarray
    group: np.ndarray
    left_out: LeftOut
    note: str

    def noted(self, found: Estimate) -> Estimate:
        """A figure made of `left_out`, with the note in its method."""
        return found._replace(method=found.method and found.method + self.note)


def cross_fit(pairs: Pairs, group: np.ndarray, made: Made, sums: Sums) -> CrossFit:
    """Fit to all folds but one in turn, and again without each group.

    Args:
        pairs: Of 5 questions or more.
        group: (n,) from `groups`.
        made: Learns from the pairs of the groups in a mask, and returns the values of other rows.
        sums: Sums the values by weights, which are 0 for a group that is left out.
    """
    every = _cross_fitted(group, made)
    values, number = next(every), int(group.max()) + 1
    rows = [sums(pairs.weight, values)]
    if number >= QUESTION_FLOOR:
        for one, again in enumerate(every):
            rows.append(sums(pairs.weight * (group != one), again))
    note, questions = ", fits repeated", distinct(pairs.cluster)
    if number < questions:
        note += f"; {questions:,} questions in {number} groups"
    deleted = len(rows) - 1
    weights = np.bincount(group, pairs.weight)[None, :deleted]
    left_out = LeftOut(np.array(rows), np.ones(deleted), weights)
    return CrossFit(values, group, left_out, note)


def groups(cluster: np.ndarray, seed: int = SEED) -> np.ndarray:
    """(n,) the group of each row's question, which the jackknife leaves out; its fold is that % 5.

    The questions are dealt at random. Every question is a group, until there are more than
    `GROUPS`.
    """
    questions, rank = np.unique(cluster, return_inverse=True)
    number = len(questions)
    return np.random.default_rng([seed, number]).permutation(number)[rank] % min(GROUPS, number)


def folds(cluster: np.ndarray, seed: int = SEED) -> np.ndarray:
    """(n,) the fold of each row: questions dealt out at random, all rows of one together."""
    return groups(cluster, seed) % FOLDS


def _cross_fitted(group: np.ndarray, made: Made) -> Iterator[np.ndarray]:
    """Yield (n, ...) cross-fitted values: of all questions, then without each group in turn.

    A group that is left out is in no fit; its own values remain, to be left out of the sums.
    """
    every = np.arange(group.max() + 1)
    held_out = [every % FOLDS == one for one in range(FOLDS)]
    rows = [np.flatnonzero(own[group]) for own in held_out]
    parts = [made(~own, held) for own, held in zip(held_out, rows, strict=True)]
    order = np.argsort(np.concatenate(rows))
    yield np.concatenate(parts)[order]
    for one in every:
        # Its own fold was fitted without it anyway.
        again = [
            part if own[one] else made(~own & (every != one), held)
            for own, held, part in zip(held_out, rows, parts, strict=True)
        ]
        yield np.concatenate(again)[order]
