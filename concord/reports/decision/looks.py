"""Interim looks: the terms of a decision, and the share of its questions each look spent on."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from concord.reports.decision.results import EARLIER, Terms
from concord.stats.core.minimums import VERDICT_FLOOR
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST, level
from concord.store import decisions
from concord.store.database import Store
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


def plan_of(store: Store, **terms: Any) -> int | None:
    """Return the planned questions of the first decision that spent the error of these terms.

    None before any did. That plan is fixed once: with another one, the shares at which error was
    spent would count for less afterwards.
    """
    for look in decisions.budget(store, **terms):
        first = decisions.get(store, look.decision_id)
        if tested(look) and first.planned_questions:
            return first.planned_questions
    return None


def tested(look: Stored) -> bool:
    """Return whether a look spent error: one at too few grades for a verdict tests nothing."""
    result = look.result
    # Under the procedure of earlier versions a look had limits and no p-values.
    if result.get("procedure", EARLIER) == EARLIER:
        return result["clusters"] >= VERDICT_FLOOR
    return any(row.get("p") is not None for row in result["judges"])


def confirmatory(store: Store, decision: Decision) -> bool:
    """Return whether figure and plan are the first ones for the criterion and reference judge.

    Of figures the first one fixed counts, of plans the first one looked at.
    """
    every = decisions.of_sheet(store, decision.sheet_id, decision.criterion)
    first = next((one for one in every if one.against == decision.against), decision)
    plan = plan_of(store, **decision._asdict()) or decision.planned_questions
    return first.figure == decision.figure and plan == decision.planned_questions


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
