"""Judge list: all judges, and the state of each on a sheet."""

from typing import NamedTuple
from urllib.parse import urlsplit

from concord.grading import sheet_progress as grading_progress
from concord.judges.definition import model, registry, stated_price
from concord.judges.definition.model import Judge
from concord.messages import joined, said
from concord.model import BASELINE, Grader, Sheet
from concord.reports.decision.cost import dollars
from concord.reports.document import Column
from concord.reports.work_list import Listed, WorkList
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.judge_state import state
from concord.reports.workflow.preset_grader import grader_of_preset, is_baseline
from concord.reports.workflow.run_offer import is_retired
from concord.reports.workflow.runs import JudgeRuns, State
from concord.store import graders
from concord.store.database import Store

RECIPES = {
    "zero_shot": said("zero-shot"),
    "few_shot": said("few-shot"),
    "own": said("prompt of its own"),
}


class Entry(NamedTuple):
    """A judge on the list; `argument` is its name for the command `judge`.

    `judge` is None where only its grades are known, `grader` where it was never run. `spent` is in
    words, '' for nothing.
    """

    argument: str
    judge: Judge | None
    grader: Grader | None
    state: State
    spent: str = ""
    own: bool = False

    def has_graded(self) -> bool:
        """True where it has graded whole answers; False for metrics and the baseline."""
        grader = self.grader
        if grader is None or grader.kind != "judge" or grader.name == BASELINE:
            return False
        return self.judge is None or self.state.counts.done > 0

    def label(self) -> str:
        """The name, with the beginning of its fingerprint where that tells it apart."""
        name, at, identity = self.argument.partition("@")
        return f"{name}{at}{identity[:6]}"

    def caption(self) -> str:
        """The state, and what the name does not say of model and prompt, in one line."""
        if self.judge is None:
            price = stated_price.stated(self.grader)
            if price is None or price.usd is None:
                return said("grades from a file")
            return said(
                "grades from a file · {price} per 1,000 answers, stated on {day}",
                price=dollars(float(price.usd)),
                day=price.on,
            )
        recipe = self.judge.recipe()
        about = [self.judge.model or "", RECIPES.get(recipe, recipe)]
        if self.judge.kind == "baseline":
            about = [said("text features, free")]
        if self.judge.kind == "metric":
            about = [said("metrics"), self.judge.model or said("computed, free")]
        about += [urlsplit(self.judge.url()).netloc] if self.own else []
        more = [part for part in about if part and part not in self.argument]
        retired = [said("retired")] if is_retired(self.judge) else []
        return joined(" · ", [*retired, self.state.words(), self.spent, *more])


LIST: WorkList[Entry] = WorkList(
    "judges",
    "judge",
    key=lambda entry: entry.argument,
    is_open=lambda entry: entry.state.is_live(),
    columns=((Column(said("judge")), Entry.label), (Column(said("state")), Entry.caption)),
)


def entries(store: Store, sheet: Sheet) -> Listed[Entry]:
    """The presets, then the user's own judges, then those whose grades came from elsewhere."""
    ran = workflow_runs.of_judges(store, sheet)
    known = {g.label(): g for kind in registry.KINDS for g in graders.of_kind(store, kind)}
    rubrics: dict = {}
    found = []
    for name, judge in model.presets().items():
        grader = grader_of_preset(store, sheet, judge, known, rubrics)
        found.append(_entry(store, sheet, name, judge, grader, ran))
    taken = {entry.grader.id for entry in found if entry.grader}
    rest = [grader for grader in known.values() if grader.id not in taken]
    own = {g.label(): kept for g in rest if (kept := registry.stored(g))}
    for label, judge in own.items():
        entry = _entry(store, sheet, label, judge, known[label], ran)
        found.append(entry._replace(own=True))
    here = set(grading_progress.judged(store, sheet.id).judges)
    never = workflow_runs.NEVER
    found += [
        Entry(grader.label(), None, grader, never)
        for grader in rest
        if grader.kind == "judge"
        and grader.label() not in own
        and grader.name in here
        and not is_baseline(grader)
    ]
    return LIST.of(found, ordered=False)


def headline(sheet: Sheet, found: Listed[Entry]) -> tuple[str, str]:
    """The screen's title and a line below it."""
    live = [entry for entry in found if entry.state.is_live()]
    graded = {e.grader.name for e in found if e.has_graded()}
    if live:
        names = ", ".join(entry.argument for entry in live)
        if len(live) == 1:
            title = said("{judge} is running on “{sheet}”", judge=names, sheet=sheet.name)
        else:
            title = said("{judges} are running on “{sheet}”", judges=names, sheet=sheet.name)
    elif len(graded) == 1:
        title = said("1 judge has graded “{sheet}”", sheet=sheet.name)
    elif graded:
        title = said("{n:,} judges have graded “{sheet}”", n=len(graded), sheet=sheet.name)
    else:
        title = said("No judge has graded “{sheet}” yet", sheet=sheet.name)
    return title, said(
        "A judge grades every answer by the rubric; a judge for metrics computes metrics. A call "
        "that was answered is never paid for again."
    )


def _entry(
    store: Store,
    sheet: Sheet,
    argument: str,
    judge: Judge,
    grader: Grader | None,
    ran: JudgeRuns,
) -> Entry:
    found, paid = workflow_runs.NEVER, ""
    if grader and judge.kind == "baseline":
        found = workflow_runs.of_row(ran.latest.get(grader.id), False, False) or found
    elif grader:
        found = state(store, sheet.id, grader)
        total = ran.spent.get(grader.id)
        paid = total.money() if total and total.calls else ""
    return Entry(argument, judge, grader, found, paid)
