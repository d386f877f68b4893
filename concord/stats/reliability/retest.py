"""Reliability of a lone grader: how the same annotator grades the same answer a second time."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import figures

FIGURES = ("exact", "within_one", "qwk", "bias")


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
    """How often a grader repeats a score, with Wilson's interval at the effective n.

    Args:
        first: (n,) the first score of each answer graded twice.
        second: (n,) the second.
        cluster: (n,) cluster of each.
        scale: All scores of the rubric.
        weight: (n,) what each answer weighs, where answers were drawn with different chances.
    """
    weight = np.ones(len(first)) if weight is None else weight
    pairs = Pairs(second, first, weight, np.arange(len(first)), cluster)
    found = figures(pairs, scale, failing=(), names=FIGURES)
    return Reliability(len(first), *(found[name] for name in FIGURES))
