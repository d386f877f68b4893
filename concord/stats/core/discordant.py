"""Discordant answers: those on which one of two judges only is right."""

from typing import NamedTuple, Self

import numpy as np

from concord.stats.core.estimate import Reason, reason


class Discordant(NamedTuple):
    """Counts of two judges on the same answers, as McNemar's and Tango's tests use them.

    Attributes:
        first_only: Answers on which only the first judge is right.
        second_only: Answers on which only the second is.
        questions: The questions these belong to. With fewer questions than answers both tests are
            withheld.
    """

    first_only: int
    second_only: int
    answers: int
    questions: int

    @classmethod
    def of(cls, first: np.ndarray, second: np.ndarray, cluster: np.ndarray) -> Self:
        """Count them from what each judge got right.

        All are (n,); `first` and `second` are boolean, whether the judge is right.
        """
        first, second = np.asarray(first, bool), np.asarray(second, bool)
        only = (int((first & ~second).sum()), int((second & ~first).sum()))
        return cls(*only, len(first), len(np.unique(cluster)))

    def why_dependent(self) -> Reason | None:
        """Return why these answers cannot be counted as independent; None where they can."""
        if self.answers == self.questions:
            return None
        return reason("answers_not_independent")
