"""Judging: which judges there are, how each stands with a sheet, and what its run box says."""

import json
import os
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from concord import clock
from concord.grading import progress as grading_progress
from concord.judges import few_shot
from concord.judges.baseline import run as baseline_run
from concord.judges.definition import model, registry
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import job as measuring
from concord.judges.prompting.request import fingerprint
from concord.judges.running import batch_status, launch, progress, run_lock
from concord.judges.running.estimate import Estimate
from concord.judges.running.progress import Counts
from concord.judges.transport import api_keys
from concord.language.plurals import counted
from concord.messages import joined, restored, said
from concord.metrics.selection import choice
from concord.problems import Problem
from concord.reports.workflow import concurrent_judges
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State
from concord.store import batches, graders, runs
from concord.store.batches import Batch
from concord.store.database import Row, Store
from concord.store.graders import Grader
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet

NOTHING = said("Nothing left to ask")
RECIPES = {
    "zero_shot": said("zero-shot"),
    "few_shot": said("few-shot"),
    "own": said("prompt of its own"),
}
# How a run ended, as it is stored.
ENDS = {
    "running": said("running"),
    "done": said("done"),
    "stopped": said("stopped"),
    "failed": said("failed"),
}


class Entry(NamedTuple):
    """A judge on the list; `argument` is what the verb `judge` calls it.

    `judge` is None where only its grades are known, `grader` where it was never run. `spent` is
    in words, '' where nothing was.
    """

    argument: str
    judge: Judge | None
    grader: Grader | None
    state: State
    spent: str = ""
    own: bool = False

    def has_graded(self) -> bool:
        """Whether it has graded whole answers; a metric and the baseline are no judges of them."""
        grader = self.grader
        if grader is None or grader.kind != "judge" or grader.name == baseline_run.BASELINE:
            return False
        return self.judge is None or self.state.counts.done > 0

    def label(self) -> str:
        """The name, with the beginning of its fingerprint where that tells it apart."""
        name, at, identity = self.argument.partition("@")
        return f"{name}{at}{identity[:6]}"

    def caption(self) -> str:
        """The state, and what the name does not say of model and prompt, in one line."""
        if self.judge is None:
            return said("grades from a file")
        recipe = self.judge.recipe()
        about = [self.judge.model or "", RECIPES.get(recipe, recipe)]
        if self.judge.kind == "baseline":
            about = [said("text features, free")]
        if self.judge.kind == "metric":
            about = [said("measures"), self.judge.model or said("computed, free")]
        about += [urlsplit(self.judge.url()).netloc] if self.own else []
        more = [part for part in about if part and part not in self.argument]
        retired = [said("retired")] if is_retired(self.judge) else []
        return joined(" · ", [*retired, self.state.words(), self.spent, *more])


def entries(store: Store, sheet: Sheet) -> list[Entry]:
    """The presets, then the user's own judges, then those whose grades came from elsewhere."""
    latest, spent = _runs(store, sheet)
    known = {g.label(): g for kind in registry.KINDS for g in graders.of_kind(store, kind)}
    rubrics: dict = {}
    found = []
    for name, judge in model.presets().items():
        grader = _of_preset(store, sheet, judge, known, rubrics)
        found.append(_entry(store, sheet, name, judge, grader, latest, spent))
    taken = {entry.grader.id for entry in found if entry.grader}
    rest = [grader for grader in known.values() if grader.id not in taken]
    own = {g.label(): kept for g in rest if (kept := registry.stored(g))}
    for label, judge in own.items():
        entry = _entry(store, sheet, label, judge, known[label], latest, spent)
        found.append(entry._replace(own=True))
    here = set(grading_progress.judged(store, sheet.id).judges)
    never = workflow_runs.NEVER
    found += [
        Entry(grader.label(), None, grader, never)
        for grader in rest
        if grader.kind == "judge"
        and grader.label() not in own
        and grader.name in here
        and not _is_baseline(grader)
    ]
    return found


