"""The state of a judge on a sheet: its newest run, its history, and what slows it down.

Each run keeps its own pace, caps included, so two at one server ask it twice as much.
"""

import json
from urllib.parse import urlsplit

from concord.judges.definition import registry
from concord.judges.running import launch, progress, run_lock
from concord.judges.running.run_lock import is_running, of_judge
from concord.messages import joined, restored, said
from concord.model import Grader, Sheet
from concord.reports.document import Column, Table
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State
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
        for run in runs.going_on(store)
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


def state(store: Store, sheet_id: int, grader: Grader | None) -> State:
    """Return the state of a judge's newest run over a sheet; a dead process's run is closed."""
    if grader is None:
        return workflow_runs.NEVER
    place = run_lock.of_judge(sheet_id, grader.id)
    alive, at_work = launch.is_alive(store, place), run_lock.is_running(store, place)
    begun = alive and launch.has_begun(store, place)
    found = workflow_runs.of_row(runs.shown(store, sheet_id, grader.id), alive, at_work, begun)
    found = found or workflow_runs.NEVER
    found = found._replace(waiting=tuple(batches.pending(store, sheet_id, grader.id)))
    if found.phase == "running":
        others = at_the_same_server(store, found.run_id, grader)
        found = found._replace(beside=sentence(others))
    trouble = "" if found.is_live() else launch.trouble(store, place)
    return workflow_runs.with_trouble(found, trouble)


def history(store: Store, sheet: Sheet, grader: Grader | None) -> Table:
    """Return the runs of a judge over a sheet, newest first."""
    columns = (
        Column(said("started")),
        Column(said("finished")),
        Column(said("ended")),
        Column(said("calls"), "count"),
        Column(said("from the cache"), "count"),
        Column(said("done"), "count"),
        Column(said("cost")),
        Column(said("budget, USD"), "usd"),
        Column(said("message")),
    )
    rows = tuple(
        (
            row["started_at"],
            row["finished_at"] or "",
            ENDS.get(row["status"], row["status"]),
            *(counts.calls, counts.cached, counts.done, counts.money()),
            row["budget"],
            restored(row["message"]),
        )
        for row in (runs.of_sheet(store, sheet.id) if grader else ())
        if row["grader_id"] == grader.id
        for counts in [progress.read(json.loads(row["counts"]))]
    )
    return Table("runs", columns, rows)
