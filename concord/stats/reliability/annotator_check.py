"""Annotator check: annotators whose scores disagree with the others', or equal a judge's.

Two warnings, from 30 shared answers to 10 questions on. `lowest`: the upper confidence limit of
exact agreement with the others lies below the lower limit of every other annotator. `chance`:
quadratic kappa with the others is not above 0 (lower limit), while the data suffice to tell: that
of the others with one another is above 0 (lower limit) and above the annotator's upper limit.

A third one, `copied`: on the answers shared with other annotators the scores equal a judge's on 98%
or more, and exact agreement with the judge has its lower limit above the upper limit of that with
the others. It is also meant for two annotators.

Measured by `benchmarks/annotators.py` (docs/statistics.md): an honest annotator in a campaign of
five is warned of in at most 2.4% of cases, mostly in far fewer.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import ANNOTATOR_FLOOR
from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.statistics import figures

LOWEST, CHANCE, COPIED = "lowest", "chance", "copied"
_ALIKE = 0.98


class Check(NamedTuple):
    """One annotator compared with the others, on the answers they share.

    Attributes:
        answers: Number of shared answers.
        exact: Exact agreement with the others.
        qwk: Quadratic-weighted kappa (QWK) with the others.
        least: The lowest lower limit of any other annotator's `exact`; None below two others.
        others: QWK of the others among themselves; None where it is not needed.
        warnings: `lowest`, `chance`, both or none.
    """

    answers: int
    exact: Estimate
    qwk: Estimate
    least: float | None
    others: Estimate | None
    warnings: tuple[str, ...]


class Copied(NamedTuple):
    """An annotator whose scores equal a judge's.

    Attributes:
        judge: The place of the judge.
        answers: Number of answers that the annotator shares with the judge and another annotator.
        same: On how many of these the two scores are equal.
        exact: Exact agreement with the judge.
        qwk: Quadratic-weighted kappa (QWK) with the judge.
        others: Exact agreement with the other annotators on the same answers.
    """

    judge: int
    answers: int
    same: int
    exact: Estimate
    qwk: Estimate
    others: Estimate


class _Ratings(NamedTuple):
    """Scores as a list: who gave which answer which score."""

    who: np.ndarray
    item: np.ndarray
    score: np.ndarray
    cluster: np.ndarray
    scale: Sequence[int]
    weight: np.ndarray | None

    def compared_with_others(self, one: int) -> tuple[int, dict[str, Estimate]]:
        """Return the number of answers shared with others, and the agreement on them."""
        mine = self.who == one
        own, theirs = ((self.item[part], self.score[part]) for part in (mine, ~mine))
        pairs = judge_pairs(*own, *theirs, self.cluster)
        return len(np.unique(pairs.item)), self._figures(pairs, False)

    def without(self, one: int) -> Estimate:
        """Quadratic kappa of all others with one another."""
        theirs = self.who != one
        pairs = annotators_pairs(self.item[theirs], self.score[theirs], self.cluster)
        return self._figures(pairs, True)["qwk"]

    def _figures(self, pairs: Pairs, between_annotators: bool) -> dict[str, Estimate]:
        weighed = pairs if self.weight is None else pairs.weighing(self.weight)
        return figures(weighed, self.scale, (), between_annotators, ("exact", "qwk"))


def check(
    ratings: np.ndarray,
    cluster: np.ndarray,
    scale: Sequence[int],
    weight: np.ndarray | None = None,
) -> list[Check]:
    """Check every annotator.

    Args:
        ratings: (annotators, n) scores, NaN where missing.
        cluster: (n,) cluster of each answer.
        scale: All scores of the rubric, rising.
        weight: (n,) weight of each answer, where inclusion probabilities are unequal.
    """
    listed = _listed(ratings, cluster, scale, weight)
    known = [listed.compared_with_others(one) for one in range(len(ratings))]
    lows = [found["exact"].low for _, found in known]
    return [_checked(listed, one, *known[one], lows) for one in range(len(ratings))]


def copied(
    ratings: np.ndarray,
    judges: np.ndarray,
    cluster: np.ndarray,
    scale: Sequence[int],
    weight: np.ndarray | None = None,
) -> list[Copied | None]:
    """Return for every annotator the judge whose scores theirs equal; None without one.

    Args:
        ratings: (annotators, n) scores, NaN where missing.
        judges: (judges, n) scores, NaN where missing.
        cluster: (n,) cluster of each answer.
        scale: All scores of the rubric, rising.
        weight: (n,) weight of each answer, where inclusion probabilities are unequal.
    """
    found = []
    for one, own in enumerate(ratings):
        shared = ~np.isnan(own) & (~np.isnan(np.delete(ratings, one, axis=0))).any(axis=0)
        alike = [
            (np.mean(own[both] == judge[both]), -place, both)
            for place, judge in enumerate(judges)
            if (both := shared & ~np.isnan(judge)).sum() >= ANNOTATOR_FLOOR
        ]
        share, place, both = max(alike, key=lambda each: each[:2], default=(0.0, 0, shared))
        # Always the same score is no trace of a copy: it equals any judge on easy answers.
        suspect = share >= _ALIKE and len(np.unique(own[both])) > 1
        found.append(_copied(ratings, judges, one, -place, both, (cluster, scale, weight))
                     if suspect else None)  # fmt: skip
    return found


def _copied(
    ratings: np.ndarray,
    judges: np.ndarray,
    one: int,
    place: int,
    both: np.ndarray,
    of: tuple[np.ndarray, Sequence[int], np.ndarray | None],
) -> Copied | None:
    cluster, scale, weight = of
    rest = (cluster[both], scale, None if weight is None else weight[both])
    pair = np.stack([ratings[one, both], judges[place, both]])
    answers, with_judge = _listed(pair, *rest).compared_with_others(0)
    others = _listed(ratings[:, both], *rest).compared_with_others(one)[1]["exact"]
    exact = with_judge["exact"]
    if None in (exact.low, others.high) or exact.low <= others.high:
        return None
    return Copied(place, answers, int((pair[0] == pair[1]).sum()), exact, with_judge["qwk"], others)


def _listed(
    ratings: np.ndarray, cluster: np.ndarray, scale: Sequence[int], weight: np.ndarray | None
) -> _Ratings:
    who, item = np.nonzero(~np.isnan(ratings))
    return _Ratings(who, item, ratings[who, item], cluster, scale, weight)


def _checked(
    listed: _Ratings,
    one: int,
    answers: int,
    found: dict[str, Estimate],
    lows: Sequence[float | None],
) -> Check:
    exact, qwk = found["exact"], found["qwk"]
    rest = [low for other, low in enumerate(lows) if other != one and low is not None]
    least = min(rest) if len(rest) > 1 else None
    if answers < ANNOTATOR_FLOOR or exact.high is None or least is None:
        return Check(answers, exact, qwk, least, None, ())
    lowest = (LOWEST,) if exact.high < least else ()
    low, high = _limits(qwk)
    if low is None or low > NEGLIGIBLE:
        return Check(answers, exact, qwk, least, None, lowest)
    others = listed.without(one)
    chance = (CHANCE,) if others.low is not None and others.low > 0 and high < others.value else ()
    return Check(answers, exact, qwk, least, others, lowest + chance)


def _limits(qwk: Estimate) -> tuple[float | None, float | None]:
    """The limits, or the figure itself where no question moves it: who always gives one score."""
    return (qwk.value, qwk.value) if qwk.low is None else (qwk.low, qwk.high)
