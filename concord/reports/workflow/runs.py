"""Runs: the state of the newest run at a place, the texts of its run box, and its tables."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from concord import clock
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band
from concord.judges.run import launch, progress
from concord.judges.run import lock as run_lock
from concord.judges.run.estimate import Estimate, price_in_words
from concord.judges.run.job import Outcome
from concord.judges.run.lock import RunLocation
from concord.judges.run.progress import USABLE, Counts
from concord.judges.transport import api_keys, batch_client
from concord.messages import Problem, counted, duration, minute, said, span
from concord.model import Sheet, status_words
from concord.reports.document import Column, Document, Table
from concord.store import runs
from concord.store.batches import Batch
from concord.store.database import Row, Store

LIVE = ("starting", "running", "stopping", "ending")


class State(NamedTuple):
    """State of a judge's newest run over a sheet, or of a model's for a sheet being built.

    `phase` is 'never', 'starting', 'running', 'stopping', 'ending', 'done', 'stopped' or 'failed'.
    `waiting` are the open batches of the judge over the sheet, oldest first.
    """

    phase: str
    counts: Counts
    message: str = ""
    budget: float | None = None
    run_id: int | None = None
    waiting: tuple[Batch, ...] = ()

    def is_live(self) -> bool:
        """True where a process is at work, so that the screen should refresh."""
        return self.phase in LIVE

    def words(self) -> str:
        """The state in a few words."""
        if self.waiting and not self.is_live():
            return "a batch is pending"
        counts, so_far = self.counts, self.counts.so_far()
        if self.is_live():
            return f"{self.phase}, {so_far}" if self.phase in ("running", "ending") else self.phase
        if self.phase in ("never", "failed", "stopped"):
            return {"never": "not run", "stopped": f"stopped, {so_far}"}.get(self.phase, self.phase)
        if counts.is_fruitless() and not counts.before:
            return "no usable reply"
        if not counts.calls:  # the baseline and computed metrics request nothing
            return "done"
        return f"{counts.before + counts.done:,} done"


NEVER = State("never", Counts())


def at(store: Store, where: RunLocation, newest: Callable[[], Row | None] | None = None) -> State:
    """Return the state of the newest run at a place; a dead process's run is closed.

    `newest` reads that run where it is not simply the place's newest.
    """
    alive, running = launch.is_alive(store, where), run_lock.is_running(store, where)
    begun = alive and launch.has_begun(store, where)
    row = newest() if newest else where.newest(store)
    found = of_row(row, alive, running, begun) or NEVER
    trouble = "" if found.is_live() else launch.startup_error(store, where)
    # A process that said something before its run could begin.
    return found._replace(phase="failed", message=trouble) if trouble else found


def of_row(row: Row | None, alive: bool, running: bool, begun: bool = False) -> State | None:
    """The state that a run's row tells, with what the locks tell; None where there is neither.

    `begun` says that the row is that of the process that is alive, which then stores what came.
    """
    if row is None:
        return State("starting", Counts()) if alive else None
    counts = progress.read(json.loads(row["counts"]))
    about = (counts, row["message"], row["budget"], row["id"])
    if row["status"] == "running" and running:
        return State("stopping" if row["stop_requested"] else "running", *about)
    if alive and not running:
        return State("ending", *about) if begun else State("starting", Counts())
    return State(row["status"], *about)


def live_lines(counts: Counts) -> list[str]:
    """Rate, time left, tokens and money of a run, each in words."""
    pace = "waiting for the first reply"
    if found := counts.pace():
        rate, left = found
        speed = f"{rate:,.1f}/s" if rate >= 1 else f"{60 * rate:,.1f}/min"
        pace = said("{speed}, about {left} left", speed=speed, left=duration(left))
    return [pace, progress.tokens(counts.tokens_in, counts.tokens_out), counts.money()]


def of_judges(store: Store, sheet: Sheet) -> dict[int, Row]:
    """Return each judge's newest run over a sheet by grader id."""
    latest: dict[int, Row] = {}
    for row in runs.of_sheet(store, sheet.id):
        if "purpose" not in runs.scope(row):
            latest.setdefault(row["grader_id"], row)
    return latest


NOTHING = "Nothing left to run"
ALL_SCORED = "Every answer has a score from this judge already."


def key_sentence(judge: Judge) -> str:
    """Return a sentence on whether the key is set; the key itself is never shown."""
    name = judge.endpoint.api_key_env
    if judge.endpoint.auth_style() == "none":
        return "This server needs no key."
    if not api_keys.may_be_sent(name, judge.url()):
        words = "No key is sent to {url}: the operator of Concord has not listed it for {name}."
        return said(words, url=judge.url(), name=name)
    if api_keys.typed.get().get(name) or api_keys.value(name):
        return said("API key: {name} is set.", name=name)
    return said("{name} is not set. Set it in the terminal before Concord starts.", name=name)


