"""The state of the calibration loop over one sheet, and the one next thing to do."""

from typing import NamedTuple

from data import tally
from data.clock import a_day_ago
from data.counted import counted
from data.sheets import Sheet
from data.store import Store
from data.tally import Graded, Judged
from judges.baseline_run import BASELINE
from reports import drift
from reports.decided import PAGE, Decided, decided

_LINKS = {
    "Sheets": "See the answers",
    "Graded": "See who grades",
    "Judged": "See the judges",
    "Agreement": "Read it",
    "Decision": "Choose a judge",
}


_PLACES = {"pages/grading.py": 1, "pages/judges.py": 2}


class Step(NamedTuple):
    """One step of the loop: its name, the figure that sums it up, a note, and its page.

    `state` is 'done', 'next' (the one thing to do now) or 'open'. `page` is None where there is
    nothing to open yet.
    """

    title: str
    figure: str
    note: str
    page: str | None
    state: str = "open"

    @property
    def link(self) -> str:
        """The words on the link to its page."""
        return _LINKS[self.title]


class Next(NamedTuple):
    """The one next thing to do: why, where, and the words on its button."""

    why: str
    page: str
    label: str


class Loop(NamedTuple):
    """Where it stands in one sentence, the steps, the next thing to do, and the last day's news."""

    headline: str
    steps: list[Step]
    next: Next
    news: list[str]


def loop(store: Store, sheet: Sheet, headline: str | None = None, seen: bool = False) -> Loop:
    """Where a sheet stands.

    Args:
        store: The open store.
        sheet: The sheet.
        headline: The best judge's agreement in a few words; None where there is none to tell.
        seen: Whether a judge's agreement with people can be seen although there is no headline.
    """
    people, judges = tally.graded(store, sheet.id), tally.judged(store, sheet.id)
    candidates = sum(name != BASELINE for name in judges.judges)
    decision = decided(store, sheet, candidates, seen or headline is not None)
    steps = [
        _sheet_step(sheet),
        _graded_step(sheet, people),
        _judged_step(judges),
        _agreement_step(people, judges, headline),
        Step("Decision", decision.figure, decision.note, PAGE, "done" if decision.done else "open"),
    ]
    place, following = _next(people, judges, decision)
    steps[place] = steps[place]._replace(state="next")
    return Loop(_headline(sheet, people, judges), steps, following, _news(store, sheet))


def _headline(sheet: Sheet, people: Graded, judges: Judged) -> str:
    """Where the loop stands in one sentence."""
    if not people.answers:
        return f"{counted(sheet.items, 'answer')} wait for a first grade"
    done = f"{people.answers:,} of {counted(sheet.items, 'answer')} graded by people"
    if not judges.judges:
        return f"{done}, none by a judge yet"
    return f"{done}, and {counted(len(judges.judges), 'judge')} to compare with them"


def _sheet_step(sheet: Sheet) -> Step:
    models = len(sheet.answer_models)
    by = f", {models} models" if models else ""
    note = f"{counted(sheet.questions, 'question')}{by}"
    return Step("Sheets", counted(sheet.items, "answer"), note, "pages/sheets.py", "done")


def _graded_step(sheet: Sheet, people: Graded) -> Step:
    if not people.answers:
        return Step("Graded", "None yet", "Nobody has graded an answer.", "pages/grading.py")
    who = f"by {counted(len(people.people), 'person', 'people')}"
    if people.simulated:
        who += f", {people.simulated} of them simulated"
    overlap = f"{people.overlap:,} graded by two or more" if people.overlap else "no overlap yet"
    figure = f"{people.answers:,} of {sheet.items:,}"
    return Step("Graded", figure, f"{who}; {overlap}", "pages/grading.py", "done")


def _judged_step(judges: Judged) -> Step:
    if not judges.judges and not judges.running:
        return Step("Judged", "None yet", "No judge has graded this sheet.", "pages/judges.py")
    parts = [f"{judges.simulated} of them simulated"] if judges.simulated else []
    parts.append(f"${judges.cost:,.2f} spent")
    if judges.unpriced:
        parts.append(f"{counted(judges.unpriced, 'reply', 'replies')} of unknown price")
    if judges.running:
        parts.append(f"{len(judges.running)} running")
    if judges.unfinished:
        parts.append(f"{len(judges.unfinished)} not finished")
    figure = counted(len(judges.judges), "judge")
    return Step("Judged", figure, ", ".join(parts), "pages/judges.py", "done")


def _agreement_step(people: Graded, judges: Judged, headline: str | None) -> Step:
    page = "pages/agreement.py"
    if headline:
        return Step("Agreement", headline, "the best judge, in exact grades", page, "done")
    if not people.answers or not judges.judges:
        return Step("Agreement", "Not yet", "It takes grades of people and of a judge.", page)
    return Step("Agreement", "Ready to read", "People and judges have graded this sheet.", page)


def _next(people: Graded, judges: Judged, decision: Decided) -> tuple[int, Next]:
    """The place of the step to do now, and how to say it."""
    if not people.answers:
        why = "Judges are measured against people, so somebody has to grade first."
        return 1, Next(why, "pages/grading.py", "Draw a grading set and grade")
    if judges.unfinished:
        name, status, message = judges.unfinished[0]
        said = f" {message}" if message else ""
        return 2, Next(f"The run of {name} {status}.{said}", "pages/judges.py", "Go on with it")
    if not judges.judges:
        why = "People have graded. The baseline needs no key and shows what a judge must beat."
        return 2, Next(why, "pages/judges.py", "Run the baseline, or a judge")
    if decision.next:
        return _PLACES.get(decision.next[1], 4), Next(*decision.next)
    why = "People and judges have graded the same answers."
    if judges.judges == [BASELINE]:
        why = "People and the baseline have graded; see what a judge has to beat."
    return 3, Next(why, "pages/agreement.py", "Read how far the judges agree with people")


def _news(store: Store, sheet: Sheet) -> list[str]:
    """What changed in the last 24 hours, a sentence each."""
    moment = a_day_ago()
    said = [
        f"{row['source_name']} was imported ({'answers' if row['kind'] == 'sheet' else 'grades'})."
        for row in tally.imports_since(store, sheet.id, moment)
    ]
    said += [
        f"{row['name']} graded {counted(row['answers'], 'answer')}."
        for row in tally.grades_since(store, sheet.id, moment)
    ]
    said += [
        f"The run of {row['name']} {row['status']}. {row['message']}".strip()
        for row in tally.runs_since(store, sheet.id, moment)
        if row["status"] in ("stopped", "failed")
    ]
    return said + drift.news(store, sheet, moment)
