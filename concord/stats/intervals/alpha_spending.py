"""Looks: how often a decision may be looked at, and at which error each time.

"Label more and look again" spends error: looked at 13 times at .05 each, a judge that is just not
good enough is called good enough in 18 percent of cases. Four looks at one-sided .018 each spend
.05 together (Pocock 1977), at a loss of power of a few points; a fifth look has no error left to
spend. Looking at the same grades again tells nothing new and spends nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

AT_MOST = 4
LEVEL = 0.018


class Look(NamedTuple):
    """One interim look at a decision.

    Attributes:
        new: True with grades that no earlier look saw.
        level: The one-sided error of its limits; None where none is left.
    """

    number: int
    new: bool
    level: float | None


def next_look(seen: Sequence[str], now: str) -> Look:
    """Return the look at grades with the digest `now`, after the looks in `seen`, oldest first."""
    different = list(dict.fromkeys(seen))
    new = now not in different
    number = len(different) + 1 if new else different.index(now) + 1
    return Look(number, new, LEVEL if number <= AT_MOST else None)
