"""McNemar's test: do two judges differ in how often they are right? For one answer per question.

It counts answers as independent, which answers to one question are not: there it is withheld, and
`sign_flip` is the test.
"""

from typing import NamedTuple

from scipy import stats

from concord.stats.core.estimate import Why, reason
from concord.stats.intervals.tango import Discordant


class McNemar(NamedTuple):
    """Result of McNemar's test; all p-values are two-sided.

    Attributes:
        exact: Exact binomial test of the discordant answers; conservative with few of them.
        mid_p: The mid-p variant, which is less conservative.
        why_none: Why both are None.
    """

    exact: float | None
    mid_p: float | None
    why_none: Why | None = None


def mcnemar(counts: Discordant) -> McNemar:
    """The exact and the mid-p test of no difference between two paired shares.

    Sources: McNemar (1947); Fagerland, Lydersen and Laake (2013) for mid-p.
    """
    why = counts.why_dependent()
    together = counts.first_only + counts.second_only
    if not why and together == 0:
        why = reason("no_discordant_answer")
    if why:
        return McNemar(None, None, why)
    fewer = min(counts.first_only, counts.second_only)
    twice = 2 * float(stats.binom.cdf(fewer, together, 0.5))
    observed = float(stats.binom.pmf(fewer, together, 0.5))
    return McNemar(min(1.0, twice), min(1.0, twice - observed))
