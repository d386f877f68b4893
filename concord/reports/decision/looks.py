"""Interim looks: the terms of a decision, and the share of its questions each look spent on."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.reports.decision.results import Terms
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST, level
from concord.store.decisions import Decision


class Look(NamedTuple):
    """One interim look at a decision.

    Attributes:
        number: From 1.
        new: True with questions that no earlier look saw.
        shares: Of the planned questions at the looks that spent error, this one last.
        level: The nominal one-sided level of this one; None where no error is left.
    """

    number: int
    new: bool
    shares: tuple[float, ...]
    level: float | None


def next_look(seen: Sequence[int], now: int, planned: int, least: int) -> Look:
    """Return the look at so many questions.

    Args:
        seen: Questions at the earlier looks, in any order.
        now: Questions now.
        planned: Questions planned.
        least: Questions that a verdict takes; a look at fewer can give none, and spends nothing.
    """
    before = sorted({min(size, planned) for size in seen if size >= least and size < now})
    number, new = len(before) + 1, now > max(seen, default=0)
    if now < least:
        return Look(1, new, (1.0,), level((1.0,)))
    shares = tuple(size / planned for size in (*before, min(now, planned)))
    found = level(shares) if number <= LOOKS_AT_MOST else 0.0
    return Look(number, new, shares, found or None)


def terms_of(decision: Decision) -> Terms:
    """The terms a decision fixed."""
    return Terms(
        decision.margin,
        decision.minimum,
        decision.caught_minimum,
        decision.failure_precision,
        decision.metric,
        decision.planned_questions,
    )
