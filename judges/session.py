"""Session: one judge named by a user, from its file to the end of its run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from data import clock, rubric_versions, sheets
from data.store import Store
from judges import job as jobs
from judges import model
from judges.baseline_run import run_baseline
from judges.job import Estimate, Job
from judges.runner import CONCURRENCY, Counts, run
from problems import Problem


@dataclass(frozen=True)
class Options:
    """What the user said about a run; the options of the verb `judge`."""

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
    judge = model.named(name_or_path).with_overrides(options.model, options.base_url)
    if judge.kind == "metric":
        raise Problem(f"{judge.name} is a judge for measures; it has no rubric to grade by.")
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
    if model.named(name_or_path).kind == "baseline":
        return _baseline(store, name_or_path, options)
    job = prepare(store, name_or_path, options)
    estimate = jobs.estimate(store, job)
    _check_budget(options.budget, estimate)
    warning = _retirement(job)
    said = f"{job.judge.name}: {warning}{estimate.sentence()}"
    if options.only_estimate:
        return _outcome(job, "estimated", f"{warning}{estimate.sentence()}", estimate, Counts())
    if not (options.yes or estimate.is_free()) and not confirm(said):
        return _outcome(job, "declined", "Nothing was asked.", estimate, Counts())
    status, why, counts = _run(store, job, options, progress)
    return _outcome(job, status, _ended(status, why, counts), estimate, counts)


def spoken(counts: Counts) -> str:
    """The progress of a run in words."""
    money = f"${counts.cost:.2f}" + (" and more of unknown price" if counts.unpriced else "")
    unscored = {s: n for s, n in counts.statuses.items() if s != "scored"}
    trouble = "".join(f", {n:,} {status}" for status, n in sorted(unscored.items()))
    return (
        f"{counts.done:,} of {counts.total:,} done ({counts.cached:,} from the cache, "
        f"{counts.calls:,} calls), {counts.statuses['scored']:,} grades{trouble}; "
        f"{counts.tokens_in:,} tokens in, {counts.tokens_out:,} out, {money}"
    )


def _run(
    store: Store, job: Job, options: Options, progress: Callable[[str], None]
) -> tuple[str, str, Counts]:
    from judges.client import Client  # the openai package takes half a second to import

    return run(
        store,
        job,
        lambda: Client(job.judge),
        options.budget,
        options.concurrency,
        lambda counts: progress(f"{job.judge.name}: {spoken(counts)}"),
    )


def _baseline(store: Store, name_or_path: str, options: Options) -> Outcome:
    """The baseline asks nobody: it runs at once and is free."""
    preset = model.named(name_or_path)
    rubric_id, rubric = rubric_versions.argument(store, options.rubric or preset.rubric)
    sheet = sheets.chosen(store, options.sheet_name)
    found = run_baseline(store, sheet, rubric_id, rubric)
    if found.grader is None:
        raise Problem(f"{found.sentence()} Grade more answers, then run it again.")
    return Outcome(preset.name, "done", found.sentence(), False, {}, {"grades": found.stored})


def _check_budget(budget: float | None, estimate: Estimate) -> None:
    if budget is not None and estimate.calls and estimate.cost is None:
        raise Problem(
            "The model has no price in judges/prices.toml, so a budget cannot be kept. Add its "
            "price there, or leave --budget out."
        )


def _retirement(job: Job) -> str:
    from datetime import date

    warning = job.judge.retirement(date.fromisoformat(clock.today()))
    return f"{warning} " if warning else ""


def _ended(status: str, why: str, counts: Counts) -> str:
    return f"{spoken(counts)}." if status == "done" else f"Stopped. {why} {spoken(counts)}."


def _outcome(job: Job, status: str, said: str, estimate: Estimate, counts: Counts) -> Outcome:
    return Outcome(
        job.judge.name,
        status,
        said,
        counts.statuses["failed"] > 0,
        estimate.as_json(),
        counts.as_dict(),
    )
