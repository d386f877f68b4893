"""The state of a judge on a sheet: its newest run, its history, and what slows it down.

Each run keeps its own pace, caps included, so two at one server ask it twice as much.
"""

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from concord.judges.definition import registry
from concord.judges.running import progress
from concord.judges.running.progress import Counts
from concord.judges.running.run_lock import is_running, of_judge
from concord.messages import is_message, joined, minute, restored, said
from concord.model import Grader, Sheet
from concord.reports.document import Column, Table, table_of
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State
from concord.rubrics.model import Rubric
from concord.store import batches, graders, runs
from concord.store.database import Store

# How a run ended, as it is stored.
ENDS = {
    "running": said("running"),
    "done": said("done"),
    "stopped": said("stopped"),
    "failed": said("failed"),
}


def at_the_same_server(store: Store, run_id: int, grader: Grader) -> list[str]:
    """The names of judges that other runs ask at this run's server, on any sheet."""
    host = _host(grader)
    return [
        other.name
        for run in runs.unfinished(store)
        if run["id"] != run_id and is_running(store, of_judge(run["sheet_id"], run["grader_id"]))
        if host and _host(other := graders.get(store, run["grader_id"])) == host
    ]


def sentence(names: list[str]) -> str:
    """Return the meaning in words; '' without names."""
    if not names:
        return ""
    who = sorted(set(names))
    return said(
        "{who} is sending requests to this endpoint too. Each run has its own rate limit, so the "
        "endpoint receives the sum of both."
        if len(who) == 1
        else "{who} are sending requests to this endpoint too. Each run has its own rate limit, so "
        "the endpoint receives the sum of all.",
        who=joined(", ", who),
    )


def _host(grader: Grader) -> str | None:
    """Return a judge's host; None for one without API calls or with imported grades only."""
    judge = registry.stored(grader)
    return urlsplit(judge.url()).netloc if judge and judge.model else None


def state(
    store: Store, sheet_id: int, grader: Grader | None, rubric: Rubric | None = None
) -> State:
    """Return the state of a judge's newest run over a sheet; a dead process's run is closed.

    With the rubric it grades by, reasons name criteria with their translations.
    """
    if grader is None:
        return workflow_runs.NEVER
    shown = partial(runs.shown, store, sheet_id, grader.id)
    found = workflow_runs.at(store, of_judge(sheet_id, grader.id), shown)
    found = found._replace(waiting=tuple(batches.pending(store, sheet_id, grader.id)))
    if found.phase == "running":
        others = at_the_same_server(store, found.run_id, grader)
        found = found._replace(same_endpoint=sentence(others))
    return found._replace(counts=_named(found.counts, rubric)) if rubric else found


def _named(counts: Counts, rubric: Rubric) -> Counts:
    """Return counts whose reasons, which were stored, have the rubric's criteria again."""
    troubles: Counter[tuple[str, str]] = Counter()
    for (status, why), n in counts.troubles.items():
        values = why.values if is_message(why) else {}
        if "criterion" in values:
            named = values | {"criterion": rubric.named(values["criterion"])}
            why = why.with_values(named)
        troubles[status, why] += n
    return replace(counts, troubles=troubles)


def history(store: Store, sheet: Sheet, grader: Grader | None) -> Table:
    """Return the runs of a judge over a sheet, newest first."""
    parts = (
        (Column(said("started, UTC")), lambda pair: minute(pair[0]["started_at"])),
        (Column(said("finished, UTC")), lambda pair: minute(pair[0]["finished_at"])),
        (Column(said("status")), lambda pair: ENDS.get(pair[0]["status"], pair[0]["status"])),
        (Column(said("requests"), "count"), lambda pair: pair[1].calls),
        (Column(said("cached"), "count"), lambda pair: pair[1].cached),
        (Column(said("done"), "count"), lambda pair: pair[1].done),
        (Column(said("cost")), lambda pair: pair[1].money()),
        (Column(said("budget, USD"), "usd"), lambda pair: pair[0]["budget"]),
        (Column(said("message")), lambda pair: restored(pair[0]["message"])),
    )
    every = runs.of_sheet(store, sheet.id) if grader else ()
    mine = [row for row in every if row["grader_id"] == grader.id]
    return table_of(
        "runs", [(row, progress.read(json.loads(row["counts"]))) for row in mine], parts
    )
