"""How the errors of a combined judge's members correlate: members that err alike add little."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from concord.judges.combined.features import Features
from concord.stats.core.estimate import Estimate
from concord.stats.probabilities.combining import error_correlations


@dataclass(frozen=True)
class ErrorCorrelation:
    """Correlation of two members' errors on a criterion.

    Attributes:
        criterion: Its name.
        one: A member, as the fit names its feature.
        other: Another one.
        estimate: With its 95% CI by question.
        n: Answers that both and the annotators scored.
        clusters: Clusters of questions that these belong to.
    """

    criterion: str
    one: str
    other: str
    estimate: Estimate
    n: int
    clusters: int

    def to_json(self) -> dict[str, Any]:
        """Return its fields, those of the estimate among them."""
        found = vars(self) | self.estimate._asdict()
        del found["estimate"]
        return found


def correlations(
    name: str, features: Features, training: Sequence[tuple[int, int]], groups: Sequence[str]
) -> Iterator[ErrorCorrelation]:
    """The correlations of the errors of members that grade the criterion itself.

    `groups` has the group of questions of each answer.
    """
    if not training or features.same.sum() < 2:
        return
    item, score = np.array(training).T
    size = len(features.graded)
    count = np.bincount(item, minlength=size)
    total = np.bincount(item, score, size)
    mean = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
    own = np.flatnonzero(features.same)
    _, cluster = np.unique(groups, return_inverse=True)
    for one in error_correlations(features.values[:, own] - mean[:, None], cluster):
        labels = features.names[own[one.one]], features.names[own[one.other]]
        yield ErrorCorrelation(name, *labels, one.estimate, one.n, one.clusters)
