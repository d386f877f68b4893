"""Judge list: all judges, and the state of each on a sheet.

The grader that a shipped judge is on a sheet.
"""

from collections import Counter
from collections.abc import Mapping

from concord.grading import sheet_progress
from concord.judges import few_shot
from concord.judges.definition import model, registry
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import job as measuring
from concord.judges.prompting.request import fingerprint
from concord.metrics.selection import choice
from concord.model import BASELINE, Grader, Sheet
from concord.reports.agreement.headline import by_judge
from concord.reports.decision.cost import cost
from concord.reports.work_list import Listed
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.judge_state import state
from concord.reports.workflow.judge_table import LIST, Agreement, Entry, differs
from concord.reports.workflow.runs import JudgeRuns
from concord.store import graders, runs
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def agreements(store: Store, sheet: Sheet) -> dict[int, Agreement]:
    """Return the agreement of each judge that has one, by grader id.

    It is on the heaviest criterion with grades, under the rubric that annotators use first.
    """
    found: dict[int, Agreement] = {}
    for name in rubric_versions.graded(store, sheet.id):
        _, rubric = rubric_versions.named(store, name)
        for judge_id, figure in by_judge(store, sheet, rubric).items():
            found.setdefault(judge_id, Agreement(name, figure))
    return found


def entries(store: Store, sheet: Sheet, agreed: Mapping[int, Agreement]) -> Listed[Entry]:
    """The user's own judges and those that ran on the sheet, then the other presets."""
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
    here, graded = (
        sheet_progress.asked(store, sheet.id),
        sheet_progress.judged(store, sheet.id).judges,
    )
    never = workflow_runs.NEVER
    found += [
        Entry(grader.label(), None, grader, never)
        for grader in rest
        if grader.id in here and grader.label() not in own and not is_baseline(grader)
    ]
    named = Counter(entry.name() for entry in found if entry.grader)

    def is_shared(entry: Entry) -> bool:
        # One that was never run shares a name with others, but they do not with it.
        return named[entry.name()] > bool(entry.grader)

    return LIST.of(
        entry._replace(
            agreement=agreed.get(entry.grader.id) if entry.grader else None,
            graded=bool(entry.grader and entry.grader.id in graded),
            cost=cost(store, sheet, entry.grader) if entry.grader else None,
            differs=differs(entry, found) if is_shared(entry) else "",
        )
        for entry in found
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
    if judge.kind == "baseline":
        used = grader and grader.definition.get("rubric")
        used = used or rubric_versions.annotators_use(store, sheet.id) or judge.rubric
        judge = judge.model_copy(update={"rubric": used})
        if grader:
            found = workflow_runs.of_row(ran.latest.get(grader.id), False, False) or found
    elif grader:
        found = state(store, sheet.id, grader)
        total = ran.spent.get(grader.id)
        paid = total.money() if total and total.calls else ""
    latest = ran.latest.get(grader.id) if grader else None
    begun = latest["started_at"] if latest else ""
    return Entry(argument, judge, grader, found, paid, last_run=begun)


def grader_of_preset(
    store: Store, sheet: Sheet, judge: Judge, known: dict[str, Grader], rubrics: dict
) -> Grader | None:
    """Return the grader that a preset is on a sheet; None where it was never run.

    `known` are graders by label; `rubrics`, those read so far by name, is filled.
    """
    if judge.model is None and judge.kind == "metric":
        return known.get(judge.name)
    if judge.kind == "baseline":
        mine = [grader for grader in known.values() if is_baseline(grader)]
        latest = [runs.newest(store, sheet_id=sheet.id, grader_id=grader.id) for grader in mine]
        return next((g for g, run in list(zip(mine, latest, strict=True))[::-1] if run), None)
    if not any(label.startswith(f"{judge.name}@") for label in known):
        return None
    if judge.kind == "metric":
        identity = measuring.fingerprint(judge, choice(judge))
        return known.get(f"{judge.name}@{identity}")
    if judge.rubric not in rubrics:
        rubrics[judge.rubric] = rubric_versions.named(store, judge.rubric)[1]
    rubric = rubrics[judge.rubric]
    shown = few_shot.gather(store, judge, rubric, sheet)
    return known.get(f"{judge.name}@{fingerprint(judge, rubric, shown)}")


def is_baseline(grader: Grader) -> bool:
    """Return True for a baseline that was trained here."""
    return grader.name == BASELINE and "about" in grader.definition
