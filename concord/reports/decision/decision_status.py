"""Decision state: how far the newest decision on a sheet has come, for the overview."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import day_of
from concord.grading import sheet_progress
from concord.grading.sheet_progress import Graded
from concord.messages import capital, joined, said
from concord.model import Sheet
from concord.reports.decision.document import price
from concord.reports.decision.finding import more, not_certified
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Choice,
    JudgeFound,
    doubted,
    read,
    told,
)
from concord.reports.panel.simulated import named
from concord.store import decisions
from concord.store.database import Store


class DecisionState(NamedTuple):
    """The state of the choice of a judge.

    Attributes:
        figure: In two or three words.
        note: In half a sentence.
        done: Whether the newest look settled it.
        next: Why it is the next thing to do, the screen, and the words on the button; None where it
            is not.
        judge: The judge that the newest look is about; None without one.
    """

    figure: str
    note: str
    done: bool
    next: tuple[str, str, str] | None
    judge: JudgeFound | None = None


SCREEN = "decide"


def decided(
    store: Store, sheet: Sheet, graded: Graded, candidates: int, seen: bool, why_not: str = ""
) -> DecisionState:
    """The state of the newest decision.

    Args:
        store: The open store.
        sheet: The sheet.
        graded: How many of its answers annotators have graded.
        candidates: How many judges other than the baseline have graded it.
        seen: Whether the agreement of one of them with annotators can be seen already.
        why_not: Why none of them can be chosen; '' where one can be.
    """
    fixed = decisions.of_sheet(store, sheet.id)
    look = decisions.latest(store, sheet.id)
    if not fixed:
        return _open(candidates, seen, why_not)
    if look is None:
        day = day_of(fixed[-1].created_at)
        why = said("The terms were fixed on {day}; no interim look has been taken yet.", day=day)
        then = (why, SCREEN, said("Take an interim look"))
        return DecisionState(said("Terms fixed"), said("no interim look yet"), False, then)
    found = read(look.result)
    row = told(found)
    verdict = row.verdict if row else found.verdict
    figure = capital(VERDICTS[verdict])
    since = sheet_progress.grades_since(store, sheet.id, look.created_at)
    # No metric enters a decision, nor do grades of an annotator who is not included.
    if any(row["kind"] != "metric" and row["name"] not in graded.without for row in since):
        why = said("New grades since the last look at the decision.")
        then = (why, SCREEN, said("Review the decision"))
        return DecisionState(figure, said("new grades since"), False, then)
    if row and not row.confirmed:
        why = said(
            "{judge} was found good enough, but the present grades do not confirm it.",
            judge=named(row.judge, row.simulated),
        )
        then = (why, SCREEN, said("See the decision"))
        return DecisionState(figure, said("not confirmed by the present grades"), True, then)
    if row and verdict == GOOD_ENOUGH and doubted(found):
        why = joined(" ", not_certified(found))
        then = (why, SCREEN, said("See the decision"))
        return DecisionState(figure, said("cannot be certified"), False, then)
    failed = _failed(store, sheet, row.judge) if row and verdict == GOOD_ENOUGH else []
    if failed:
        where = said("not good enough on {criteria}", criteria=joined(", ", failed))
        note = said("{judge}: {where}", judge=named(row.judge, row.simulated), where=where)
        return DecisionState(figure, note, False, _next(found, row, failed))
    is_done, all_graded = verdict != CANNOT_TELL, sheet.items <= graded.apart + graded.answers
    following = _next(found, row, all_graded=all_graded)
    return DecisionState(figure, _note(found, row), is_done, following, row)


def _failed(store: Store, sheet: Sheet, judge: str) -> list[str]:
    """The criteria on which the newest look says that a judge is not good enough."""
    newest: dict[str, str] = {}
    for look in decisions.newest_looks(store, sheet.id):
        rows = (row for row in read(look.result).judges if row.judge == judge)
        for row in rows:
            newest.setdefault(decisions.get(store, look.decision_id).criterion, row.verdict)
    return [criterion for criterion, verdict in newest.items() if verdict == NOT]


def _open(candidates: int, seen: bool, why_not: str) -> DecisionState:
    note = why_not or said("Needs a reference judge and a non-inferiority margin.")
    if why_not or candidates < 2:
        return DecisionState(said("Not yet"), note, False, None)
    why = said(
        "{n} judges can be compared with annotators. Define what is good enough before you see a "
        "verdict."
        if seen
        else "{n} judges have graded, but so far no answers that annotators graded. Fix what is "
        "good enough before you can see how well they agree.",
        n=candidates,
    )
    then = (why, SCREEN, said("Set the terms"))
    return DecisionState(said("Not yet"), note, False, then)


def _note(found: Choice, row: JudgeFound | None) -> str:
    if row is None:
        return said("there is no judge to choose yet")
    judge, needed = named(row.judge, row.simulated), _needed(found, row)
    if needed:
        return said("{judge}: more labels needed: {more}", judge=judge, more=needed)
    return said("{judge}, price per 1,000 answers: {price}", judge=judge, price=price(row))


def _needed(found: Choice, row: JudgeFound | None) -> str:
    return more(found, row if row and row.is_reference else found)


def _next(
    found: Choice, row: JudgeFound | None, failed: Sequence[str] = (), all_graded: bool = False
) -> tuple[str, str, str] | None:
    verdict = row.verdict if row else found.verdict
    if row and verdict == GOOD_ENOUGH:
        if found.simulated:
            return None
        if failed:
            why = said(
                "{judge} is good enough on one criterion but not on another. Another model or "
                "prompt may be good enough on both.",
                judge=named(row.judge, row.simulated),
            )
            return why, "judges", said("Try another judge")
        why = said(
            "{judge} is good enough. A certificate says so, and for how long.",
            judge=named(row.judge, row.simulated),
        )
        return why, "certificate", said("Write a certificate")
    if verdict != CANNOT_TELL:
        why = said("No judge is good enough. Try another model or another prompt.")
        return why, "judges", said("Try another judge")
    needed = _needed(found, row)
    if not needed:
        return said("The verdict is inconclusive."), SCREEN, said("See the decision")
    why = said("The verdict is inconclusive. More labels needed: {more}.", more=needed)
    if all_graded:
        more = said("Import more questions and create a grading set from them.")
        return joined(" ", [why, more]), "data", said("Import answers")
    return why, "annotate", said("Grade more answers")
