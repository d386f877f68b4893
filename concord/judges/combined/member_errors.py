"""How the errors of a combined judge's members correlate: members that err alike add little."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from concord.judges.combined.features import Features
from concord.stats.probabilities.combining import error_correlations


class ErrorCorrelation(NamedTuple):
    """Correlation of two members' errors on a criterion; `value` None where undefined."""

    criterion: str
    one: str
    other: str
    value: float | None
    n: int


def correlations(
    name: str, features: Features, training: Sequence[tuple[int, int]]
) -> Iterator[ErrorCorrelation]:
    """The correlations of the errors of members that grade the criterion itself."""
    if not training or features.same.sum() < 2:
        return
    item, score = np.array(training).T
    size = len(features.graded)
    count = np.bincount(item, minlength=size)
    total = np.bincount(item, score, size)
    mean = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
    own = np.flatnonzero(features.same)
    for one in error_correlations(features.values[:, own] - mean[:, None]):
        labels = features.names[own[one.one]], features.names[own[one.other]]
        yield ErrorCorrelation(name, *labels, one.value, one.n)
