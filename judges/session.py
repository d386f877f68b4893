"""Session: one judge named by a user, from its file to the end of its run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from data import clock, rubric_versions, runs, sheets
from data.store import Store
from judges import batch, roster
from judges import job as jobs
from judges.course import CONCURRENCY, Ended
from judges.estimate import Estimate, estimate
from judges.job import Job
from judges.model import Judge
from judges.progress import Counts, usd
from judges.runner import is_running, run
from problems import Problem
from words.said import joined, said


@dataclass(frozen=True)
class Options:
    """What the user said about a run; the options of the verb `judge`.

    `measures` are for a judge of kind `metric`; none stands for those that its file names.
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
    measures: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """How a judge's session ended."""

    judge: str
    status: str
    said: str
    failed: bool
    estimate: dict
    counts: dict

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.judge}: {self.said}"

    def as_json(self) -> dict:
        """The outcome for `--json`."""
        return self._asdict()


def prepare(store: Store, name_or_path: str, options: Options) -> Job:
    """The job of a judge named by the user, overrides applied."""
    judge = roster.named(store, name_or_path).with_overrides(options.model, options.base_url)
    return prepared(store, judge, options)


def prepared(store: Store, judge: Judge, options: Options) -> Job:
    """The job of a judge."""
    if judge.kind == "metric":
        raise Problem(f"{judge.name} finds measures, by no rubric. Run it with the verb judge.")
    if judge.kind == "baseline":
        raise Problem(f"{judge.name} asks nobody. Run it with the verb judge.")
    rubric_id, rubric = rubric_versions.argument(store, options.rubric or judge.rubric)
    sheet = sheets.chosen(store, options.sheet_name)
    return jobs.prepare(
        store,
        judge,
        rubric_id,
        rubric,
        sheet,
        options.repeats,
        options.limit,
        options.retry_unscored,
    )


def judge(
    store: Store,
    name_or_path: str,
    options: Options,
    confirm: Callable[[str], bool],
    progress: Callable[[str], None] = lambda sentence: None,
) -> Outcome:
    """Run a judge over a sheet: estimate, ask about money, run; free runs never ask."""
    store.must_lead()
    found = roster.named(store, name_or_path)
    if found.kind == "baseline":
        return _baseline(store, found, options)
    job = prepared(store, found.with_overrides(options.model, options.base_url), options)
    return carry_out(store, job, options, confirm, progress)


def carry_out(
    store: Store,
    job: Job,
    options: Options,
    confirm: Callable[[str], bool],
    progress: Callable[[str], None] = lambda sentence: None,
) -> Outcome:
    """Do a job that is prepared: estimate, ask about money, run; free runs never ask.

    As a batch, the first time hands over what is left and every other time asks for the results.
    """
    if (options.batch or options.cancel_batch) and not options.only_estimate:
        waiting = _collected(store, job, options)
        if waiting:
            return waiting
    expected = estimate(store, job)
    check_budget(options.budget, expected)
    told = f"{_retirement(job)}{expected.sentence()}"
    if options.only_estimate:
        return _outcome(job, "estimated", told, expected, Counts())
    if not (options.yes or expected.is_free()) and not confirm(f"{job.judge.name}: {told}"):
        return _outcome(job, "declined", "Nothing was asked.", expected, Counts())
    if options.batch:
        return _handed(store, job, options, expected)
    running = _running(store, job) if options.budget is not None else None
    if running is not None:
        runs.set_budget(store, running, options.budget)
        told = f"It is at work; its budget is now {usd(options.budget)}."
        return _outcome(job, "running", told, expected, Counts())
    ended = _run(store, job, options, progress)
    told = " ".join(filter(None, [_told(ended), expected.waiting()]))
    return _outcome(job, ended.status, told, expected, ended.counts)


def _running(store: Store, job: Job) -> int | None:
    """The run of this judge over this sheet that is going on; None where there is none."""
    grader_id = jobs.grader_id(store, job)
    latest = runs.latest(store, job.sheet.id, grader_id)
    return latest["id"] if latest and is_running(store, job.sheet.id, grader_id) else None


def check_budget(budget: float | None, expected: Estimate) -> None:
    """A Problem where a budget could not be kept, because a price is unknown."""
    if budget is not None and expected.calls and expected.cost is None:
        raise Problem(
            said(
                "The model's price is unknown, so a budget cannot be kept. Set `price` in the "
                "judge file (0 if it is free), add it to judges/prices.toml, or set no budget."
            )
        )


def _run(store: Store, job: Job, options: Options, progress: Callable[[str], None]) -> Ended:
    from judges.client import Client  # the openai package takes half a second to import

    return run(
        store,
        job,
        lambda: Client(job.judge),
        options.budget,
        options.concurrency,
        lambda counts: progress(f"{job.judge.name}: {counts.sentence()}"),
    )


def _handed(store: Store, job: Job, options: Options, expected: Estimate) -> Outcome:
    """What is left is handed over as a batch."""
    from judges.batch_client import BatchClient

    handed = batch.submit(store, job, BatchClient, options.budget)
    status = "submitted" if handed.questions else "done"
    return _outcome(job, status, handed.sentence(), expected, handed.counts)


def _collected(store: Store, job: Job, options: Options) -> Outcome | None:
    """What became of the judge's open batches over the sheet; None where there is none.

    Those that an earlier version of the judge left open are among them.
    """
    from judges.batch_client import BatchClient

    waiting = batch.waiting(store, job.sheet, job.judge.name)
    if not waiting:
        if options.cancel_batch:
            return _outcome(job, "done", "There is no open batch.", estimate(store, job), Counts())
        return None
    cancel = options.cancel_batch
    done = [batch.collect(store, job.sheet, who, BatchClient, cancel) for who in waiting]
    counts = max((found.counts for found in done), key=lambda c: c.total)
    expected = estimate(store, jobs.renewed(store, job))
    status = "pending" if any(found.pending for found in done) else "done"
    told = " ".join(found.sentence() for found in done)
    found = _outcome(job, status, told, expected, counts)
    return found._replace(failed=found.failed or any(one.refused for one in done))


def _baseline(store: Store, preset: Judge, options: Options) -> Outcome:
    """The baseline asks nobody: it runs at once and is free."""
    from judges.baseline_run import run_baseline  # brings pandas, which no other judge needs

    if options.only_estimate:
        told = "It sends no request and costs nothing."
        return Outcome(preset.name, "estimated", told, False, {"calls": 0}, {})
    rubric_id, rubric = rubric_versions.argument(store, options.rubric or preset.rubric)
    sheet = sheets.chosen(store, options.sheet_name)
    found = run_baseline(store, sheet, rubric_id, rubric)
    if found.grader is None:
        raise Problem(
            joined(" ", [found.sentence(), said("Grade more answers, then run it again.")])
        )
    return Outcome(preset.name, "done", found.sentence(), False, {}, {"grades": found.stored})


def _retirement(job: Job) -> str:
    warning = job.judge.retirement(clock.today())
    return f"{warning} " if warning else ""


def _told(ended: Ended) -> str:
    stopped = f"Stopped. {ended.why} " if ended.status == "stopped" else ""
    return f"{stopped}{ended.counts.outcome()}"


def _outcome(job: Job, status: str, told: str, expected: Estimate, counts: Counts) -> Outcome:
    return Outcome(
        job.judge.name,
        status,
        told,
        counts.statuses["failed"] > 0,
        expected.as_json(),
        counts.as_dict(),
    )
