"""Distance of judge variants from annotators on [0, 1], and its differences."""

from collections.abc import Sequence

import numpy as np

from concord.reports.comparison.paired_variants import Side
from concord.reports.comparison.results import IS_BASE
from concord.reports.panel.variants import Variant
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import ranked
from concord.stats.intervals.family_member import Member, difference
from concord.stats.intervals.resampling import Draws
from concord.stats.intervals.simultaneous import simultaneous

LEVEL = 0.05


def further_than(side: Side, base: Variant | None, draws: Draws) -> list[Estimate]:
    """Return how much further from annotators than the base each variant is, on [0, 1].

    Negative is nearer. The limits are simultaneous.
    """
    if base is None:
        return []
    others = [place for place, variant in enumerate(side.chosen) if variant is not base]
    members = [apart(side, place, side.chosen.index(base)) for place in others]
    found = simultaneous(members, LEVEL, draws, two_sided=True).estimates if members else []
    limits = dict(zip(others, found, strict=True))
    return [limits.get(place, undefined(IS_BASE)) for place in range(len(side.chosen))]


def added_distance(side: Side, pairs: Sequence[tuple[int, int]]) -> list[Estimate]:
    """Return how much further from annotators the first variant of each pair is than the second.

    Variants are named by their places in `side`. The limits are simultaneous.
    """
    members = [apart(side, first, second) for first, second in pairs]
    return simultaneous(members, LEVEL, Draws(), two_sided=True).estimates


def apart(side: Side, place: int, base: int) -> Member:
    """The mean distances of two variants from annotators, per question."""
    mine, others = side.pairs(place), side.pairs(base)
    questions, group = ranked(mine.cluster)
    columns = (np.abs(mine.judge - mine.annotator), np.abs(others.judge - others.annotator), 1.0)
    return difference(
        *(np.bincount(group, weights=mine.weight * c, minlength=questions) for c in columns)
    )
