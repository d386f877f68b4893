"""The state of the calibration loop over one sheet, and the one next thing to do."""

from typing import NamedTuple

from data import tally
from data.clock import a_day_ago
from data.counted import counted
from data.sheets import Sheet
from data.store import Store
from data.tally import Graded, Judged
from judges.baseline_run import BASELINE
from reports import drift, unit_labels
from reports.decided import PAGE, Decided, decided
from reports.study import listed
from reports.unit_labels import UnitLabels

_LINKS = {
    "Sheets": "See the answers",
    "Graded": "See who grades",
    "Judged": "See the judges",
    "Agreement": "Read it",
    "Decision": "Choose a judge",
}


_PLACES = {"pages/grading.py": 1, "pages/judges.py": 2}
_READ = 3  # the place of the step Agreement


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
    """The one next thing to do: why, where, the words on its button, and by which rubric if one."""

    why: str
    page: str
    label: str
    rubric: str | None = None


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
    labels = unit_labels.of_sheet(store, sheet)
    candidates = sum(name != BASELINE for name in judges.judges)
    decision = decided(store, sheet, candidates, seen or headline is not None)
    steps = [
        _sheet_step(sheet),
        _graded_step(sheet, people, labels),
        _judged_step(judges, labels),
        _agreement_step(people, judges, labels, headline),
        Step("Decision", decision.figure, decision.note, PAGE, "done" if decision.done else "open"),
    ]
    place, following = _next_of_units(people, judges, labels) or _next(people, judges, decision)
    if place == _READ and labels.waiting:
        also = f"Judges' verdicts on {listed(labels.waiting)} wait for people's labels too."
        following = following._replace(why=f"{following.why} {also}")
    steps[place] = steps[place]._replace(state="next")
    return Loop(_headline(sheet, people, judges, labels), steps, following, _news(store, sheet))


def _headline(sheet: Sheet, people: Graded, judges: Judged, labels: UnitLabels) -> str:
    """Where the loop stands in one sentence."""
    if not people.answers and labels.labelled:
        done = f"{labels.sentence()} labelled by people"
        if not labels.shared:
            return f"{done}, none of them by a judge yet"
        return f"{done}, and {counted(len(labels.judges), 'judge')} to compare with them"
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


def _graded_step(sheet: Sheet, people: Graded, labels: UnitLabels) -> Step:
    page = "pages/grading.py"
    if not people.answers and labels.labelled:
        note = f"{labels.by_whom()}; no answer graded as a whole"
        return Step("Graded", labels.sentence(), note, page, "done")
    if not people.answers:
        return Step("Graded", "None yet", "Nobody has graded an answer.", page)
    who = f"by {counted(len(people.people), 'person', 'people')}"
    if people.simulated:
        who += f", {people.simulated} of them simulated"
    overlap = f"{people.overlap:,} graded by two or more" if people.overlap else "no overlap yet"
    also = f"; {labels.sentence()} labelled" if labels.labelled else ""
    figure = f"{people.answers:,} of {sheet.items:,}"
    return Step("Graded", figure, f"{who}; {overlap}{also}", page, "done")


def _judged_step(judges: Judged, labels: UnitLabels) -> Step:
    names = dict.fromkeys([*judges.judges, *labels.judges])
    if not names and not judges.running:
        return Step("Judged", "None yet", "No judge has graded this sheet.", "pages/judges.py")
    parts = [f"{judges.simulated} of them simulated"] if judges.simulated else []
    parts += [f"verdicts on {listed(labels.judged)}"] if labels.judged else []
    parts.append(f"${judges.cost:,.2f} spent")
    if judges.unpriced:
        parts.append(f"{counted(judges.unpriced, 'reply', 'replies')} of unknown price")
    if judges.running:
        parts.append(f"{len(judges.running)} running")
    if judges.unfinished:
        parts.append(f"{len(judges.unfinished)} not finished")
    figure = counted(len(names), "judge")
    return Step("Judged", figure, ", ".join(parts), "pages/judges.py", "done")


def _agreement_step(
    people: Graded, judges: Judged, labels: UnitLabels, headline: str | None
) -> Step:
    page = "pages/agreement.py"
    if headline:
        return Step("Agreement", headline, "the best judge, in exact grades", page, "done")
    if labels.shared and not (people.answers and judges.judges):
        return Step(
            "Agreement", "Ready to read", f"Both have labelled {listed(labels.shared)}.", page
        )
    if not people.answers or not judges.judges:
        return Step("Agreement", "Not yet", "It takes grades of people and of a judge.", page)
    return Step("Agreement", "Ready to read", "People and judges have graded this sheet.", page)


def _next_of_units(people: Graded, judges: Judged, labels: UnitLabels) -> tuple[int, Next] | None:
    """The same where units are what is graded; None where whole answers come first."""
    if (people.answers and judges.judges) or judges.unfinished:
        return None
    if labels.waiting:
        kinds = listed(labels.waiting)
        why = f"Judges have given verdicts on {kinds}; they are measured against people's labels."
        return 1, Next(why, "pages/grading.py", "Draw a grading set and label them")
    if labels.shared and not people.answers:
        why = f"People and judges have labelled the same {listed(labels.shared)}."
        read = "Read how far the judges agree with people"
        return _READ, Next(why, "pages/agreement.py", read, labels.rubric)
    if labels.labelled and not people.answers:
        why = f"People have labelled {listed(labels.labelled)}; no judge for measures has."
        return 2, Next(why, "pages/judges.py", "Run a judge for measures")
    return None


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
    return _READ, Next(why, "pages/agreement.py", "Read how far the judges agree with people")


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
