"""Caught: of the answers people failed, the share the judge failed too."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from stats.clustered import kish
from stats.estimate import Estimate, undefined
from stats.inclusion import largest
from stats.pairs import Pairs
from stats.wilson import proportion
from words.said import said

NONE_FAILED = said("people failed no answer")
NONE_CALLED = said("the judge failed nothing that people graded")


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
    failed = np.flatnonzero(np.isin(pairs.person, list(failing)))
    if len(failed) == 0:
        return Caught(undefined(NONE_FAILED), 0, 0.0)
    weight, cluster = pairs.weight[failed], pairs.cluster[failed]
    base = np.bincount(cluster, weights=weight)
    hits = np.bincount(cluster, weights=weight * np.isin(pairs.judge[failed], list(failing)))
    by_item = np.bincount(pairs.item[failed], weights=weight)
    by_item = by_item[by_item > 0]
    share = proportion(hits, base, kish(by_item), largest(pairs.item_weights()))
    return Caught(share, len(by_item), float(by_item.sum()))


def rightly(pairs: Pairs, failing: Collection[int]) -> Caught:
    """Of what the judge failed, how much people failed too: the precision whose recall is `caught`.

    The same with the two sides exchanged; `items` and `weight` are of what the judge failed.
    """
    found = caught(pairs._replace(judge=pairs.person, person=pairs.judge), failing)
    return found if found.items else found._replace(share=undefined(NONE_CALLED))
