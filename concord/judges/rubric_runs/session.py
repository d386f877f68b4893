"""A judge named by a user, from its definition to the end of its run, batch or training."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.rubric_runs import batch
from concord.judges.rubric_runs import job as jobs
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.running import engine
from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.engine import Confirm, Progress
from concord.judges.running.job import Options, Outcome
from concord.judges.running.progress import Counts
from concord.messages import Problem, joined, said
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

if TYPE_CHECKING:
    from concord.judges.combined.run import CombinedOutcome


@dataclass(frozen=True)
class BaselineOutcome:
    """Outcome of training the baseline; `stored` grades, None if it was only estimated."""

    name: str
    status: str
    said: str
    stored: int | None = None
    failed: bool = False

    @property
    def counts(self) -> Counts:
        """The counts of a run, as those of a judge that is asked: all scored, no request sent."""
        return Counts(statuses=Counter(scored=self.stored or 0))

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.name}: {self.said}"

    def as_json(self) -> dict[str, Any]:
        """The outcome for `--json`, with the keys of a judge's run."""
        return {
            "judge": self.name,
            "status": self.status,
            "said": self.said,
            "failed": self.failed,
            "estimate": {"calls": 0} if self.stored is None else {},
            "counts": {} if self.stored is None else {"grades": self.stored},
        }


def prepare(store: Store, name_or_path: str, options: Options) -> RubricJob:
    """The job of a judge named by the user, overrides applied."""
    judge = registry.named(store, name_or_path).with_overrides(options.model, options.base_url)
    return prepared(store, judge, options)


def prepared(store: Store, judge: Judge, options: Options) -> RubricJob:
    """The job of a judge."""
    if judge.kind == "metric":
        raise Problem(
            "{judge} computes metrics and has no rubric. Run it with `judge`.", judge=judge.name
        )
    if judge.kind in ("baseline", "combined"):
        raise Problem("{judge} makes no API calls. Run it with `judge`.", judge=judge.name)
    rubric_id, rubric = rubric_versions.argument(store, options.rubric or judge.rubric)
    # A rubric that an import made has no meanings yet; a judge would have to guess its scores.
    rubric.check_meanings()
    sheet = sheets.chosen(store, options.sheet_name)
    more = options.repeats, options.limit, options.retry_unscored
    return jobs.prepare(store, judge, rubric_id, rubric, sheet, *more)


def judge(
    store: Store,
    name_or_path: str,
    options: Options,
    confirm: Confirm,
    progress: Progress = lambda sentence: None,
) -> "Outcome | BaselineOutcome | CombinedOutcome":
    """Run a judge over a sheet."""
    store.must_lead()
    named = registry.named(store, name_or_path)
    if named.kind == "baseline":
        return _baseline(store, named, options)
    if named.kind == "combined":
        from concord.judges.combined import run  # imports pandas, which no judge needs

        more = options.rubric, options.sheet_name, options.only_estimate
        return run.carry_out(store, named, *more)
    job = prepared(store, named.with_overrides(options.model, options.base_url), options)
    return carry_out(store, job, options, confirm, progress)


def carry_out(
    store: Store,
    job: RubricJob,
    options: Options,
    confirm: Confirm,
    progress: Progress = lambda sentence: None,
) -> Outcome:
    """Do a prepared job, as a run or as a batch.

    As a batch, the first call hands over what is left and every later one asks for the results.
    """
    if (options.batch or options.cancel_batch) and not options.only_estimate:
        # Open batches come first: what they answer must not be requested again.
        waiting = _collected(store, job, options)
        if waiting:
            return waiting

    def hand_over(expected: Estimate) -> Outcome:
        return _submitted(store, job, options, expected)

    submits = hand_over if options.batch else None
    return engine.carry_out(store, job, options, confirm, progress, submits)


def _submitted(store: Store, job: RubricJob, options: Options, expected: Estimate) -> Outcome:
    """Hand over what is left as a batch."""
    handed = batch.submit(store, job, options.budget)
    status = "submitted" if handed.questions else "done"
    return job.outcome(store, status, handed.sentence(), expected, handed.counts)


def _collected(store: Store, job: RubricJob, options: Options) -> Outcome | None:
    """Collect the judge's open batches over the sheet; None without any.

    Includes batches that an earlier version of the judge left open.
    """
    cancel = options.cancel_batch
    waiting = batch.waiting(store, job.sheet, job.judge.name)
    if not waiting:
        if not cancel:
            return None
        expected = job.estimate(store)
        return job.outcome(store, "done", "There is no open batch.", expected, Counts())
    done = [batch.collect(store, job.sheet, who, cancel) for who in waiting]
    counts = max((one.counts for one in done), key=lambda c: c.total)
    expected = job.renewed(store).estimate(store)
    status = "pending" if any(one.pending for one in done) else "done"
    sentence = joined(" ", [one.sentence() for one in done])
    run = job.outcome(store, status, sentence, expected, counts)
    return replace(run, refused=any(one.refused for one in done))


def _baseline(store: Store, preset: Judge, options: Options) -> BaselineOutcome:
    """Train the baseline, which sends no request: it runs at once and is free."""
    from concord.judges.baseline.run import run_baseline  # imports pandas, which no judge needs

    if options.only_estimate:
        sentence = "It sends no request and costs nothing."
        return BaselineOutcome(preset.name, "estimated", sentence)
    sheet = sheets.chosen(store, options.sheet_name)
    used = options.rubric or rubric_versions.annotators_use(store, sheet.id) or preset.rubric
    rubric_id, rubric = rubric_versions.argument(store, used)
    trained = run_baseline(store, sheet, rubric_id, rubric)
    if trained.grader is None:
        elsewhere = rubric_versions.without_annotators(store, sheet, rubric.name)
        lacks = said("{criterion}: {why}", criterion=rubric.name, why=trained.sentence())
        remedy = said(
            "Import more questions and create a grading set from them."
            if trained.is_all_graded
            else "Grade more answers, then run it again."
        )
        raise Problem(elsewhere or joined(" ", [lacks, remedy]))
    return BaselineOutcome(preset.name, "done", trained.sentence(), trained.stored)
