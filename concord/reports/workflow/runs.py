"""State of the newest run at a place, whatever its purpose, in numbers and in words."""

import json
from collections.abc import Callable
from typing import NamedTuple

from concord.judges.running import launch, progress, run_lock
from concord.judges.running.progress import Counts
from concord.judges.running.run_lock import RunLocation
from concord.messages import counted, duration, restored, said
from concord.model import Sheet
from concord.store import runs
from concord.store.batches import Batch
from concord.store.database import Row, Store

LIVE = ("starting", "running", "stopping", "ending")


class State(NamedTuple):
    """State of a judge's newest run over a sheet, or of a model's for a sheet being built.

    `phase` is 'never', 'starting', 'running', 'stopping', 'ending', 'done', 'stopped' or 'failed'.
    `waiting` are the open batches of the judge over the sheet, oldest first. `same_endpoint` is a
    sentence on other runs that send requests to the same server, else ''.
    """

    phase: str
    counts: Counts
    message: str = ""
    budget: float | None = None
    run_id: int | None = None
    waiting: tuple[Batch, ...] = ()
    same_endpoint: str = ""

    def is_live(self) -> bool:
        """True where a process is at work, so that the screen should refresh."""
        return self.phase in LIVE

    def words(self) -> str:
        """The state in a few words."""
        if self.waiting and not self.is_live():
            return said("a batch is pending")
        so_far, n = self.counts.so_far(), self.counts.before + self.counts.done
        any_yet = self.counts.before + self.counts.total  # no total is known before the first plan
        words = {
            "never": said("not run"),
            "starting": said("starting"),
            "running": said("running, {so_far}", so_far=so_far),
            "stopping": said("stopping"),
            "ending": said("ending, {so_far}", so_far=so_far),
            "stopped": said("stopped at {so_far}", so_far=so_far) if any_yet else said("stopped"),
            "failed": said("could not run"),
        }
        if self.phase in words:
            return words[self.phase]
        if self.counts.is_fruitless() and not self.counts.before:
            return said("no usable reply")
        if not self.counts.calls:  # the baseline and computed metrics request nothing
            return said("done")
        return said("{requests} done", requests=counted(n, "request"))


NEVER = State("never", Counts())


def at(store: Store, where: RunLocation, newest: Callable[[], Row | None] | None = None) -> State:
    """Return the state of the newest run at a place; a dead process's run is closed.

    `newest` reads that run where it is not simply the place's newest.
    """
    alive, running = launch.is_alive(store, where), run_lock.is_running(store, where)
    begun = alive and launch.has_begun(store, where)
    row = newest() if newest else where.newest(store)
    found = of_row(row, alive, running, begun) or NEVER
    return _with_trouble(found, "" if found.is_live() else launch.startup_error(store, where))


def of_row(row: Row | None, alive: bool, running: bool, begun: bool = False) -> State | None:
    """The state that a run's row tells, with what the locks tell; None where there is neither.

    `begun` says that the row is that of the process that is alive, which then stores what came.
    """
    if row is None:
        return State("starting", Counts()) if alive else None
    counts = progress.read(json.loads(row["counts"]))
    about = (counts, restored(row["message"]), row["budget"], row["id"])
    if row["status"] == "running" and running:
        return State("stopping" if row["stop_requested"] else "running", *about)
    if alive and not running:
        return State("ending", *about) if begun else State("starting", Counts())
    return State(row["status"], *about)


def _with_trouble(found: State, trouble: str) -> State:
    """The state, where a process said something before its run could begin."""
    if not trouble:
        return found
    why = trouble.removeprefix("Error: ")
    text = trouble if why == trouble else said("Error: {why}", why=said(why))
    return found._replace(phase="failed", message=text)


def live_lines(counts: Counts) -> list[str]:
    """Rate, time left, tokens and money of a run, each in words."""
    rate, left = counts.per_second(), counts.seconds_left()
    pace = said("waiting for the first reply")
    if rate is not None:
        a_minute = said("{n:,.1f} a minute", n=60 * rate)
        speed = said("{n:,.1f} a second", n=rate) if rate >= 1 else a_minute
        pace = said("{speed}, about {time} left", speed=speed, time=duration(left))
    return [pace, progress.tokens(counts.tokens_in, counts.tokens_out), counts.money()]


class JudgeRuns(NamedTuple):
    """By grader id, each judge's newest run, and calls and cost of all its runs together."""

    latest: dict[int, Row]
    spent: dict[int, Counts]


def of_judges(store: Store, sheet: Sheet) -> JudgeRuns:
    """Return the runs of judges over a sheet."""
    found = JudgeRuns({}, {})
    for row in runs.of_sheet(store, sheet.id):
        if "purpose" not in runs.scope(row):
            found.latest.setdefault(row["grader_id"], row)
        counts = progress.read(json.loads(row["counts"]))
        total = found.spent.setdefault(row["grader_id"], Counts())
        total.calls += counts.calls
        total.cost += counts.cost
        total.unpriced += counts.unpriced
    return found
