"""Decided: how far the newest decision on a sheet has come, for the start page."""

from typing import NamedTuple

from data import decisions, tally
from data.sheets import Sheet
from data.store import Store
from reports.cost import dollars
from reports.simulated import named
from reports.verdict import CANNOT_TELL, GOOD_ENOUGH, VERDICTS


class Decided(NamedTuple):
    """The state of the choice of a judge.

    Attributes:
        figure: In two or three words.
        note: In half a sentence.
        done: Whether the newest look settled it.
        next: Why it is the next thing to do, the page, and the words on the button; None where it
            is not.
    """

    figure: str
    note: str
    done: bool
    next: tuple[str, str, str] | None


PAGE = "pages/choose.py"


def decided(store: Store, sheet: Sheet, candidates: int, seen: bool) -> Decided:
    """The state of the newest decision.

    Args:
        store: The open store.
        sheet: The sheet.
        candidates: How many judges other than the baseline have graded it.
        seen: Whether the agreement of one of them with people can be seen already.
    """
    fixed = decisions.of_sheet(store, sheet.id)
    look = decisions.latest(store, sheet.id)
    if not fixed:
        return _open(candidates, seen)
    if look is None:
        why = f"The terms were fixed on {fixed[-1].created_at[:10]}, and nobody has looked yet."
        return Decided("Terms fixed", "nobody has looked yet", False, (why, PAGE, "Take a look"))
    found = look.result
    settled = found["verdict"] != CANNOT_TELL
    figure = VERDICTS[found["verdict"]].capitalize()
    if tally.grades_since(store, sheet.id, look.created_at):
        why = "There are grades that the last look at the decision did not see."
        return Decided(figure, "new grades since", False, (why, PAGE, "Look at the decision again"))
    return Decided(figure, _note(found), settled, _next(found))


def _open(candidates: int, seen: bool) -> Decided:
    note = "It takes a reference judge and the margin you accept."
    if candidates < 2:
        return Decided("Not yet", note, False, None)
    why = (
        f"{candidates} judges have graded what people graded. Name what would be good enough; the "
        "verdict holds them to it."
        if seen
        else f"{candidates} judges have graded, so far nothing that people graded. Name what would "
        "be good enough before you can see how far they agree."
    )
    return Decided("Not yet", note, False, (why, PAGE, "Name what would be good enough"))


def _note(found: dict) -> str:
    row = next((row for row in found["judges"] if row["judge"] == found["about"]), None)
    if row is None:
        return "there is no judge to choose yet"
    judge = named(row["judge"], row["simulated"])
    if found["verdict"] == CANNOT_TELL and found["more_labels"]:
        low, high = found["more_labels"]
        return f"{judge}: another {low:,} to {high:,} graded answers would tell"
    price = row["cost_per_1000"]
    known = "at a price that is unknown" if price is None else f"{dollars(price)} per 1,000 answers"
    return f"{judge}, {known}"


def _next(found: dict) -> tuple[str, str, str] | None:
    if found["verdict"] == GOOD_ENOUGH:
        if found["simulated"]:
            return None
        why = f"{found['winner']} is good enough. A certificate says so, and for how long."
        return why, "pages/certificate.py", "Write its certificate"
    if found["verdict"] != CANNOT_TELL:
        why = "No judge is good enough. Another model or another prompt may be."
        return why, "pages/judges.py", "Try another judge"
    if not found["more_labels"]:
        return None
    low, high = found["more_labels"]
    why = f"It cannot be told yet; another {low:,} to {high:,} graded answers would tell."
    return why, "pages/grading.py", "Grade more answers"
