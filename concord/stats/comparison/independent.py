"""Independent: the difference of one figure between two sets of questions that share none."""

import numpy as np

from concord.stats.core.estimate import Estimate, undefined, with_interval, without_interval


def difference(one: Estimate, other: Estimate) -> Estimate:
    """`one` minus `other`, with limits recovered from the limits of the two (MOVER).

    Each side of the interval is as far from the difference as the two estimates' own limits on that
    side are from them, added in squares; so limits that are not symmetric stay so. Source: Zou and
    Donner (2008), Construction of confidence limits about effect measures.

    Args:
        one: An estimate with a 95 percent interval.
        other: The same figure on other questions.
    """
    for side in (one, other):
        if side.value is None:
            return undefined(side.why_none)
    value = one.value - other.value
    for side in (one, other):
        if side.low is None:
            return without_interval(value, side.why_none)
    below = np.hypot(one.value - one.low, other.high - other.value)
    above = np.hypot(one.high - one.value, other.value - other.low)
    return with_interval(value, value - below, value + above, "independent limits (MOVER)")
