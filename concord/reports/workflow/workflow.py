"""The state of the calibration loop over one sheet, and the one next thing to do."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import a_day_ago, day_of, today
from concord.grading import assignments, sheet_progress
from concord.grading.annotators import IS_PENDING
from concord.grading.assignments import Progress
from concord.grading.sheet_progress import Graded, JudgingProgress
from concord.messages import capital, counted, joined, listed, said, spoken
from concord.model import BASELINE, Sheet
from concord.reports.agreement.agreement import Headline
from concord.reports.cells import percent, written
from concord.reports.certificate import certificate_status
from concord.reports.certificate.certificate import of_sheet, title
from concord.reports.decision.document import more, price
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Row,
    read,
    told,
)
from concord.reports.panel import sheet_grading
from concord.reports.panel.sheet_grading import UnitLabels
from concord.reports.panel.wording import named
from concord.store import decisions
from concord.store.database import Store

# The place of the step that a screen belongs to; all others belong to the decision.
_PLACES = {"annotate": 1, "progress": 1, "judges": 2, "agreement": 3, "review": 3}
_READ = "Read the judges' agreement"
_ANOTHER = "Try another judge"


class Step(NamedTuple):
    """One step of the loop: its name, a summary figure, notes on it, and its screen.

    `state` is 'done', 'next' (the one thing to do now) or 'open'. `rubric`: the rubric its screen
    opens, if one.
    """

    title: str
    figure: str
    notes: Sequence[str]
    screen: str
    state: str = "open"
    rubric: str | None = None


class Next(NamedTuple):
    """The one next thing to do: why, where, the words on its button, and by which rubric if one.

    `judge`: the judge that its screen opens, if one.
    """

    why: str
    screen: str
    label: str
    rubric: str | None = None
    judge: str | None = None


class Loop(NamedTuple):
    """State of the loop in one sentence, the steps, the next action, and the last day's news."""

    headline: str
    steps: list[Step]
    next: Next
    news: list[str]


def loop(
    store: Store, sheet: Sheet, best: Headline | None = None, alerts: Sequence[str] = ()
) -> Loop:
    """Return the state of a sheet.

    Args:
        store: The open store.
        sheet: The sheet.
        best: The best judge's agreement; None where undefined.
        alerts: The annotators with an open alert: no step that rests on grades is then done.
    """
    annotators = sheet_progress.graded(store, sheet.id)
    judges = sheet_progress.judged(store, sheet.id)
    labels = sheet_grading.labels_of_sheet(store, sheet)
    assigned = assignments.of_sheet(store, sheet.id)
    decision, then = decided(store, sheet, annotators, llm_judges(judges) if best else 0)
    models = len(sheet.answer_models)
    notes = [
        counted(sheet.questions, "question"),
        *([counted(models, "answering model")] if models else []),
    ]
    steps = [
        Step("Sheet", counted(sheet.items, "answer"), notes, "data", "done"),
        _graded_step(store, sheet, annotators, labels, assigned),
        _judged_step(annotators, judges, labels),
        _agreement_step(annotators, judges, labels, best),
        decision,
    ]
    if alerts:
        steps[3:] = [step._replace(state="open") for step in steps[3:]]
        why = f"Nothing is concluded while an alert is open: {', '.join(alerts)}."
        found = Next(why, "progress", "Check the annotator alerts")
    else:
        found = (
            _missing(store, sheet, annotators, judges, labels)
            or _unbeaten(best, then)
            or then
            or Next("Annotators and judges have graded the same answers.", "agreement", _READ)
        )
    if found.screen == "agreement" and labels.waiting:
        found = found._replace(why=f"{found.why} {_waiting(labels)}")
    place = _PLACES.get(found.screen, 4)
    steps[place] = steps[place]._replace(state="next")
    if assigned.done < assigned.total:
        headline = f"{assigned.done:,} of {assigned.total:,} assignments done"
    else:
        headline = _headline(sheet, annotators, judges, labels)
    if alerts:
        look = f"{len(alerts)} annotators need" if len(alerts) > 1 else f"{alerts[0]} needs"
        headline += f"; {look} a look"
    return Loop(headline, steps, found, _news(store, sheet))


