"""The state of the calibration loop over one sheet, and the one next thing to do.

Decision state: how far the newest decision on a sheet has come, for the overview.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import a_day_ago, day_of, today
from concord.grading import assignments, sheet_progress
from concord.grading.annotators import IS_PENDING
from concord.grading.sheet_progress import Graded, JudgingProgress
from concord.messages import capital, counted, joined, listed, restored, said, spoken
from concord.model import BASELINE, Sheet
from concord.reports.agreement.headline import Headline
from concord.reports.cells import written
from concord.reports.certificate import certificate_status
from concord.reports.certificate.certificate import of_sheet
from concord.reports.certificate.document import title
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
from concord.reports.panel import sheet_grading
from concord.reports.panel.provenance import named, short_label
from concord.reports.panel.sheet_grading import SheetGrading, UnitLabels
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
        then = (why, SCREEN, "Take an interim look")
        return DecisionState("Terms fixed", "no interim look yet", False, then)
    found = read(look.result)
    row = told(found)
    verdict = row.verdict if row else found.verdict
    figure = capital(VERDICTS[verdict])
    since = sheet_progress.grades_since(store, sheet.id, look.created_at)
    # No metric enters a decision, nor do grades of an annotator who is not included.
    if any(row["kind"] != "metric" and row["name"] not in graded.without for row in since):
        why = "New grades since the last look at the decision."
        then = (why, SCREEN, "Review the decision")
        return DecisionState(figure, "new grades since", False, then)
    if row and not row.confirmed:
        why = said(
            "{judge} was found good enough, but the present grades do not confirm it.",
            judge=named(row.judge, row.simulated),
        )
        then = (why, SCREEN, "See the decision")
        return DecisionState(figure, "not confirmed by the present grades", True, then)
    if row and verdict == GOOD_ENOUGH and doubted(found):
        why = joined(" ", not_certified(found))
        then = (why, SCREEN, "See the decision")
        return DecisionState(figure, "cannot be certified", False, then)
    failed = _failed(store, sheet, row.judge) if row and verdict == GOOD_ENOUGH else []
    if failed:
        where = said("not good enough on {criteria}", criteria=joined(", ", failed))
        note = said("{judge}: {where}", judge=named(row.judge, row.simulated), where=where)
        return DecisionState(figure, note, False, _decision_status_next(found, row, failed))
    is_done, all_graded = verdict != CANNOT_TELL, sheet.items <= graded.apart + graded.answers
    following = _decision_status_next(found, row, all_graded=all_graded)
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
    note = why_not or "Needs a reference judge and a non-inferiority margin."
    if why_not or candidates < 2:
        return DecisionState("Not yet", note, False, None)
    why = said(
        "{n} judges can be compared with annotators. Define what is good enough before you see a "
        "verdict."
        if seen
        else "{n} judges have graded, but so far no answers that annotators graded. Fix what is "
        "good enough before you can see how well they agree.",
        n=candidates,
    )
    then = (why, SCREEN, "Set the terms")
    return DecisionState("Not yet", note, False, then)


def _note(found: Choice, row: JudgeFound | None) -> str:
    if row is None:
        return "there is no judge to choose yet"
    judge, needed = named(row.judge, row.simulated), _needed(found, row)
    if needed:
        return said("{judge}: more labels needed: {more}", judge=judge, more=needed)
    return said("{judge}, price per 1,000 answers: {price}", judge=judge, price=price(row))


def _needed(found: Choice, row: JudgeFound | None) -> str:
    return more(found, row if row and row.is_reference else found)


def _decision_status_next(
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
            return why, "judges", "Try another judge"
        why = said(
            "{judge} is good enough. A certificate says so, and for how long.",
            judge=named(row.judge, row.simulated),
        )
        return why, "certificate", "Write a certificate"
    if verdict != CANNOT_TELL:
        why = "No judge is good enough. Try another model or another prompt."
        return why, "judges", "Try another judge"
    needed = _needed(found, row)
    if not needed:
        return "The verdict is inconclusive.", SCREEN, "See the decision"
    why = said("The verdict is inconclusive. More labels needed: {more}.", more=needed)
    if all_graded:
        more = "Import more questions and create a grading set from them."
        return joined(" ", [why, more]), "data", "Import answers"
    return why, "annotate", "Grade more answers"


_LINKS = {
    "Sheets": "See answers",
    "Graded": "See annotators",
    "Judged": "See judges",
    "Agreement": "See agreement",
    "Decision": "Choose a judge",
}

# The place of the step that a screen belongs to; all others belong to the decision.
_PLACES = {"annotate": 1, "annotators": 1, "judges": 2, "agreement": 3}
_READ_HOW_FAR = said("Read the judges' agreement with annotators")


class Step(NamedTuple):
    """One step of the loop: its name, a summary figure, notes on it, and its screen.

    `state` is 'done', 'next' (the one thing to do now) or 'open'. `screen`: None if there is
    nothing to open yet. `rubric`: the rubric its screen opens, if one.
    """

    title: str
    figure: str
    notes: list[str]
    screen: str | None
    state: str = "open"
    rubric: str | None = None

    @property
    def link(self) -> str:
        """The words on the link to its screen."""
        return _LINKS[self.title]


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
    store: Store,
    sheet: Sheet,
    headline: Headline | None = None,
    seen: bool = False,
    why_not: str = "",
) -> Loop:
    """Return the state of a sheet.

    Args:
        store: The open store.
        sheet: The sheet.
        headline: The best judge's agreement; None where unknown.
        seen: True where a judge's agreement can be seen although there is no headline.
        why_not: Why no judge can be chosen (`candidates.why_none`); '' where one can be.
    """
    annotators, judges = (
        sheet_progress.graded(store, sheet.id),
        sheet_progress.judged(store, sheet.id),
    )
    labels = sheet_grading.labels_of_sheet(store, sheet)
    graded = sheet_grading.grading(store, sheet, annotators, labels)
    candidates = llm_judges(judges)
    seen = seen or headline is not None
    decision = decided(store, sheet, annotators, candidates, seen, why_not)
    state = "done" if decision.done else "open"
    steps = [
        _sheet_step(sheet),
        _graded_step(store, sheet, graded),
        _judged_step(annotators, judges, labels),
        _agreement_step(annotators, judges, labels, headline),
        Step("Decision", decision.figure, [decision.note], SCREEN, state),
    ]
    following = (
        _next_of_units(annotators, judges, labels)
        or _to_accept(store, sheet, annotators)
        or _next(annotators, judges, decision)
    )
    if following.screen == "certificate":
        following = _certified(store, sheet, decision) or following
    if following.screen == "agreement" and labels.waiting:
        also = said(
            "Judges' verdicts on {kinds} wait for annotators' labels too.",
            kinds=listed(labels.waiting),
        )
        following = following._replace(why=joined(" ", [following.why, also]))
    place = _PLACES.get(following.screen, 4)
    steps[place] = steps[place]._replace(state="next")
    return Loop(_headline(sheet, annotators, judges, labels), steps, following, _news(store, sheet))


def llm_judges(judges: JudgingProgress) -> int:
    """Return the number of judges that have graded whole answers, without the baseline."""
    return sum(name != BASELINE for name in judges.judges.values())


def _headline(sheet: Sheet, annotators: Graded, judges: JudgingProgress, labels: UnitLabels) -> str:
    """Return the state of the loop in one sentence."""
    if not annotators.answers and labels.labelled:
        done = said("{units} labelled by annotators", units=labels.sentence())
        if not labels.shared:
            return said("{done}, none of them by a judge yet", done=done)
        return _to_compare(done, len(labels.judges))
    answers = counted(sheet.items, "answer")
    if not (annotators.answers or annotators.not_included):
        return said(
            "{answers}, none graded blind yet"
            if annotators.not_blind
            else "{answers}, none graded by annotators yet",
            answers=answers,
        )
    counting = counted(sheet.items - annotators.apart, "answer")
    done = said("{n:,} of {answers} graded by annotators", n=annotators.answers, answers=counting)
    if not judges.judges:
        return said("{done}, none by a judge yet", done=done)
    return _to_compare(done, llm_judges(judges))


def _to_compare(done: str, judges: int) -> str:
    which = counted(judges, "judge") if judges else "the baseline"
    return said("{done}; {judges} to compare", done=done, judges=which)


def _sheet_step(sheet: Sheet) -> Step:
    notes = [counted(sheet.questions, "question")]
    if sheet.answer_models:
        models = len(sheet.answer_models)
        notes.append(counted(models, "answering model", "answering models"))
    return Step("Sheets", counted(sheet.items, "answer"), notes, "data", "done")


def _graded_step(store: Store, sheet: Sheet, graded: SheetGrading) -> Step:
    """Return the step, which is not done while a grading set has assigned answers left."""
    done, of = assignments.of_sheet(store, sheet.id)
    notes, state = graded.notes, graded.state
    if done < of:
        assigned = said("{done:,} of {of:,} assigned answers are graded.", done=done, of=of)
        notes, state = (*notes, assigned), "open"
    return Step("Graded", graded.figure, list(notes), "annotate", state)


def _judged_step(annotators: Graded, judges: JudgingProgress, labels: UnitLabels) -> Step:
    """Return the step; it counts the judges of what annotators graded, as the headline does."""
    graded = llm_judges(judges)
    if not graded and not judges.judges and not labels.judges and not judges.running:
        none = "No judge has graded this sheet."
        return Step("Judged", "None yet", [none], "judges")
    notes = []
    if judges.simulated:
        notes.append(said("{n} of them simulated", n=judges.simulated))
    if graded and graded < len(judges.judges):
        notes.append("plus the baseline")
    if labels.judged:
        notes.append(said("verdicts on {kinds}", kinds=listed(labels.judged)))
    notes.append(said("${cost:,.2f} spent", cost=judges.cost))
    if judges.unpriced:
        unpriced = counted(judges.unpriced, "reply", "replies")
        notes.append(said("{replies} of unknown price", replies=unpriced))
    if judges.running:
        notes.append(said("{n} running", n=len(judges.running)))
    if judges.unfinished:
        notes.append(said("{n} not finished", n=len(judges.unfinished)))
    if graded:
        figure = counted(graded, "judge")
    elif judges.judges:
        figure = "The baseline"
    elif annotators.answers or not labels.judges:
        return Step("Judged", "None yet", notes, "judges")
    else:
        figure = counted(len(labels.judges), "judge")
    return Step("Judged", figure, notes, "judges", "done")


def _agreement_step(
    annotators: Graded,
    judges: JudgingProgress,
    labels: UnitLabels,
    headline: Headline | None,
) -> Step:
    screen, title = "agreement", "Agreement"
    if headline:
        about = {"criterion": spoken(headline.criterion), "n": headline.n}
        notes = [
            said(
                "best of {n} judges: {judge}" if headline.of > 1 else "best judge: {judge}",
                n=headline.of,
                judge=named(headline.judge, headline.simulated),
            ),
            said("exact agreement on {criterion}, n = {n:,}", **about),
        ]
        return Step(title, written(headline.exact, "share"), notes, screen, "done")
    rubric = None
    if annotators.answers and judges.judges:
        both = "Annotators and judges have graded this sheet."
    elif labels.shared:
        both = said("Both have labelled {kinds}.", kinds=listed(labels.shared))
        rubric = labels.rubric
    else:
        takes = "It requires grades of annotators and of a judge."
        return Step(title, "Not yet", [takes], screen)
    return Step(title, "Ready to read", [both], screen, rubric=rubric)


def _next_of_units(annotators: Graded, judges: JudgingProgress, labels: UnitLabels) -> Next | None:
    """The same where units are what is graded; None where whole answers come first."""
    if (annotators.answers and judges.judges) or judges.unfinished:
        return None
    if labels.waiting:
        why = said(
            "Judges have given verdicts on {kinds}. Label them to compare the verdicts with "
            "annotators' labels.",
            kinds=listed(labels.waiting),
        )
        return Next(why, "annotate", "Create a grading set and label them")
    if labels.shared and not annotators.answers:
        why = said(
            "Annotators and judges have labelled the same {kinds}.", kinds=listed(labels.shared)
        )
        return Next(why, "agreement", _READ_HOW_FAR, labels.rubric)
    if labels.labelled and not annotators.answers:
        kinds = listed([*labels.labelled])
        why = said("Annotators have labelled {kinds}, but no metric judge has.", kinds=kinds)
        return Next(why, "judges", "Run a metric judge")
    return None


def _to_accept(store: Store, sheet: Sheet, annotators: Graded) -> Next | None:
    """Return the first pending annotator where no other has graded, or None."""
    if annotators.answers or not annotators.not_included:
        return None
    for name, why in sheet_progress.not_included(store, sheet.id).items():
        if why == IS_PENDING:
            why = said(sheet_grading.PENDING, name=name)
            return Next(why, "progress", said("Include {name}", name=name))
    return None


def _next(annotators: Graded, judges: JudgingProgress, decision: DecisionState) -> Next:
    """The thing to do now, and how to say it."""
    if not annotators.answers:
        why = (
            "Judges are compared with annotators, so an annotator has to grade first. Grades that "
            "exist already can be imported under Data."
        )
        if annotators.not_blind:
            why = sheet_grading.NOT_BLIND
        return Next(why, "annotate", "Create a grading set and grade")
    if judges.unfinished:
        return Next(_ended(*judges.unfinished[0]), "judges", "Resume it")
    if not judges.judges:
        why = "Annotators have graded. The baseline needs no key and shows what a judge must beat."
        return Next(why, "judges", "Run the baseline, or a judge", judge=BASELINE)
    if decision.next:
        return Next(*decision.next)
    why = "Annotators and judges have graded the same answers."
    if not llm_judges(judges):
        why = "Annotators and the baseline have graded; see what a judge has to beat."
    return Next(why, "agreement", _READ_HOW_FAR)


def _certified(store: Store, sheet: Sheet, decision: DecisionState) -> Next | None:
    """Return that the judge's certificate holds, so that none is to be written, or None."""
    judge, every = decision.judge, of_sheet(store, sheet.id)
    kept = [one for one in every if judge and one.judge.has(judge.judge, judge.fingerprint)]
    for one in certificate_status.holding(store, kept, today()):
        until = day_of(one.expires_at)
        why = said("{certificate} is valid until {day}.", certificate=title(one), day=until)
        return Next(why, "certificate", "Certificate")
    return None


