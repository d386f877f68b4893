"""Regression gate: whether a new run of a system is worse than the one before, by a composite.

One number decides whether to go back (VERA 2024); here with the interval of the paired difference,
so that a chance drop does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Problem
from concord.reports.metrics.metric_mean import indexed
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.bootstrap import of_difference
from concord.stats.intervals.resampling import Draws

MARGIN = 0.05
WORSE, SAME, BETTER, UNSURE = "worse", "same", "better", "cannot tell"


class Run(NamedTuple):
    """One run of a system: its name, and a number for each question it answered."""

    name: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class Regression:
    """A new run compared with a baseline.

    Attributes:
        n: Questions both have a value for; the others are counted in `only_new`, `only_baseline`.
        difference: New minus baseline.
        margin: How far apart two runs may be and still count as the same.
        verdict: `worse` where the interval lies below 0, `better` where above, `same` where it
            lies within the margin, else `cannot tell`.
        list_edited: How many values no longer count, since a list they rest on was edited.
    """

    new: str
    baseline: str
    n: int
    only_new: int
    only_baseline: int
    difference: Estimate
    margin: float
    verdict: str
    why_none: str | None
    by: str = ""
    list_edited: int = 0


def gate(
    new: Run, baseline: Run, cluster: Mapping[str, Any], margin: float, draws: Draws
) -> Regression:
    """Compare the new run with the baseline, on the questions both have a value for.

    `cluster` has what tells the cluster of each question from others; runs up to `margin` apart
    count as the same.

    Raises:
        Problem: They share no question.
    """
    shared = [question for question in new.values if question in baseline.values]
    if not shared:
        raise Problem(
            "{new} and {baseline} have no question in common that has every metric. A regression "
            "test needs the same questions.",
            new=new.name,
            baseline=baseline.name,
        )
    one, other = (np.array([run.values[q] for q in shared]) for run in (new, baseline))
    places = indexed(cluster[question] for question in shared)
    found = of_difference(one, other, places, draws)
    return Regression(
        new=new.name,
        baseline=baseline.name,
        n=len(shared),
        only_new=len(new.values) - len(shared),
        only_baseline=len(baseline.values) - len(shared),
        difference=found,
        margin=margin,
        verdict=verdict(*_limits(found, one - other), margin),
        why_none=found.why_none,
    )


def verdict(low: float | None, high: float | None, margin: float) -> str:
    """Return the verdict from the limits of the difference, new minus baseline."""
    if low is None or high is None:
        return UNSURE
    if high < 0:
        return WORSE
    if low > 0:
        return BETTER
    return SAME if -margin < low and high < margin else UNSURE


def _limits(found: Estimate, apart: np.ndarray) -> tuple[float | None, float | None]:
    """The limits; where every question moved by the same, on enough of them, that is both."""
    if len(apart) >= QUESTION_FLOOR and np.ptp(apart) < NEGLIGIBLE:
        return found.value, found.value
    return found.low, found.high