def decided(store: Store, sheet: Sheet, graded: Graded, compared: int) -> tuple[Step, Next | None]:
    """Return the step of the newest decision, and what it leads to next if anything.

    `compared`: how many judges are compared with annotators.
    """
    step = Step("Decision", "Not yet", ["needs a reference judge and a margin"], "decide")
    fixed, look = decisions.of_sheet(store, sheet.id), decisions.latest(store, sheet.id)
    if not fixed:
        why = f"{compared} judges to compare. Fix what is good enough first."
        return step, Next(why, "decide", "Set the terms") if compared > 1 else None
    if look is None:
        step = step._replace(figure="Terms fixed", notes=[day_of(fixed[-1].created_at)])
        return step, Next("No interim look was taken yet.", "decide", "Take an interim look")
    choice = read(look.result)
    row = told(choice)
    verdict = row.verdict if row else choice.verdict
    judge = named(row.judge, row.simulated) if row else ""
    needed = more(choice, row if row and row.is_reference else choice)
    notes, state = [joined(": ", filter(None, [judge, row and price(row)]))], "done"
    if verdict == CANNOT_TELL:
        state = "open"
        notes = [judge, f"more labels needed: {needed}"] if needed else notes
    step = step._replace(figure=capital(VERDICTS[verdict]), notes=notes, state=state)

    def unsettled(why: str, screen: str, label: str) -> tuple[Step, Next]:
        return step._replace(state="open", notes=[why]), Next(why, screen, label)

    since = sheet_progress.grades_since(store, sheet.id, look.created_at)
    # No metric enters a decision, nor do grades of an annotator who is not included.
    if any(one["kind"] != "metric" and one["name"] not in graded.without for one in since):
        return unsettled("New grades since the last look.", "decide", "Review the decision")
    if row and not row.confirmed:
        return unsettled("The present grades do not confirm it.", "decide", "See the decision")
    if row and verdict == GOOD_ENOUGH:
        if criteria := ", ".join(_failed(store, sheet, row.judge)):
            return unsettled(f"{judge} fails on {criteria}.", "judges", _ANOTHER)
        return step, None if choice.simulated else _certificate(store, sheet, row, judge)
    if verdict != CANNOT_TELL:
        return step, Next("No judge is good enough.", "judges", _ANOTHER)
    if not needed:
        return step, Next("The verdict is inconclusive.", "decide", "See the decision")
    why = f"Inconclusive. More labels needed: {needed}."
    if sheet.items <= graded.apart + graded.answers:
        return step, Next(why, "data", "Import more questions")
    return step, Next(why, "annotate", "Grade more answers")


def _certificate(store: Store, sheet: Sheet, row: Row, judge: str) -> Next:
    """Return what follows on a judge that is good enough: to write or to read its certificate."""
    kept = [one for one in of_sheet(store, sheet.id) if one.is_of(row)]
    found = Next(f"{judge} is good enough.", "certificate", "Write a certificate")
    for one in certificate_status.holding(store, kept, today()):
        why = f"{title(one)} is valid until {day_of(one.expires_at)}."
        found = Next(why, "certificate", "Certificate")
    return found


def _failed(store: Store, sheet: Sheet, judge: str) -> list[str]:
    """The criteria on which the newest look says that a judge is not good enough."""
    newest: dict[str, str] = {}
    for look in decisions.newest_looks(store, sheet.id):
        for row in read(look.result).judges:
            if row.judge == judge:
                newest.setdefault(decisions.get(store, look.decision_id).criterion, row.verdict)
    return [criterion for criterion, verdict in newest.items() if verdict == NOT]


def llm_judges(judges: JudgingProgress) -> int:
    """Return the number of judges that have graded whole answers, without the baseline."""
    return sum(name != BASELINE for name in judges.judges.values())


def _headline(sheet: Sheet, annotators: Graded, judges: JudgingProgress, labels: UnitLabels) -> str:
    """Return the state of the loop in one sentence."""
    if not annotators.answers and labels.labelled:
        done, compared = f"{labels.sentence()} labelled", len(labels.judges)
        known = bool(labels.shared)
    else:
        answers = counted(sheet.items - annotators.apart, "answer")
        every = annotators.simulated and annotators.simulated == len(annotators.annotators)
        who = "simulated annotators" if every else "annotators"
        done = f"{annotators.answers:,} of {answers} graded by {who}"
        compared, known = llm_judges(judges), bool(judges.judges)
    which = counted(compared, "judge") if compared else "the baseline"
    return f"{done}; {which} to compare" if known else done


def _graded_step(
    store: Store, sheet: Sheet, annotators: Graded, labels: UnitLabels, assigned: Progress
) -> Step:
    """Return the step, which is not done while a grading set has assigned answers left."""
    graded = sheet_grading.grading(store, sheet, annotators, labels)
    done, of = assigned
    notes, state = graded.notes, graded.state
    if done < of:
        notes, state = (*notes, f"{done:,} of {of:,} assigned answers"), "open"
    return Step("Graded", graded.figure, notes, "annotate", state)


