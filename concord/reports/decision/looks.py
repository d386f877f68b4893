"""Interim looks: the terms of a decision, and the share of its questions each look spent on."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.reports.decision.results import Terms
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST, level
from concord.store.decisions import Decision
from concord.store.decisions import Look as Stored


class Look(NamedTuple):
    """One interim look at a decision.

    Attributes:
        number: From 1.
        new: True with planned questions that no earlier look saw, and error left for them.
        shares: Of the planned questions at the looks that spent error, the last one last.
        level: The nominal one-sided level of this one; None where no error is left, since all
            planned questions, or four looks, were seen before.
    """

    number: int
    new: bool
    shares: tuple[float, ...]
    level: float | None


def next_look(seen: Sequence[int], now: int, planned: int, enough: bool = True) -> Look:
    """Return the look at so many questions.

    Args:
        seen: Questions at the earlier looks that tested something, in any order.
        now: Questions now.
        planned: Questions planned.
        enough: Whether a verdict can come of the grades now; a look at fewer spends nothing.
    """
    if not enough:
        return Look(1, True, (1.0,), level((1.0,)))
    spent = sorted({min(size, planned) for size in seen if size < now})
    # What was planned is what the error was spent on, so questions beyond it are not new.
    left = len(spent) < LOOKS_AT_MOST and max(spent, default=0) < planned
    shares = tuple(size / planned for size in ((*spent, min(now, planned)) if left else spent))
    new = left and now > max(seen, default=0)
    return Look(len(shares), new, shares, level(shares) if left else None)


def opening(number: int) -> Look:
    """Return the look at held-out questions at their opening, counted from 1.

    Each opening spends error as a look does, as if a quarter of what was planned were new.
    """
    shares = tuple(place / LOOKS_AT_MOST for place in range(1, number + 1))
    return Look(number, True, shares, level(shares) if number <= LOOKS_AT_MOST else None)


def tested(look: Stored) -> bool:
    """Return whether a look spent error: one at too few grades for a verdict tests nothing."""
    return any(row.get("p") is not None for row in look.result["judges"])


def terms_of(decision: Decision) -> Terms:
    """The terms a decision fixed."""
    return Terms(
        decision.margin,
        decision.minimum,
        decision.failure_recall,
        decision.failure_precision,
        decision.figure,
        decision.planned_questions,
    )
