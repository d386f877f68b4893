"""Caught: of the answers people failed, the share the judge failed too."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from stats.estimate import Estimate, undefined
from stats.pairs import Pairs
from stats.table import ranked
from stats.wilson import kish, proportion


class Caught(NamedTuple):
    """The share caught and how much it rests on.

    Attributes:
        share: 0 to 1; undefined where people failed no answer.
        items: Answers that at least one person failed.
        weight: Answers failed, each counted by the share of its people who failed it; equal to
            `items` where one person graded or people agree.
    """

    share: Estimate
    items: int
    weight: float


def caught(pairs: Pairs, failing: Collection[int]) -> Caught:
    """How many of the answers people failed the judge failed too, with Wilson's interval.

    An answer counts by the share of its people who failed it, so one failed by one of two people is
    half a failing answer. The interval rests on the questions that hold failing answers.

    Args:
        pairs: The weighted pairs of judge and person.
        failing: The scores that fail.
    """
    failed = pairs.where(np.isin(pairs.person, list(failing)))
    if len(failed.item) == 0:
        return Caught(undefined("people failed no answer"), 0, 0.0)
    _, group = ranked(failed.cluster)
    base = np.bincount(group, weights=failed.weight)
    hits = np.bincount(group, weights=failed.weight * np.isin(failed.judge, list(failing)))
    _, item = ranked(failed.item)
    by_item = np.bincount(item, weights=failed.weight)
    share = proportion(hits, base, kish(by_item))
    return Caught(share, len(by_item), float(by_item.sum()))
