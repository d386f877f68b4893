"""Metric figure: the mean of some records of one metric, with its interval by question."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from concord import metrics
from concord.reports.cells import written
from concord.reports.metrics.metric_records import Record
from concord.stats.core.estimate import Estimate
from concord.stats.intervals.means import mean


@dataclass(frozen=True)
class MetricMean:
    """The mean of a metric over answers, with its 95% CI by question.

    Attributes:
        n: How many answers have a value.
        questions: How many questions they belong to, or clusters where these are known.
        low: The lower confidence limit; None without a CI.
        high: The upper confidence limit.
        why_none: Why there is no mean or no CI.
    """

    n: int
    questions: int
    mean: float | None
    low: float | None
    high: float | None
    method: str
    why_none: str | None

    @property
    def estimate(self) -> Estimate:
        """The mean as an estimate."""
        return Estimate(self.mean, self.low, self.high, self.method, self.why_none)

    def written(self) -> str:
        """Return the mean with its CI, as `0.750 [0.612, 0.851]`."""
        return written(self.estimate, "value")


def figure(records: Sequence[Record]) -> MetricMean:
    """Return the mean of records of one metric."""
    scored = [one for one in records if one.value is not None]
    values = np.array([one.value for one in scored], float)
    cluster = indexed(one.cluster for one in scored)
    limits = bounds(records[0].metric, records[0].switches) if records else (-np.inf, np.inf)
    found = mean(values, cluster, limits)
    return MetricMean(len(scored), len(set(cluster.tolist())), *found)


def bounds(name: str, switches: Mapping[str, str]) -> tuple[float, float]:
    """The least and greatest number a metric can give; without end where there is no limit."""
    found = metrics.available().get(name)
    low, high = (found.least(switches), found.high) if found else (None, None)
    return -np.inf if low is None else low, np.inf if high is None else high


def indexed(keys: Iterable[Hashable]) -> np.ndarray:
    """An index from 0 for each key, the same for the same."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
