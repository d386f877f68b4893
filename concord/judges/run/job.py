"""Jobs: what a model has left to do for one purpose.

A kind of job says what a task is, reads from the store which are left, prices them, and makes the
worker that does one (`Job`). The engine (`session`) estimates, confirms, locks, asks and records
every kind alike; resuming is reading the job again.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar, Self

from concord.judges.definition.model import Judge, Shot
from concord.judges.definition.prices import Price, PricedRequest
from concord.judges.run.estimate import Estimate
from concord.judges.run.lock import RunLocation, exclusive_lock, of_judge
from concord.judges.run.progress import Counts
from concord.messages import Problem, joined
from concord.model import Grader, Sheet
from concord.sampling import splits
from concord.store import graders, items, runs
from concord.store.database import Store

# How often a model is asked the same until its reply is usable.
ATTEMPTS = 3
CONCURRENCY = 16
FREE = "It sends no request and costs nothing."
GRADE_MORE = "Grade more answers, then run it again."


@dataclass(frozen=True)
class Options:
    """The user's options of a run, from the commands `judge` and `build`.

    `metrics` are for a judge of kind `metric`; empty means those that its file names.
    `scheduler` is the Dask cluster that asks, if any.
    """

    sheet_name: str | None = None
    model: str | None = None
    base_url: str | None = None
    rubric: str | None = None
    concurrency: int = CONCURRENCY
    repeats: int = 1
    limit: int | None = None
    budget: float | None = None
    only_estimate: bool = False
    yes: bool = False
    retry_unscored: bool = False
    batch: bool = False
    cancel_batch: bool = False
    metrics: tuple[str, ...] = ()
    scheduler: str | None = None

    def check(self, judge: Judge) -> None:
        """Raise a Problem for an option that a judge of this sort does not support."""
        if self.scheduler and (self.batch or self.cancel_batch):
            raise Problem("A cluster sends no batches. Leave out --scheduler or --batch.")
        supported = {
            "metrics": judge.of_metrics,
            "rubric": not judge.of_metrics,
            "batch": judge.batches,
            "cancel_batch": judge.batches,
            "scheduler": judge.asks_rubric,
            "model": judge.model or getattr(judge, "embedding", None),
            "repeats": judge.model,
            "limit": not judge.computed,
            "retry_unscored": not judge.computed,
        }
        supported["base_url"] = supported["model"]
        for field_ in fields(self):
            given = getattr(self, field_.name) != field_.default
            if given and not supported.get(field_.name, True):
                raise Problem(f"{judge.name} does not support --{option(field_.name)}.")


@dataclass(frozen=True)
class Outcome:
    """Outcome of one judge's or model's run.

    `status` is estimated, declined, submitted, pending, stopped or done. `refused`: a
    batch that the server refused as a whole; single failures are in `counts`. `combination`: what a
    combined judge gave.
    """

    name: str
    status: str
    said: str
    estimate: Estimate = field(default_factory=Estimate)
    counts: Counts = field(default_factory=Counts)
    refused: bool = False
    combination: Any = None

    @property
    def failed(self) -> bool:
        """Tell if a request got no reply, or a batch was refused."""
        return self.refused or self.counts.statuses["failed"] > 0

    @property
    def may_be_used(self) -> bool:
        """Tell if replies were asked for: not only estimated, declined or left to another run."""
        return self.status in ("done", "stopped")

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.name}: {self.said}"

    def as_json(self, called: str = "judge") -> dict[str, Any]:
        """The outcome for `--json`; `called` is what the name is of."""
        return {
            called: self.name,
            "status": self.status,
            "said": self.said,
            "failed": self.failed,
            "estimate": self.estimate.as_json(),
            "counts": self.counts.as_dict(),
        } | (self.combination.as_json() if self.combination else {})


# Does one task: asks until it is settled, and puts every reply on disk before the next request.
Work = Callable[[Any], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Job:
    """The remaining work of a judge's model for one purpose, for the sheet `sheet_name`.

    A kind of job has these methods:

    - `left(store)` returns the fields that depend on what is stored, by name (`by_state`);
    - `place(store)` is the location of its runs: lock, log and rows;
    - `held(store)` holds the lock in a with-block; a Problem where another process may send the
      same requests;
    - `priced(store, tasks)` yields the requests of each task;
    - `scope()` is what is stored with a run;
    - `workload(session)` returns the pending tasks, with what is read from the store, and what does
      one (`Work`);
    - `command(db, argument, options)` is the command line that does the same, where the command
      calls the judge `argument`.

    Attributes:
        judge: The judge that is asked, overrides applied.
        rubric_id: The rubric that it grades by, if any; `shots` are its examples.
        retry_unscored: Asks again where earlier replies were of no use.
        pending: What must be asked, a task of any form each.
        cached: Tasks with a good reply on disk that only lack what is made of it.
        settled: How many tasks are done.
        failed: How many of `pending` failed before; they come last, so that a few that a server
            always refuses do not end each run before it has begun.
        in_batch: How many tasks an open batch asks; they are in none of the lists.
        as_of: The store's count of changes when the job was read; None where it was not.
    """

    sampled: ClassVar[int] = 50  # at least so many tasks are priced for an estimate
    retry_option: ClassVar[str] = "`--retry-unscored`"

    judge: Judge
    rubric_id: int | None = None
    shots: tuple[Shot, ...] = ()
    retry_unscored: bool = False
    pending: list[Any] = field(default_factory=list)
    cached: list[Any] = field(default_factory=list)
    settled: int = 0
    failed: int = 0
    in_batch: int = 0
    as_of: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """The judge, or the model, as sentences name it."""
        return self.judge.name

    def take_cached(self, store: Store, run_id: int, counts: Counts) -> bool:
        """Settle the tasks of `cached`, before the first request; True if the run is to stop."""
        return False

    def begin(
        self, store: Store, expected: Mapping[str, Any], budget: float | None, **more: Any
    ) -> int:
        """Record the start of a run; returns its id.

        `expected` is the estimate as JSON, and `more` joins the scope stored with the run.
        """
        about = self.scope() | more, [shot.id for shot in self.shots], expected, budget
        return runs.start(store, *about, rubric_id=self.rubric_id, **self.place(store).shown)

    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""
        return replace(self, as_of=store.changes(), **self.left(store))

    @contextmanager
    def locked(self, store: Store) -> Iterator[Self]:
        """Hold the lock and yield the job, read again if anything was written to the store since.

        Its lists are emptied then: two copies of them take twice the memory.
        """
        unchanged = store.changes() == self.as_of
        self.place(store)  # registers a judge that is new to the store, which changes no job
        before = store.changes()
        with self.held(store):
            if unchanged and store.changes() == before:
                yield self
                return
            # Stale: another run may have settled part of it since it was read.
            self.pending.clear()
            self.cached.clear()
            yield self.renewed(store)

    def counts(self) -> Counts:
        """The counts of a run that has asked nothing yet."""
        return Counts(total=len(self.pending) + len(self.cached), before=self.settled)

    def estimate(self, store: Store, prices: Sequence[Price] | None = None) -> Estimate:
        """Return the estimated requests, tokens and USD; `prices` are those of prices.toml.

        Evenly spaced tasks are priced, at least `sampled` and fewer than twice as many.
        """
        sample = self.pending[:: max(1, len(self.pending) // self.sampled)]
        requests, scale = [*self.priced(store, sample)], len(self.pending) / max(1, len(sample))
        known = {
            "cached": len(self.cached),
            "failed": self.failed,
            "settled": self.settled,
            "new": len(self.pending) - self.failed,
            "in_batch": self.in_batch,
            "batches": self.judge.batches,
        } | self.counted(requests, scale)
        flat = chain.from_iterable(requests)
        return Estimate.of(self.judge, flat, scale, prices, **known)

    def counted(self, requests: Sequence[list[PricedRequest]], scale: float) -> dict[str, Any]:
        """Return fields of the estimate that this kind of job counts in another way."""
        return {}

    def remarks(self) -> list[str]:
        """Sentences to read with the estimate and the outcome."""
        return []

    def summary(self, counts: Counts, expected: Estimate) -> str:
        """Return sentences on how far a run got."""
        return joined(" ", [counts.outcome(), expected.waiting(), *self.remarks()])


@dataclass(frozen=True, kw_only=True)
class JudgeJob(Job):
    """The remaining work of a judge on a sheet, by a rubric or for metrics.

    `closed` counts the items that are never scored and so never asked.
    """

    kind: ClassVar[str]

    sheet: Sheet
    fingerprint: str
    repeats: int = 1
    limit: int | None = None
    closed: int = 0

    @property
    def sheet_name(self) -> str:
        """The sheet that the run is for."""
        return self.sheet.name

    @property
    def label(self) -> str:
        """The label of the judge as a grader."""
        return f"{self.judge.name}@{self.fingerprint}" if self.fingerprint else self.judge.name

    def definition(self) -> dict[str, Any]:
        """Return what is stored of the judge as a grader."""
        return {"judge": stored_form(self.judge)}

    def grader(self, store: Store) -> Grader | None:
        """Return the judge as a grader; None where it is new to the store."""
        return graders.find(store, self.kind, self.label)

    def register(self, store: Store) -> int:
        """Return the judge's id as a grader, made now where it is new."""
        of = self.kind, self.judge.name, self.fingerprint
        return graders.ensure(store, *of, definition=self.definition())

    def place(self, store: Store) -> RunLocation:
        """Return the location of its runs."""
        return of_judge(self.sheet.id, self.register(store))

    def closed_questions(self, store: Store) -> set[int]:
        """The questions that are not asked: no figure will score them, so it would be waste."""
        return splits.leaked(store, self.sheet.id)

    def contents(self, store: Store) -> tuple[dict[str, list[int]], int]:
        """Return the ids of the items by content, and how many are of closed questions."""
        shut, found = self.closed_questions(store), defaultdict(list)
        number, closed = 0, 0
        for item_id, question_id, content_hash in items.hashes(store, self.sheet.id):
            if question_id in shut:
                closed += 1
            elif number != self.limit:
                number += 1
                found[content_hash].append(item_id)
        return found, closed

    def alike(self, store: Store) -> list[int]:
        """Return the ids of the judges that send the same requests; empty for a new judge."""
        known = self.grader(store)
        return [known.id] if known else []

    def held(self, store: Store) -> AbstractContextManager[None]:
        """Hold the lock of the judge and the sheet.

        Raises:
            Problem: Another run of this judge may ask about the same contents.
        """
        # A judge without a model pays for nothing, so it may run over shared answers twice.
        wanted = {task.content_hash for task in self.pending} if self.judge.model else ()
        own = self.register(store)
        return exclusive_lock(store, self.sheet, own, {own, *self.alike(store)}, wanted)

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return {key: getattr(self, key) for key in ("limit", "repeats", "retry_unscored")}

    def command(self, db: str, argument: str, options: Options) -> list[str]:
        """The command line that does the same."""
        given = vars(options) | {"sheet_name": self.sheet_name, "yes": True}
        return command_line(db, "judge", given, judge_argument(argument))