def _news(store: Store, sheet: Sheet) -> list[str]:
    """Return the changes of the last 24 hours, a sentence each."""
    moment = a_day_ago()
    news = [
        said(
            "{file} was imported (answers)."
            if row["kind"] == "sheet"
            else "{file} was imported (grades).",
            file=row["source_name"],
        )
        for row in sheet_progress.imports_since(store, sheet.id, moment)
    ]
    news += [
        said(
            "{name} graded {answers}.",
            name=short_label(row["name"]),
            answers=counted(row["answers"], "answer"),
        )
        for row in sheet_progress.grades_since(store, sheet.id, moment)
        if row["answers"]
    ]
    if adjudicated := sheet_progress.adjudicated_since(store, sheet.id, moment):
        answers = counted(adjudicated, "answer")
        news.append(said("Adjudicated: {answers}, for the consensus.", answers=answers))
    news += [
        _ended(row["name"], row["status"], row["message"])
        for row in sheet_progress.runs_since(store, sheet.id, moment)
        if row["status"] in ("stopped", "failed")
    ]
    return news


def _ended(name: str, status: str, message: str | None) -> str:
    """Return how an unfinished run ended, with its message."""
    ended = said(
        "The run of {name} failed." if status == "failed" else "The run of {name} stopped.",
        name=name,
    )
    return joined(" ", [ended, restored(message or "")])
