"""Lone annotator: scores that equal a judge's, where hardly anyone else has scored the answers."""

from typing import NamedTuple

import numpy as np

from concord.stats.core.clustered import effective_number
from concord.stats.core.minimums import ANNOTATOR_FLOOR, OVERLAP_FLOOR

ALIKE = 0.98
SCORES_IN_USE = 3


class EqualScores(NamedTuple):
    """A judge, by place, whose scores equal an annotator's on `same` of `answers`."""

    judge: int
    answers: int
    same: int


def equal_to_a_judge(
    own: np.ndarray, judges: np.ndarray, shared: np.ndarray, cluster: np.ndarray
) -> EqualScores | None:
    """Return the judge whose scores an annotator's equal; None without one, or with overlap.

    They do on 98% of 30 answers or more, with three scores or more in use. An annotator has
    overlap where another one scored answers to 10 effective questions of theirs: then agreement
    between annotators tells more.

    Args:
        own: (n,) the annotator's scores, NaN where missing.
        judges: (judges, n) scores, NaN where missing.
        shared: (n,) which of the annotator's answers another one scored too.
        cluster: (n,) cluster of each answer.
    """
    questions = np.bincount(cluster[shared])
    if questions.any() and effective_number(questions) >= OVERLAP_FLOOR:
        return None
    found = []
    for place, judge in enumerate(judges):
        both = ~np.isnan(own) & ~np.isnan(judge)
        answers, same = int(both.sum()), int((own == judge)[both].sum())
        varied = len(np.unique(own[both])) >= SCORES_IN_USE
        if answers >= ANNOTATOR_FLOOR and varied and same >= ALIKE * answers:
            found.append(EqualScores(place, answers, same))
    return max(found, key=lambda one: (one.same / one.answers, -one.judge), default=None)
