"""The state of the calibration loop over one sheet, and the one next thing to do."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.clock import a_day_ago, day_of
from concord.grading import assignments, sheet_progress
from concord.grading.annotators import IS_PENDING
from concord.grading.sheet_progress import Graded, JudgingProgress
from concord.messages import capital, counted, joined, listed, said, spoken
from concord.model import BASELINE, Sheet
from concord.reports.agreement.agreement import Headline
from concord.reports.cells import written
from concord.reports.decision.document import more
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
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
_BUTTONS = {
    "data": "Import more questions",
    "annotate": "Create a grading set",
    "progress": "Check the annotators",
    "judges": "Run a judge",
    "agreement": "Read the judges' agreement",
    "review": "Read disagreements",
    "decide": "See the decision",
    "certificate": "See the certificate",
}
_WAITING = "Judges' verdicts await labels."
_TO_COMPARE = " to compare"


class Step(NamedTuple):
    """One step of the loop: its name, a summary figure, notes on it, and its screen.

    `state` is 'done', 'next' (the one thing to do now) or 'open'. `query`: what its screen opens.
    """

    title: str
    figure: str
    notes: Sequence[str]
    screen: str
    state: str = "open"
    query: Mapping[str, str] | None = None


class Next(NamedTuple):
    """The one next thing to do: why, where, and what its screen opens."""

    why: str
    screen: str
    query: Mapping[str, str] | None = None

    def label(self) -> str:
        """Return the words on its button."""
        return _BUTTONS[self.screen]


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
    graded = sheet_grading.grading(store, sheet, annotators, labels)
    decision, then = decided(store, sheet, annotators, llm_judges(judges) if best else 0)
    is_left = assigned.done < assigned.total
    steps = [
        Step("Sheet", counted(sheet.items, "answer"), _sizes(sheet), "data", "done"),
        Step(
            "Graded", graded.figure, graded.notes, "annotate", "open" if is_left else graded.state
        ),
        _judged_step(annotators, judges, labels),
        _agreement_step(annotators, judges, labels, best),
        decision,
    ]
    if alerts:
        steps[3:] = [step._replace(state="open") for step in steps[3:]]
    headline = graded.sentence or "No answer is graded yet"
    if steps[2].state == "done":
        headline += "; " + steps[2].figure + _TO_COMPARE
    found = _next(store, sheet, annotators, judges, labels, best, then, alerts)
    place = _PLACES.get(found.screen, 4)
    steps[place] = steps[place]._replace(state="next")
    if is_left:
        headline = f"{assigned.done:,} of {assigned.total:,} assignments done"
    if alerts:
        headline += "; to look at: " + ", ".join(alerts)
    return Loop(headline, steps, found, _news(store, sheet))


def decided(store: Store, sheet: Sheet, graded: Graded, compared: int) -> tuple[Step, Next | None]:
    """Return the step of the newest decision, and what it leads to next if anything.

    `compared`: how many judges are compared with annotators.
    """
    step = Step("Decision", "None yet", (), "decide")
    fixed, look = decisions.of_sheet(store, sheet.id), decisions.latest(store, sheet.id)
    if not fixed:
        why = counted(compared, "judge") + _TO_COMPARE
        return step, Next(why, "decide") if compared > 1 else None
    if look is None:
        step = step._replace(figure="Terms fixed", notes=[day_of(fixed[-1].created_at)])
        return step, Next("No interim look was taken yet.", "decide")
    choice = read(look.result)
    row = told(choice)
    verdict = row.verdict if row else choice.verdict
    judge = named(row.judge, row.simulated) if row else ""
    needed = more(choice, row if row and row.is_reference else choice)
    is_open = verdict == CANNOT_TELL
    notes = [judge, "more labels: " + needed] if is_open and needed else [judge]
    step = step._replace(
        figure=capital(VERDICTS[verdict]), notes=notes, state="open" if is_open else "done"
    )
    fails = ", ".join(_failed(store, sheet, row.judge)) if row and verdict == GOOD_ENOUGH else ""
    since = sheet_progress.grades_since(store, sheet.id, look.created_at)
    # No metric enters a decision, nor do grades of an annotator who is not included.
    is_stale = any(one["kind"] != "metric" and one["name"] not in graded.without for one in since)
    for unsettled, why, screen in (
        (is_stale, "New grades since the last look.", "decide"),
        (row and not row.confirmed, "The present grades do not confirm it.", "decide"),
        (fails, "Not good enough on " + fails, "judges"),
    ):
        if unsettled:
            return step._replace(state="open", notes=[why]), Next(why, screen)
    if row and verdict == GOOD_ENOUGH:
        then = Next(judge + " is good enough.", "certificate")
        return step, None if choice.simulated else then
    if not is_open:
        return step, Next("No judge is good enough.", "judges")
    why = "The verdict is inconclusive."
    if not needed:
        return step, Next(why, "decide")
    if sheet.items <= graded.apart + graded.answers:
        return step, Next(why, "data")
    return step, Next(why, "annotate")


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


def _sizes(sheet: Sheet) -> list[str]:
    models = len(sheet.answer_models)
    notes = [counted(sheet.questions, "question")]
    return [*notes, counted(models, "answering model")] if models else notes


def _judged_step(annotators: Graded, judges: JudgingProgress, labels: UnitLabels) -> Step:
    """Return the step; it counts the judges of what annotators graded, as the headline does."""
    parts = (
        (labels.judged, "verdicts on " + listed(labels.judged)),
        (judges.cost, written(judges.cost, "usd") + " spent"),
        (judges.running, str(len(judges.running)) + " running"),
        (judges.unfinished, str(len(judges.unfinished)) + " unfinished"),
    )
    notes = [text for shown, text in parts if shown]
    if not judges.judges and (annotators.answers or not labels.judges):
        return Step("Judged", "None yet", notes, "judges")
    number = llm_judges(judges) if judges.judges else len(labels.judges)
    figure = counted(number, "judge") if number else "the baseline"
    return Step("Judged", figure, notes, "judges", "done")


def _agreement_step(
    annotators: Graded, judges: JudgingProgress, labels: UnitLabels, best: Headline | None
) -> Step:
    """Return the step, which is done where the best judge is shown to beat the baseline."""
    step = Step("Agreement", "None yet", (), "agreement")
    if best:
        notes = [
            named(best.judge, best.simulated),
            spoken(best.criterion) + ", exact",
            "majority-class baseline " + written(best.baseline, "share"),
        ]
        state = "done" if best.above_baseline == "clear" else "open"
        return step._replace(figure=written(best.exact, "share"), notes=notes, state=state)
    if annotators.answers and judges.judges:
        return step._replace(figure="Ready to read", notes=())
    if labels.shared:
        query = {"rubric": labels.rubric}
        return step._replace(figure="Ready to read", notes=[listed(labels.shared)], query=query)
    return step


def _next(
    store: Store,
    sheet: Sheet,
    annotators: Graded,
    judges: JudgingProgress,
    labels: UnitLabels,
    best: Headline | None,
    then: Next | None,
    alerts: Sequence[str],
) -> Next:
    """Return the first of what is to be done; `then` is what the decision leads to."""
    both = "Annotators and judges have graded the same answers."
    if alerts:
        why = "Nothing is concluded while an alert is open."
        return Next(why, "progress")
    if not (annotators.answers and judges.judges) and not judges.unfinished:
        if labels.waiting:
            return Next(_WAITING, "annotate")
        if labels.shared and not annotators.answers:
            return Next(both, "agreement", {"rubric": labels.rubric})
        if labels.labelled and not annotators.answers:
            return Next("No metric has judged them.", "judges")
    if not annotators.answers:
        for name, why in sheet_progress.not_included(store, sheet.id).items():
            if why == IS_PENDING:
                return Next(said(sheet_grading.PENDING, name=name), "progress")
        is_blind = not annotators.not_blind
        why = "An annotator has to grade first." if is_blind else sheet_grading.NOT_BLIND
        return Next(why, "annotate")
    if judges.unfinished:
        return Next(_ended(*judges.unfinished[0]), "judges")
    if not judges.judges:
        why = "The baseline needs no key and shows what a judge must beat."
        return Next(why, "judges", {"judge": BASELINE})
    is_settled = then and then.screen == "certificate"
    if best and best.above_baseline in ("open", "fails") and not is_settled:
        judge = named(best.judge, best.simulated)
        why = " is not shown to be better than the majority-class baseline."
        return Next(judge + why, "review")
    if then:
        return then
    return Next(_WAITING if labels.waiting else both, "agreement")


def _news(store: Store, sheet: Sheet) -> list[str]:
    """Return the changes of the last 24 hours, a sentence each."""
    moment = a_day_ago()
    imports = sheet_progress.imports_since(store, sheet.id, moment)
    news = [row["source_name"] + " imported" for row in imports]
    for row in sheet_progress.grades_since(store, sheet.id, moment):
        if row["answers"]:
            name = named(row["name"], bool(row["simulated"]))
            news.append(name + ": " + counted(row["answers"], "answer"))
    if adjudicated := sheet_progress.adjudicated_since(store, sheet.id, moment):
        news.append(counted(adjudicated, "answer") + " adjudicated")
    return news + [
        _ended(row["name"], row["status"], row["message"])
        for row in sheet_progress.runs_since(store, sheet.id, moment)
        if row["status"] in ("stopped", "failed")
    ]


def _ended(name: str, status: str, message: str | None) -> str:
    """Return how an unfinished run ended, with its message."""
    return joined(" ", ["The run of", name, status + ".", message])
