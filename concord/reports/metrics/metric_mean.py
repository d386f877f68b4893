"""Metric figure: the mean of some records of one metric, with its interval by question."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from concord import metrics
from concord.reports.metrics.metric_records import Record
from concord.stats.intervals.means import mean


def figure(records: Sequence[Record]) -> dict[str, Any]:
    """The mean of records of one metric: `n`, `questions`, `mean`, and its interval.

    `questions` counts clusters where these are known. `low`, `high`, `method` and `why_none` are
    as in `core.estimate`.
    """
    scored = [one for one in records if one.value is not None]
    values = np.array([one.value for one in scored], float)
    cluster = indexed(one.cluster for one in scored)
    found = mean(values, cluster, _limits(records))
    return {"n": len(scored), "questions": len(set(cluster.tolist())), "mean": found.value} | {
        key: getattr(found, key) for key in ("low", "high", "method", "why_none")
    }


def bounds(name: str, switches: Mapping[str, str]) -> tuple[float, float]:
    """The least and greatest number a metric can give; without end where there is no limit."""
    found = metrics.found().get(name)
    low, high = (found.least(switches), found.high) if found else (None, None)
    return -np.inf if low is None else low, np.inf if high is None else high


def indexed(keys: Iterable[Hashable]) -> np.ndarray:
    """An index from 0 for each key, the same for the same."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)


def _limits(records: Sequence[Record]) -> tuple[float, float]:
    if not records:
        return -np.inf, np.inf
    return bounds(records[0].metric, records[0].switches)
