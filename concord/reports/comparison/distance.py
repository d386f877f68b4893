"""Distance of judge variants from annotators on [0, 1], and its differences."""

from collections.abc import Sequence

from concord.reports.comparison.paired_differences import by_question, far
from concord.reports.comparison.paired_variants import Side
from concord.reports.comparison.results import IS_BASE
from concord.reports.panel.variants import Variant
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import difference, simultaneous

LEVEL = 0.05


def further_than(side: Side, base: Variant | None, draws: Draws) -> list[Estimate]:
    """Return how much further from annotators than the base each variant is, on [0, 1].

    Negative is nearer. The limits are simultaneous.
    """
    if base is None:
        return []
    at = side.chosen.index(base)
    pairs = [(place, at) for place in range(len(side.chosen)) if place != at]
    found = added_distance(side, pairs, draws)
    return [*found[:at], undefined(IS_BASE), *found[at:]]


def added_distance(
    side: Side, pairs: Sequence[tuple[int, int]], draws: Draws | None = None
) -> list[Estimate]:
    """Return how much further from annotators the first variant of each pair is than the second.

    Variants are named by their places in `side`. The limits are simultaneous.
    """
    if not pairs:
        return []
    every = [side.pairs(place) for place in range(len(side.chosen))]
    differences = [
        difference(*by_question(every[one], far(every[one]), far(every[other]), 1.0).T)
        for one, other in pairs
    ]
    return simultaneous(differences, LEVEL, draws or Draws()).estimates
