"""Interim looks: the share of its questions each look spent on, and the history of decisions."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import day, minute, said
from concord.reports.decision.results import VERDICTS, Terms, read, told
from concord.reports.decision.terms import limit_text, margin_text, share_text
from concord.reports.decision.terms_review import annotators_text
from concord.reports.document import Column, Table, table_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import short_label
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST, level
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.decisions import Look as KeptLook
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


def fixed(every: Sequence[Decision], panel: Panel) -> Table:
    """Return the terms of decisions, a row each in the order given; `panel` names annotators."""
    parts = [
        (Column("decision", "count"), "id"),
        (Column("fixed on"), lambda one: day(one.created_at)),
        (Column("criterion"), "criterion"),
        (Column("reference judge"), lambda one: short_label(one.against)),
        (Column("figure"), lambda one: FIGURES[one.figure].title),
        (Column("margin"), lambda one: margin_text(one.figure, one.margin)),
        (Column("limit"), lambda one: limit_text(one.figure, one.minimum)),
        (Column("failure recall"), lambda one: share_text(one.failure_recall)),
        (Column("failure precision"), lambda one: share_text(one.failure_precision)),
        (Column("planned", "count"), "planned_questions"),
        (Column("annotators"), lambda one: annotators_text(panel, one)),
        (
            Column("after agreement could be seen"),
            lambda one: "yes" if one.fixed_after_sight else "no",
        ),
    ]
    return table_of("decisions", every, parts, "Decisions")


def looks(store: Store, every: Sequence[Decision]) -> Table:
    """Return every look at decisions in the order given, the newest first of each."""
    rows = [look for one in every for look in reversed(decisions.looks(store, one))]
    parts = [
        (Column("decision", "count"), "decision_id"),
        (Column("looked at"), lambda one: minute(one.created_at)),
        (Column("look", "count"), lambda one: one.result["looks"]),
        (Column("verdict"), _verdict),
        (Column("winner"), lambda one: one.result["winner"]),
        (Column("answers", "count"), lambda one: one.result["answers"]),
    ]
    return table_of("looks", rows, parts, "Looks")


def _verdict(look: KeptLook) -> str:
    found = read(look.result)
    row = told(found)
    verdict = VERDICTS[row.verdict if row else found.verdict]
    exploratory = not found.confirmatory
    return said("{verdict}, exploratory", verdict=verdict) if exploratory else verdict
