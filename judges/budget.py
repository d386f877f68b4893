"""Budget: whether one more call may be made without passing what the user allowed."""

from typing import NamedTuple

from judges.progress import Counts


class Budget(NamedTuple):
    """USD that a run may spend (None: no limit), and what a call is expected to cost.

    A call in flight, and a reply whose price is unknown, count at the mean of the priced replies;
    before there is one, at `expected`.
    """

    limit: float | None
    expected: float = 0.0

    def allows(self, counts: Counts, in_flight: int) -> bool:
        """Whether so many calls in flight keep within the limit."""
        if self.limit is None:
            return True
        return counts.cost + (counts.unpriced + in_flight) * self._per_call(counts) <= self.limit

    def _per_call(self, counts: Counts) -> float:
        priced = counts.calls - counts.unpriced - counts.lost
        return counts.cost / priced if priced > 0 else self.expected
