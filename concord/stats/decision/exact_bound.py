"""Exact bounds for judges that few questions can tell apart.

A judge that gives the reference's grade on all but three questions, or the annotators', has no
usable standard error: resampled, its difference seems to have none. What is bounded instead is the
share of questions on which it differs for the worse (Clopper and Pearson 1934), with the worst that
so many questions could do to the figure. A perfect judge therefore passes once the questions are
many enough, and one that gives a single score fails.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from concord.stats.core.minimums import DISCORDANT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.one_sided_test import TAIL

_DEPARTS = 0.5
_NOTHING_LEFT = -2.0  # no difference is less

Loss = Callable[[np.ndarray], np.ndarray]


class Worst(NamedTuple):
    """The least that P differences can be if a share of questions goes wrong.

    Attributes:
        loss: From (P,) shares of questions, 0 to 1, to the (P,) differences then; falling.
        questions: (P,) how many questions there are.
        worse: (P,) on how many of them a judge differs, for the worse as far as that can be said.
    """

    loss: Loss
    questions: np.ndarray
    worse: np.ndarray

    def low(self) -> np.ndarray:
        """The lower limits of the 95% CIs."""
        most = special.betaincinv(
            self.worse + 1, np.maximum(self.questions - self.worse, 1), 1 - TAIL
        )
        return self.loss(np.where(self.worse < self.questions, most, 1.0))

    def p(self, limit: float) -> tuple[np.ndarray, np.ndarray]:
        """P of "at most the limit", and of "at least the limit".

        The first is the least error at which the bound lies above the limit. The second is small
        where so many questions that differ would not be likely above it.
        """
        share = self._share_at(limit)
        likely = special.bdtrc(np.maximum(self.worse - 1, 0), self.questions, share)
        below = np.where(self.worse > 0, likely, 1.0)
        return special.bdtr(self.worse, self.questions, share), below

    def _share_at(self, limit: float) -> np.ndarray:
        """The shares of questions at which the losses reach the limit; 0 where they begin there."""
        low, high = np.zeros(len(self.worse)), np.ones(len(self.worse))
        for _ in range(40):
            middle = (low + high) / 2
            clear = self.loss(middle) > limit
            low, high = np.where(clear, middle, low), np.where(clear, high, middle)
        never = self.loss(np.ones_like(high)) > limit
        return np.where(never, 1.0, np.where(low > 0, high, 0.0))


def linear_loss(length: float) -> Loss:
    """The loss of a mean over answers, each of which can be wrong by `length` at most."""
    return lambda share: -share * length


def contaminated(
    better: Callable[[np.ndarray], np.ndarray],
    agreed: np.ndarray,
    worst: np.ndarray,
    other: np.ndarray,
) -> Loss:
    """The loss of any other figure: a share of the answers is replaced by the worst there are.

    Args:
        better: From (..., F) sums to the figure, more is better.
        agreed: (P, F) means of the questions on which the judges do not differ.
        worst: (W, F) what one answer adds in each of the worst cells.
        other: (P,) the figures they are compared with.
    """

    def loss(share: np.ndarray) -> np.ndarray:
        share = share[:, None, None]
        found = better((1 - share) * agreed[:, None] + share * worst)
        known = np.where(np.isnan(found), np.inf, found).min(axis=-1)
        return np.where(np.isfinite(known), known - other, _NOTHING_LEFT)

    return loss


def constant_p(departing: np.ndarray) -> np.ndarray:
    """P of "it departs from its one score on at least half the questions where annotators do".

    `departing` is how many of these there are; a judge that always gives one score departs on none.
    """
    return _DEPARTS ** np.asarray(departing, float)


def too_few_discordant(number: np.ndarray) -> np.ndarray:
    """Return where too few questions differ for a standard error."""
    return number < DISCORDANT_FLOOR


def is_apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(..., F) differences of sums, 0 where they are a rounding error."""
    apart = one - other
    return np.where(np.abs(apart) > NEGLIGIBLE, apart, 0)
