"""Copied grades: annotators whose scores equal a judge's, and not the other annotators'."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.clustered import effective_number
from concord.stats.core.minimums import ANNOTATOR_FLOOR, OVERLAP_FLOOR
from concord.stats.core.pairs import judge_pairs
from concord.stats.statistics import figures

ALIKE = 0.98
SCORES_IN_USE = 3


class EqualScores(NamedTuple):
    """A judge, by place, whose scores equal an annotator's on `same` of `answers`."""

    judge: int
    answers: int
    same: int


def copied(
    ratings: np.ndarray, judges: np.ndarray, cluster: np.ndarray, scale: Sequence[int]
) -> list[EqualScores | None]:
    """Return for every annotator the judge whose scores theirs equal; None without one.

    Where another annotator scored answers to 10 effective questions of theirs, 98% are equal on 30
    or more of the shared answers, with two scores or more in use, and the lower confidence limit of
    exact agreement with the judge lies above the upper limit of that with the other annotators.
    With less overlap nobody else tells: then 98% of 30 answers with three scores in use suffice.

    Args:
        ratings: (annotators, n) scores, NaN where missing.
        judges: (judges, n) scores, NaN where missing.
        cluster: (n,) cluster of each answer.
        scale: All scores of the rubric, rising.
    """

    def limits(own: np.ndarray, others: np.ndarray, on: np.ndarray) -> tuple:
        mine = np.flatnonzero(on & ~np.isnan(own))
        _, place = np.nonzero(~np.isnan(others[:, mine]))
        score = others[:, mine][~np.isnan(others[:, mine])]
        pairs = judge_pairs(mine, own[mine], mine[place], score, cluster)
        exact = figures(pairs, scale, (), names=("exact",))["exact"]
        return exact.low, exact.high

    found: list[EqualScores | None] = []
    for one, own in enumerate(ratings):
        others = np.delete(ratings, one, axis=0)
        shared = ~np.isnan(own) & (~np.isnan(others)).any(axis=0)
        questions = np.bincount(cluster[shared])
        if not questions.any() or effective_number(questions) < OVERLAP_FLOOR:
            found.append(_equal(own, judges, SCORES_IN_USE))
            continue
        # Always the same score is no trace of a copy: it equals any judge on easy answers.
        equal = _equal(np.where(shared, own, np.nan), judges, 2)
        if equal:
            both = shared & ~np.isnan(judges[equal.judge])
            low, high = (
                limits(own, judges[equal.judge][None], both)[0],
                limits(own, others, both)[1],
            )
            equal = equal if None not in (low, high) and low > high else None
        found.append(equal)
    return found


def _equal(own: np.ndarray, judges: np.ndarray, scores_in_use: int) -> EqualScores | None:
    """Return the judge of most equal scores, if 98% of 30 answers or more are equal."""
    found = []
    for place, judge in enumerate(judges):
        both = ~np.isnan(own) & ~np.isnan(judge)
        answers, same = int(both.sum()), int((own == judge)[both].sum())
        varied = len(np.unique(own[both])) >= scores_in_use
        if answers >= ANNOTATOR_FLOOR and varied and same >= ALIKE * answers:
            found.append(EqualScores(place, answers, same))
    return max(found, key=lambda one: (one.same / one.answers, -one.judge), default=None)