def why_no_key(judge: Judge) -> str | None:
    """Return that a run or a trial lacks its key; None where it would find it.

    It is shown below the `key_sentence`, which says what to do.
    """
    try:
        api_keys.key(judge)
    except Problem:
        return "The judge's key is missing."
    return None


def batch_line(batch: Batch) -> str:
    """Return the status of an open batch when the server was last polled, in words."""
    status, done = "not sent yet", 0
    if batch.remote_id is not None:
        done = batch_client.read_status(batch.told).done
        status = said("{status} at {at}", status=batch.status, at=minute(batch.asked_at))
    return said(
        "Batch of {at} (UTC): {done:,} of {questions:,} answered, {status}.",
        at=minute(batch.created_at),
        done=done,
        questions=batch.questions,
        status=status.replace("_", " "),
    )


def mode_and_price(expected: Estimate, batch: bool) -> str:
    """Asking live or as a batch, and at what price, in words."""
    if batch:
        return said("As a batch, within a day: {p}", p=price_in_words(expected.batch_cost))
    return said("Live: {price}", price=price_in_words(expected.cost))


def run_label(expected: Estimate, begun: bool, batch: bool = False) -> str:
    """Return the button's label with the price."""
    if not expected.calls:
        return NOTHING if is_all_done(expected) else "Store known replies, free"
    do = "Submit batch" if batch else "Resume" if begun else "Run"
    cost = expected.batch_cost if batch else expected.cost
    return f"{do}: {counted(expected.calls, 'request')}, {price_in_words(cost)}"


def is_all_done(expected: Estimate) -> bool:
    """True where the judge has nothing left to do on a sheet."""
    return not expected.calls and not expected.cached and not expected.too_long


def is_retired(judge: Judge) -> bool:
    """True where the provider has retired the model by now."""
    return judge.retired is not None and judge.retired <= clock.today()


def estimate(found: Estimate) -> Document:
    """Return what a run is expected to take: requests, tokens and price."""
    figures = {
        "requests": found.calls,
        "new": found.new if found.new != found.calls else 0,
        "do not fit the model": found.too_long,
        "done": found.settled,
        "cached": found.cached,
        "tokens in": _band(found.tokens_in),
        "tokens out": _band(found.tokens_out),
        "cost as a batch": found.calls and found.batch_cost and price_in_words(found.batch_cost),
    }
    is_priced = found.calls and found.cost and found.price
    notes = (f"Prices of {found.price.date}.",) if is_priced else ()
    table = _figures("estimate", figures)
    return Document(found.sentence(), tables=(table,), notes=(*notes, found.waiting()))


def taken(counts: Counts) -> Table:
    """Return what a run took: requests, results, tokens and cost."""
    lacking = sorted({*counts.statuses} - {*USABLE})
    figures = {
        "done": counts.done,
        "cached": counts.cached,
        "requests": counts.calls,
        "grades": counts.statuses["scored"],
        "usable replies": counts.statuses["good"],
        **{status_words(one): counts.statuses[one] for one in lacking},
        "tokens in": counts.tokens_in,
        "tokens out": counts.tokens_out,
        "cost": counts.money() if counts.calls else 0,
    }
    return _figures("taken", figures)


def document(one: Outcome) -> Document:
    """Return how a run ended, or what it is expected to take."""
    notes = estimate(one.estimate).notes if one.status == "estimated" else ()
    return Document(one.sentence(), tables=tuple(outcomes([one])), notes=notes)


def outcomes(found: Iterable[Outcome]) -> Iterator[Table]:
    """Yield what each run took, or is expected to take."""
    for one in found:
        if one.status == "estimated":
            yield from estimate(one.estimate).tables
        elif one.may_be_used and one.counts.done:
            yield taken(one.counts)


def _figures(name: str, found: Mapping[str, int | str | None]) -> Table:
    """Return one row of figures; those that are zero or unknown are left out, but not the first."""
    first, *_ = found
    kept = {head: cell for head, cell in found.items() if cell or head == first}
    columns = (Column(h, "count" if isinstance(cell, int) else "text") for h, cell in kept.items())
    return Table(name, tuple(columns), (tuple(kept.values()),))


def _band(of: Band) -> str | None:
    if of.low == of.high:
        return f"{of.low:,}" if of.high else None
    return span(*(f"{one:,}" for one in (of.low, of.high)))
