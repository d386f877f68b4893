"""The test-retest reliability of a judge."""

from dataclasses import dataclass, field

from concord.reports.document import OPTIONAL
from concord.stats.core.estimate import Estimate


@dataclass(frozen=True)
class JudgeRetest:
    """Test-retest reliability of a judge.

    Attributes:
        scores: Scores that were repeated, one per answer and criterion.
        repeats: The most grades of one answer.
        exact: Share of pairs of repeats with the same score.
        flips: Share of pairs of repeats that are two or more points apart.
        qwk: Quadratic kappa between repeats.
        alpha: Krippendorff's alpha (interval) over all repeats.
        difference_sd: Of continuous numbers, in place of the others: the SD of the difference
            between two repeats of an answer, in their own points.
    """

    scores: int
    repeats: int
    exact: Estimate
    flips: Estimate
    qwk: Estimate
    alpha: Estimate
    difference_sd: Estimate | None = field(default=None, metadata=OPTIONAL)