def headline(sheet: Sheet, found: list[Entry]) -> tuple[str, str]:
    """The screen's title and a line below it."""
    live = [entry for entry in found if entry.state.is_live()]
    graded = {e.grader.name for e in found if e.has_graded()}
    if live:
        names = ", ".join(entry.argument for entry in live)
        if len(live) == 1:
            title = said("{judge} is at work on “{sheet}”", judge=names, sheet=sheet.name)
        else:
            title = said("{judges} are at work on “{sheet}”", judges=names, sheet=sheet.name)
    elif len(graded) == 1:
        title = said("1 judge has graded “{sheet}”", sheet=sheet.name)
    elif graded:
        title = said("{n:,} judges have graded “{sheet}”", n=len(graded), sheet=sheet.name)
    else:
        title = said("No judge has graded “{sheet}” yet", sheet=sheet.name)
    return title, said(
        "A judge grades every answer by the rubric; one for measures finds their numbers. What has "
        "been asked and answered is never asked, or paid, again."
    )


def state(store: Store, sheet_id: int, grader: Grader | None) -> State:
    """How the newest run of a judge over a sheet stands now; a dead process's run is closed."""
    if grader is None:
        return workflow_runs.NEVER
    place = run_lock.of_judge(sheet_id, grader.id)
    alive, at_work = launch.is_alive(store, place), run_lock.is_running(store, place)
    begun = alive and launch.has_begun(store, place)
    found = workflow_runs.of_row(runs.shown(store, sheet_id, grader.id), alive, at_work, begun)
    found = found or workflow_runs.NEVER
    found = found._replace(waiting=tuple(batches.pending(store, sheet_id, grader.id)))
    if found.phase == "running":
        others = concurrent_judges.at_the_same_server(store, found.run_id, grader)
        found = found._replace(beside=concurrent_judges.sentence(others))
    trouble = "" if found.is_live() else launch.trouble(store, place)
    return workflow_runs.with_trouble(found, trouble)


def is_retired(judge: Judge) -> bool:
    """Whether the model's maker has retired it by now."""
    return judge.retired is not None and judge.retired <= clock.today()


def key_sentence(judge: Judge, environ: Mapping[str, str] = os.environ) -> str:
    """Whether the key is there, in words; the key itself is never looked at."""
    name = judge.endpoint.api_key_env
    if judge.endpoint.auth_style() == "none":
        return said("This server needs no key.")
    if not api_keys.may_go(name, judge.url(environ), environ):
        return said(
            "No key is sent to {url}: whoever runs Concord has not named it for {name}. Ask them, "
            "or give the judge another server.",
            url=judge.url(environ),
            name=name,
        )
    if environ.get(name, "").strip():
        return said("The key is there: {name} is set.", name=name)
    if judge.is_local(environ):
        return said("{name} is not set; a server on this machine mostly needs no key.", name=name)
    return said(
        "{name} is not set. Stop Concord, set it in the terminal (export {name}=...), and start "
        "Concord again.",
        name=name,
    )