def _judged_step(annotators: Graded, judges: JudgingProgress, labels: UnitLabels) -> Step:
    """Return the step; it counts the judges of what annotators graded, as the headline does."""
    parts = (
        (judges.simulated, f"{judges.simulated} of them simulated"),
        (labels.judged, f"verdicts on {listed(labels.judged)}"),
        (judges.cost, f"${judges.cost:,.2f} spent"),
        (judges.unpriced, f"{judges.unpriced:,} of unknown price"),
        (judges.running, f"{len(judges.running)} running"),
        (judges.unfinished, f"{len(judges.unfinished)} not finished"),
    )
    notes = [text for shown, text in parts if shown]
    if not judges.judges and (annotators.answers or not labels.judges):
        return Step("Judged", "None yet", notes, "judges")
    number = llm_judges(judges) if judges.judges else len(labels.judges)
    figure = counted(number, "judge") if number else "The baseline"
    return Step("Judged", figure, notes, "judges", "done")


def _agreement_step(
    annotators: Graded, judges: JudgingProgress, labels: UnitLabels, best: Headline | None
) -> Step:
    """Return the step, which is done where the best judge is shown to beat the baseline."""
    step = Step("Agreement", "Not yet", ["needs grades of both"], "agreement")
    if best:
        judge = named(best.judge, best.simulated)
        notes = [
            f"best of {best.of}: {judge}" if best.of > 1 else judge,
            f"exact on {spoken(best.criterion)}",
            f"majority-class baseline {percent(best.baseline)}%",
        ]
        state = "done" if best.above_baseline == "clear" else "open"
        return step._replace(figure=written(best.exact, "share"), notes=notes, state=state)
    if annotators.answers and judges.judges:
        return step._replace(figure="Ready to read", notes=())
    if labels.shared:
        notes = [listed(labels.shared)]
        return step._replace(figure="Ready to read", notes=notes, rubric=labels.rubric)
    return step


def _waiting(labels: UnitLabels) -> str:
    return f"Judges' verdicts on {listed(labels.waiting)} await labels."


def _missing(
    store: Store, sheet: Sheet, annotators: Graded, judges: JudgingProgress, labels: UnitLabels
) -> Next | None:
    """Return what keeps annotators and judges from being compared; None for nothing."""
    if not (annotators.answers and judges.judges) and not judges.unfinished:
        if labels.waiting:
            return Next(_waiting(labels), "annotate", "Create a grading set and label them")
        if labels.shared and not annotators.answers:
            why = f"Both have labelled {listed(labels.shared)}."
            return Next(why, "agreement", _READ, labels.rubric)
        if labels.labelled and not annotators.answers:
            why = f"No metric has judged {listed([*labels.labelled])}."
            return Next(why, "judges", "Run a metric judge")
    if not annotators.answers:
        for name, why in sheet_progress.not_included(store, sheet.id).items():
            if why == IS_PENDING:
                pending = said(sheet_grading.PENDING, name=name)
                return Next(pending, "progress", f"Include {name}")
        why = "An annotator has to grade first."
        if annotators.not_blind:
            why = sheet_grading.NOT_BLIND
        return Next(why, "annotate", "Create a grading set and grade")
    if judges.unfinished:
        return Next(_ended(*judges.unfinished[0]), "judges", "Resume it")
    if not judges.judges:
        why = "The baseline needs no key and shows what a judge must beat."
        return Next(why, "judges", "Run the baseline, or a judge", judge=BASELINE)
    return None


def _unbeaten(best: Headline | None, then: Next | None) -> Next | None:
    """Return that no judge is shown to beat the baseline, unless one is good enough."""
    fails = best and best.above_baseline in ("open", "fails")
    if not fails or (then and then.screen == "certificate"):
        return None
    judge = named(best.judge, best.simulated)
    why = f"{judge} is not shown to be better than the majority-class baseline."
    return Next(why, "review", "Read disagreements, change the prompt")


def _news(store: Store, sheet: Sheet) -> list[str]:
    """Return the changes of the last 24 hours, a sentence each."""
    moment = a_day_ago()
    imports = sheet_progress.imports_since(store, sheet.id, moment)
    news = [f"{row['source_name']} imported" for row in imports]
    for row in sheet_progress.grades_since(store, sheet.id, moment):
        if row["answers"]:
            name = named(row["name"], bool(row["simulated"]))
            news.append(f"{name} graded {counted(row['answers'], 'answer')}")
    if adjudicated := sheet_progress.adjudicated_since(store, sheet.id, moment):
        news.append(f"{counted(adjudicated, 'answer')} adjudicated")
    return news + [
        _ended(row["name"], row["status"], row["message"])
        for row in sheet_progress.runs_since(store, sheet.id, moment)
        if row["status"] in ("stopped", "failed")
    ]


def _ended(name: str, status: str, message: str | None) -> str:
    """Return how an unfinished run ended, with its message."""
    return joined(" ", [f"The run of {name} {status}.", message])