def by_state(found: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a job from the state of each task that is told.

    What failed before comes last, so that a few answers that a server always refuses do not end
    each run before it has begun.
    """
    tasks, counts = {"new": [], "failed": [], "cached": []}, Counter()
    for state, task in found:
        counts[state] += 1
        if state in tasks:
            tasks[state].append(task)
    numbers = {state: counts[state] for state in ("settled", "in_batch", "failed")}
    return {"pending": tasks["new"] + tasks["failed"], "cached": tasks["cached"], **numbers}


def blocks(given: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield what is given in lists of at most so many."""
    rest = iter(given)
    while block := list(islice(rest, size)):
        yield block


def stored_form(judge: Judge) -> dict[str, Any]:
    """The judge as it is stored: with the address it is asked at.

    So it stays the same judge when OPENAI_BASE_URL changes.
    """
    as_it_is = judge.model is None or judge.endpoint.azure_endpoint is not None
    return json.loads((judge if as_it_is else judge.with_overrides(base_url=judge.url())).body())


def command_line(db: str, verb: str, options: Mapping[str, Any], *arguments: str) -> list[str]:
    """The command line of a command; options that are None, False or empty are left out."""
    given = {
        f"--{option(key)}": ",".join(value) if isinstance(value, tuple) else value
        for key, value in options.items()
        if value is not None and value is not False and value != ()
    }
    # With `=`, so that a value that begins with a dash is not read as an option.
    named = [name if value is True else f"{name}={value}" for name, value in given.items()]
    # `--` before the arguments: a judge's file may begin with a dash.
    base = [sys.executable, "-m", "concord", "--db", str(Path(db).resolve()), verb]
    return [*base, *named, "--", *arguments]


def option(field: str) -> str:
    """Return what the command line calls an option."""
    called = {"repeats": "repeat", "sheet_name": "sheet"}
    return called.get(field, field.replace("_", "-"))


def judge_argument(name_or_path: str) -> str:
    """A judge as another process finds it, whatever its working folder."""
    is_file = name_or_path.endswith(".toml")
    return str(Path(name_or_path).resolve()) if is_file else name_or_path