def has_key(judge: Judge, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a run would find the key it needs."""
    try:
        api_keys.key(judge, environ)
    except Problem:
        return False
    return True


def batch_line(batch: Batch) -> str:
    """How an open batch stood when the server was last asked, in words."""
    made, asked = (text[:16].replace("T", " ") for text in (batch.created_at, batch.asked_at))
    questions = counted(batch.questions, "question")
    if batch.remote_id is None:
        return said(
            "A batch of {questions} of {made} (UTC) has not reached the server yet.",
            questions=questions,
            made=made,
        )
    return said(
        "A batch of {questions} was handed over at {made} (UTC). When last asked, at {asked}, it "
        "was {status}, {done:,} answered. It is not asked live meanwhile.",
        questions=questions,
        made=made,
        asked=asked,
        status=batch.status.replace("_", " "),
        done=batch_status.read(batch.told).done,
    )


def batch_lines(found: State) -> list[str]:
    """The open batches in words, the first three one by one."""
    lines = [batch_line(batch) for batch in found.waiting[:3]]
    rest = len(found.waiting) - len(lines)
    if not rest:
        return lines
    return [*lines, said("And {more}.", more=counted(rest, "more batch", "more batches"))]


def way(expected: Estimate, batch: bool) -> str:
    """Asking live or as a batch, and at what price, in words."""
    if batch:
        price = workflow_runs.price(expected.batch_cost)
        return said("As a batch, answers come within a day: {price}", price=price)
    return said("Live, answers come at once: {price}", price=workflow_runs.price(expected.cost))


def run_label(expected: Estimate, begun: bool, batch: bool = False) -> str:
    """What the button does and at what price."""
    if is_all_done(expected):
        return NOTHING
    if not expected.calls:
        return said("Store what is known already, free")
    calls = counted(expected.calls, "call")
    if batch:
        price = workflow_runs.price(expected.batch_cost)
        return said("Hand over: {calls}, {price}", calls=calls, price=price)
    price = workflow_runs.price(expected.cost)
    return said(
        "Resume: {calls}, {price}" if begun else "Run: {calls}, {price}", calls=calls, price=price
    )


def is_all_done(expected: Estimate) -> bool:
    """Whether the judge has nothing left to do on a sheet."""
    return not expected.calls and not expected.cached and not expected.too_long


def done_sentence(counts: Counts) -> str:
    """What a run that went through came to."""
    told = {
        "grades": counts.statuses["scored"],
        "calls": counts.calls,
        "tokens": progress.tokens(counts.tokens_in, counts.tokens_out),
        "money": counts.money(),
    }
    if counts.cached:
        return said(
            "The last run is done: {grades:,} grades from {calls:,} calls, {cached:,} from the "
            "cache; {tokens}, {money}.",
            cached=counts.cached,
            **told,
        )
    return said(
        "The last run is done: {grades:,} grades from {calls:,} calls; {tokens}, {money}.", **told
    )


def history(store: Store, sheet: Sheet, grader: Grader | None) -> list[dict]:
    """The runs of a judge over a sheet, newest first, as rows of a table."""
    rows = runs.of_sheet(store, sheet.id) if grader else []
    return [
        {
            said("started"): row["started_at"],
            said("finished"): row["finished_at"] or "",
            said("ended"): ENDS.get(row["status"], row["status"]),
            said("calls"): counts.calls,
            said("from the cache"): counts.cached,
            said("done"): counts.done,
            said("cost"): counts.money(),
            said("budget, USD"): row["budget"],
            said("message"): restored(row["message"]),
        }
        for row in rows
        if row["grader_id"] == grader.id
        for counts in [progress.read(json.loads(row["counts"]))]
    ]


def _runs(store: Store, sheet: Sheet) -> tuple[dict[int, Row], dict[int, Counts]]:
    """By judge its newest run, and calls and cost of all its runs together."""
    latest: dict[int, Row] = {}
    spent: dict[int, Counts] = {}
    for row in runs.of_sheet(store, sheet.id):
        if "purpose" not in runs.scope(row):
            latest.setdefault(row["grader_id"], row)
        counts = progress.read(json.loads(row["counts"]))
        total = spent.setdefault(row["grader_id"], Counts())
        total.calls += counts.calls
        total.cost += counts.cost
        total.unpriced += counts.unpriced
    return latest, spent


def _of_preset(
    store: Store, sheet: Sheet, judge: Judge, known: dict[str, Grader], rubrics: dict
) -> Grader | None:
    """The grader that a preset is on this sheet, if it was ever run."""
    if judge.model is None and judge.kind == "metric":
        return known.get(judge.name)
    if judge.kind == "baseline":
        mine = [grader for grader in known.values() if _is_baseline(grader)]
        latest = [runs.latest(store, sheet.id, grader.id) for grader in mine]
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


def _entry(
    store: Store,
    sheet: Sheet,
    argument: str,
    judge: Judge,
    grader: Grader | None,
    latest: dict[int, Row],
    spent: dict[int, Counts],
) -> Entry:
    found, paid = workflow_runs.NEVER, ""
    if grader and judge.kind == "baseline":
        found = workflow_runs.of_row(latest.get(grader.id), False, False) or found
    elif grader:
        found = state(store, sheet.id, grader)
        total = spent.get(grader.id)
        paid = total.money() if total and total.calls else ""
    return Entry(argument, judge, grader, found, paid)


def _is_baseline(grader: Grader) -> bool:
    return grader.name == baseline_run.BASELINE and "about" in grader.definition
