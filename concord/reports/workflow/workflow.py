"""The state of the calibration loop over one sheet, and the one next thing to do."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import a_day_ago, day_of, today
from concord.grading import assignments, sheet_progress
from concord.grading.annotators import IS_PENDING
from concord.grading.sheet_progress import Graded, JudgingProgress
from concord.messages import capital, counted, joined, listed, said, spoken
from concord.model import BASELINE, Sheet
from concord.reports.agreement.headline import Headline
from concord.reports.cells import percent, written
from concord.reports.certificate import certificate_status
from concord.reports.certificate.certificate import of_sheet
from concord.reports.certificate.document import title
from concord.reports.decision.document import more, price
from concord.reports.decision.results import CANNOT_TELL, GOOD_ENOUGH, NOT, VERDICTS, read, told
from concord.reports.panel import sheet_grading
from concord.reports.panel.provenance import named
from concord.reports.panel.sheet_grading import UnitLabels
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
    decision, then = decided(store, sheet, annotators, llm_judges(judges) if best else 0)
    steps = [
        _sheet_step(sheet),
        _graded_step(store, sheet, annotators, labels),
        _judged_step(annotators, judges, labels),
        _agreement_step(annotators, judges, labels, best),
        decision,
    ]
    found = _next(store, sheet, annotators, judges, labels, best, alerts, then)
    if found.screen == "agreement" and labels.waiting:
        also = said("Judges' verdicts on {kinds} await labels.", kinds=listed(labels.waiting))
        found = found._replace(why=joined(" ", [found.why, also]))
    if alerts:
        steps[3:] = [step._replace(state="open") for step in steps[3:]]
    place = _PLACES.get(found.screen, 4)
    steps[place] = steps[place]._replace(state="next")
    return Loop(_headline(sheet, annotators, judges, labels), steps, found, _news(store, sheet))


def decided(store: Store, sheet: Sheet, graded: Graded, compared: int) -> tuple[Step, Next | None]:
    """Return the step of the newest decision, and what it leads to next if anything.

    `compared`: how many judges are compared with annotators.
    """
    step = Step("Decision", "Not yet", ["needs a reference judge and a margin"], "decide")
    fixed, look = decisions.of_sheet(store, sheet.id), decisions.latest(store, sheet.id)
    if not fixed:
        why = said("{n} judges to compare. Fix what is good enough first.", n=compared)
        return step, Next(why, "decide", "Set the terms") if compared > 1 else None
    if look is None:
        step = step._replace(figure="Terms fixed", notes=[day_of(fixed[-1].created_at)])
        return step, Next("No interim look was taken yet.", "decide", "Take an interim look")
    choice = read(look.result)
    row = told(choice)
    verdict = row.verdict if row else choice.verdict
    judge = named(row.judge, row.simulated) if row else ""
    good = row is not None and verdict == GOOD_ENOUGH
    needed = more(choice, row if row and row.is_reference else choice)
    since = sheet_progress.grades_since(store, sheet.id, look.created_at)
    criteria = _failed(store, sheet, row.judge) if good else []
    state = "open" if verdict == CANNOT_TELL else "done"
    notes = [joined(": ", filter(None, [judge, row and price(row)]))]
    if verdict == CANNOT_TELL and needed:
        notes = [judge, said("more labels needed: {more}", more=needed)]
    # No metric enters a decision, nor do grades of an annotator who is not included.
    if any(one["kind"] != "metric" and one["name"] not in graded.without for one in since):
        state, notes = "open", ["new grades since"]
        then = Next("New grades since the last look.", "decide", "Review the decision")
    elif row and not row.confirmed:
        state, notes = "open", ["not confirmed by the present grades"]
        why = said("The present grades do not confirm {judge}.", judge=judge)
        then = Next(why, "decide", "See the decision")
    elif criteria:
        state, where = "open", joined(", ", criteria)
        notes = [judge, said("not good enough on {criteria}", criteria=where)]
        then = Next(
            said("{judge} fails on {criteria}.", judge=judge, criteria=where), "judges", _ANOTHER
        )
    elif good and choice.simulated:
        then = None
    elif good:
        kept = [one for one in of_sheet(store, sheet.id) if one.is_of(row)]
        then = Next(
            said("{judge} is good enough.", judge=judge), "certificate", "Write a certificate"
        )
        for one in certificate_status.holding(store, kept, today()):
            until = day_of(one.expires_at)
            why = said("{certificate} is valid until {day}.", certificate=title(one), day=until)
            then = Next(why, "certificate", "Certificate")
    elif verdict != CANNOT_TELL:
        then = Next("No judge is good enough.", "judges", _ANOTHER)
    elif not needed:
        then = Next("The verdict is inconclusive.", "decide", "See the decision")
    else:
        why = said("Inconclusive. More labels needed: {more}.", more=needed)
        then = Next(why, "annotate", "Grade more answers")
        if sheet.items <= graded.apart + graded.answers:
            then = Next(why, "data", "Import more questions")
    return step._replace(figure=capital(VERDICTS[verdict]), notes=notes, state=state), then


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
        done, compared = said("{units} labelled", units=labels.sentence()), len(labels.judges)
        known = bool(labels.shared)
    else:
        answers = counted(sheet.items - annotators.apart, "answer")
        every = annotators.simulated and annotators.simulated == len(annotators.annotators)
        who = "simulated annotators" if every else "annotators"
        done = said(
            "{n:,} of {answers} graded by {who}", n=annotators.answers, answers=answers, who=who
        )
        compared, known = llm_judges(judges), bool(judges.judges)
    if not known:
        return done
    which = counted(compared, "judge") if compared else "the baseline"
    return said("{done}; {judges} to compare", done=done, judges=which)


def _sheet_step(sheet: Sheet) -> Step:
    notes = [counted(sheet.questions, "question")]
    if sheet.answer_models:
        notes.append(counted(len(sheet.answer_models), "answering model"))
    return Step("Sheet", counted(sheet.items, "answer"), notes, "data", "done")


def _graded_step(store: Store, sheet: Sheet, annotators: Graded, labels: UnitLabels) -> Step:
    """Return the step, which is not done while a grading set has assigned answers left."""
    graded = sheet_grading.grading(store, sheet, annotators, labels)
    done, of = assignments.of_sheet(store, sheet.id)
    notes, state = graded.notes, graded.state
    if done < of:
        notes = (*notes, said("{done:,} of {of:,} assigned answers", done=done, of=of))
        state = "open"
    return Step("Graded", graded.figure, notes, "annotate", state)


def _judged_step(annotators: Graded, judges: JudgingProgress, labels: UnitLabels) -> Step:
    """Return the step; it counts the judges of what annotators graded, as the headline does."""
    graded = llm_judges(judges)
    parts = (
        (judges.simulated, said("{n} of them simulated", n=judges.simulated)),
        (graded and graded < len(judges.judges), "plus the baseline"),
        (labels.judged, said("verdicts on {kinds}", kinds=listed(labels.judged))),
        (judges.cost, said("${cost:,.2f} spent", cost=judges.cost)),
        (judges.unpriced, said("{n:,} of unknown price", n=judges.unpriced)),
        (judges.running, said("{n} running", n=len(judges.running))),
        (judges.unfinished, said("{n} not finished", n=len(judges.unfinished))),
    )
    notes = [text for shown, text in parts if shown]
    if not judges.judges and (annotators.answers or not labels.judges):
        return Step("Judged", "None yet", notes, "judges")
    number = graded if judges.judges else len(labels.judges)
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
            said("best of {n}: {judge}", n=best.of, judge=judge) if best.of > 1 else judge,
            said("exact on {criterion}", criterion=spoken(best.criterion)),
            said("majority-class baseline {share}%", share=percent(best.baseline)),
        ]
        state = "done" if best.above_baseline == "clear" else "open"
        return step._replace(figure=written(best.exact, "share"), notes=notes, state=state)
    if annotators.answers and judges.judges:
        return step._replace(figure="Ready to read", notes=())
    if labels.shared:
        notes = [listed(labels.shared)]
        return step._replace(figure="Ready to read", notes=notes, rubric=labels.rubric)
    return step


def _next(
    store: Store,
    sheet: Sheet,
    annotators: Graded,
    judges: JudgingProgress,
    labels: UnitLabels,
    best: Headline | None,
    alerts: Sequence[str],
    decision: Next | None,
) -> Next:
    """Return the thing to do now; what keeps later steps from being true comes first."""
    if alerts:
        why = said(
            "Nothing is concluded while an alert is open: {names}.", names=joined(", ", alerts)
        )
        return Next(why, "progress", "Check the annotator alerts")
    graded = annotators.answers and judges.judges
    if not graded and not judges.unfinished:
        if labels.waiting:
            why = said("Judges' verdicts on {kinds} await labels.", kinds=listed(labels.waiting))
            return Next(why, "annotate", "Create a grading set and label them")
        if labels.shared and not annotators.answers:
            why = said("Both have labelled {kinds}.", kinds=listed(labels.shared))
            return Next(why, "agreement", _READ, labels.rubric)
        if labels.labelled and not annotators.answers:
            why = said("No metric has judged {kinds}.", kinds=listed([*labels.labelled]))
            return Next(why, "judges", "Run a metric judge")
    if not annotators.answers:
        for name, why in sheet_progress.not_included(store, sheet.id).items():
            if why == IS_PENDING:
                pending = said(sheet_grading.PENDING, name=name)
                return Next(pending, "progress", said("Include {name}", name=name))
        why = "An annotator has to grade first."
        if annotators.not_blind:
            why = sheet_grading.NOT_BLIND
        return Next(why, "annotate", "Create a grading set and grade")
    if judges.unfinished:
        return Next(_ended(*judges.unfinished[0]), "judges", "Resume it")
    if not judges.judges:
        why = "The baseline needs no key and shows what a judge must beat."
        return Next(why, "judges", "Run the baseline, or a judge", judge=BASELINE)
    settled = decision is not None and decision.screen == "certificate"
    if best and best.above_baseline in ("open", "fails") and not settled:
        why = said(
            "{judge} is not shown to be better than the majority-class baseline.",
            judge=named(best.judge, best.simulated),
        )
        return Next(why, "review", "Read disagreements, change the prompt")
    why = "Annotators and judges have graded the same answers."
    return decision or Next(why, "agreement", _READ)


def _news(store: Store, sheet: Sheet) -> list[str]:
    """Return the changes of the last 24 hours, a sentence each."""
    moment = a_day_ago()
    news = [
        said("{file} imported", file=row["source_name"])
        for row in sheet_progress.imports_since(store, sheet.id, moment)
    ]
    news += [
        said(
            "{name} graded {answers}",
            name=named(row["name"], bool(row["simulated"])),
            answers=counted(row["answers"], "answer"),
        )
        for row in sheet_progress.grades_since(store, sheet.id, moment)
        if row["answers"]
    ]
    if adjudicated := sheet_progress.adjudicated_since(store, sheet.id, moment):
        news.append(said("{answers} adjudicated", answers=counted(adjudicated, "answer")))
    return news + [
        _ended(row["name"], row["status"], row["message"])
        for row in sheet_progress.runs_since(store, sheet.id, moment)
        if row["status"] in ("stopped", "failed")
    ]


def _ended(name: str, status: str, message: str | None) -> str:
    """Return how an unfinished run ended, with its message."""
    ended = said("The run of {name} {status}.", name=name, status=status)
    return joined(" ", [ended, message])
