"""Repeats: how an annotator grades the same answer a second time, and a judge does."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.core.pairs import Pairs, annotators_pairs
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.stats.statistics import figures

FIGURES = ("exact", "within_one", "qwk", "bias")
NOT_REPEATED = reason("no_repeated_answer")
TOO_FEW = reason("too_few_repeated_answers", n=PAIR_FLOOR)


class Reliability(NamedTuple):
    """Agreement of a grader with themselves, from hidden repeats.

    Attributes:
        n: Answers graded twice.
        exact: Share given the same score again.
        within_one: Share given a score within one point.
        qwk: Quadratic kappa between first and second grade; undefined below 30 answers.
        drift: Mean of second minus first; above 0 the grader became more lenient.
    """

    n: int
    exact: Estimate
    within_one: Estimate
    qwk: Estimate
    drift: Estimate


def reliability(
    first: np.ndarray,
    second: np.ndarray,
    cluster: np.ndarray,
    scale: Sequence[int],
    weight: np.ndarray | None = None,
) -> Reliability:
    """Return the test-retest agreement of a grader, with Wilson's interval at the effective n.

    Args:
        first: (n,) the first score of each answer graded twice.
        second: (n,) the second.
        cluster: (n,) cluster of each.
        scale: All scores of the rubric.
        weight: (n,) weight of each answer, where inclusion probabilities are unequal.
    """
    weight = np.ones(len(first)) if weight is None else weight
    pairs = Pairs(second, first, weight, np.arange(len(first)), cluster)
    found = figures(pairs, scale, failing=(), names=FIGURES)
    return Reliability(len(first), *(found[name] for name in FIGURES))


class Consistency(NamedTuple):
    """Agreement of a grader with itself over repeats of the same answers.

    Attributes:
        answers: How many answers were graded at least twice.
        repeats: The most repeats an answer has.
        exact: How often two repeats of an answer give the same score; 0 to 1.
        flips: How often two repeats are two or more points apart; 0 to 1.
        qwk: Quadratic kappa between repeats, in both orders; undefined below 30 answers.
        alpha: Krippendorff's alpha (interval) over all repeats; undefined below 30 answers.
    """

    answers: int
    repeats: int
    exact: Estimate
    flips: Estimate
    qwk: Estimate
    alpha: Estimate


def consistency(
    item: np.ndarray, score: np.ndarray, cluster: np.ndarray, scale: Sequence[int]
) -> Consistency:
    """Return the self-consistency of a grader over repeats, with question-level intervals.

    Args:
        item: (b,) items, one row per repeat; items graded once are left out.
        score: (b,) their scores.
        cluster: (N,) cluster of every item; `item` points into it.
        scale: All scores of the rubric, rising.
    """
    times = np.bincount(item, minlength=len(cluster))
    answers, repeats = int((times > 1).sum()), int(times.max(initial=0))
    if not answers:
        return Consistency(0, repeats, *[undefined(NOT_REPEATED)] * 4)
    pairs = annotators_pairs(item, score, cluster)
    found = figures(pairs, scale, (), between_annotators=True, names=("exact", "off_by_two", "qwk"))
    few = undefined(TOO_FEW) if answers < PAIR_FLOOR else None
    qwk, alpha = few or found["qwk"], few or _alpha(item, score, cluster, scale)
    return Consistency(answers, repeats, found["exact"], found["off_by_two"], qwk, alpha)


def _alpha(
    item: np.ndarray, score: np.ndarray, cluster: np.ndarray, scale: Sequence[int]
) -> Estimate:
    """Krippendorff's alpha over all repeats, an answer's repeats in whatever order."""
    order = np.argsort(item, kind="stable")
    item, score = item[order], score[order]
    times = np.bincount(item, minlength=len(cluster))
    place = np.arange(len(item)) - (np.cumsum(times) - times)[item]
    ratings = np.full((times.max(), len(cluster)), np.nan)
    ratings[place, item] = score
    return krippendorff_alpha(ratings, scale, "interval", cluster)
